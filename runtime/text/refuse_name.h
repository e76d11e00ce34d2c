#pragma once

/// \file
/// Refuses a name that nobody knows, in one wording.

#include <stdexcept>
#include <string>
#include <string_view>

#include "runtime/text/readable.h"

namespace heddle::text {

/// Throws std::invalid_argument: `what` (a variable of the environment, an argument) is the name of none of `known`.
template <typename Known>
[[noreturn]] void refuse_name(std::string_view what, std::string_view value, const Known& known) {
  std::string names;
  for (const auto& one : known) names += (names.empty() ? "'" : ", '") + std::string(one.name) + "'";
  throw std::invalid_argument(std::string(what) + " is '" + readable(value) + "'; it may be " + names);
}

}  // namespace heddle::text
