#pragma once

/// \file
/// What the standard library of Emscripten 3.1.6 lacks of C++20, and heddle uses: included before each file of the
/// WebAssembly build, and of no other. The standard has the same, [string.cmp], [vector.syn] and [bit.cast].

#include <compare>
#include <string>
#include <vector>

namespace std {

template <typename To, typename From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

inline strong_ordering operator<=>(const string& a, const string& b) noexcept {
  return a.compare(b) <=> 0;
}

template <typename T>
auto operator<=>(const vector<T>& a, const vector<T>& b) -> decltype(a[0] <=> b[0]) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (const auto order = a[i] <=> b[i]; order != 0) return order;
  return a.size() <=> b.size();
}

}  // namespace std
