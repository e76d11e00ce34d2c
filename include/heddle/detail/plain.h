#pragma once

/// \file
/// What may be read, written and passed between lanes as a whole.

#include <heddle/detail/language.h>
#include <heddle/vector.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace heddle::detail {

/// A type whose values are their bytes.
template <typename T>
concept Plain = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>;

/// Whether every byte of a `T` carries value, as far as the language tells.
template <typename T>
inline constexpr bool kNoPadding = !std::is_class_v<T> || std::has_unique_object_representations_v<T>;
template <typename T, std::size_t N>
inline constexpr bool kNoPadding<Vec<T, N>> = true;

/// One byte for each byte of a `T`, 0 where it is padding; null if every byte carries value. Where the
/// compiler cannot tell, all bytes of a struct that may have padding count as such: then it is
/// checked member by member only.
template <typename T>
const unsigned char* value_bytes() {
  if constexpr (!kNoPadding<T>) {
    static const auto bytes = [] {
      std::array<unsigned char, sizeof(T)> out{};
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
      alignas(T) unsigned char object[sizeof(T)];
      std::memset(object, 0xff, sizeof(T));
      __builtin_clear_padding(reinterpret_cast<T*>(object));
      std::memcpy(out.data(), object, sizeof(T));
#endif
#endif
      return out;
    }();
    return bytes.data();
  }
  return nullptr;
}

}  // namespace heddle::detail
