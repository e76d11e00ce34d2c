#pragma once

/// \file
/// What may be read, written and passed between lanes as a whole.

#include <heddle/detail/language.h>

#include <type_traits>

namespace heddle::detail {

/// A type whose values are their bytes.
template <typename T>
concept Plain = std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>;

}  // namespace heddle::detail
