#pragma once

/// \file
/// The words by which the environment and sweeps name the enumerators of an option.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "runtime/text/readable.h"

namespace heddle::detail {

/// A word for each enumerator, in their order.
template <std::size_t count>
using EnumWords = std::array<std::string_view, count>;

inline constexpr EnumWords<2> kLaneMappingWords = {"linear", "shuffled"};
inline constexpr EnumWords<2> kWorkgroupOrderWords = {"ascending", "shuffled"};
inline constexpr EnumWords<2> kUndefinedValuesWords = {"seed", "zero"};
inline constexpr EnumWords<4> kReconvergenceWords = {"maximal", "subgroup", "minimum", "seed"};

/// The enumerator of a word. Throws std::invalid_argument for any other value, with the name of the variable or of the
/// parameter that has it.
template <typename Enum, std::size_t count>
Enum enum_of(std::string_view variable, std::string_view value, const EnumWords<count>& words) {
  const auto at = std::find(words.begin(), words.end(), value);
  if (at != words.end()) return static_cast<Enum>(at - words.begin());
  std::string names;
  for (std::size_t i = 0; i < count; ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == count ? " or " : ", ", words[i]);
  throw std::invalid_argument(fmt::format("{} is '{}'; it may be {}", variable, text::readable(value), names));
}

/// The word of an enumerator; empty where there is none.
template <typename Enum, std::size_t count>
std::string word_of(const std::optional<Enum>& value, const EnumWords<count>& words) {
  return value ? std::string(words.at(static_cast<std::size_t>(*value))) : std::string();
}

}  // namespace heddle::detail
