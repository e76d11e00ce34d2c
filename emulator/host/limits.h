#pragma once

/// \file
/// Refuses options that are out of their limits, in one wording.

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <type_traits>

namespace heddle::detail {

/// Throws std::invalid_argument unless `value` is from `least` to `most`.
template <typename Number>
void check_limits(std::string_view option, Number value, std::type_identity_t<Number> least,
                  std::type_identity_t<Number> most) {
  if (value < least || value > most)
    throw std::invalid_argument(fmt::format("{} is {}; it may be {} to {}", option, value, least, most));
}

/// The most milliseconds of a time: 136 years, of which a clock's nanoseconds hold twice as many.
inline constexpr std::int64_t kMostMilliseconds = std::int64_t{1000} * 0xffffffff;

/// Throws std::invalid_argument for a time, in milliseconds, that is negative or out of all proportion.
inline void check_time(std::string_view option, std::int64_t milliseconds) {
  if (milliseconds < 0 || milliseconds > kMostMilliseconds)
    throw std::invalid_argument(
        fmt::format("{} is {} ms; it may be 0 to {} ms", option, milliseconds, kMostMilliseconds));
}

}  // namespace heddle::detail
