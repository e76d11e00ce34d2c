#pragma once

/// \file
/// What Vulkan wants of memory semantics, and what becomes of those that are otherwise.

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle::spirv {

/// What has memory semantics.
enum class SemanticsUse : std::uint8_t {
  Load,
  Store,
  ReadModifyWrite,
  /// A compare-exchange that finds another value.
  Unequal,
  Barrier,
};

/// A rule that semantics break.
struct BrokenRule {
  /// Whether no one meaning is left.
  bool is_error = false;
  std::string_view text;
};

/// The first rule that a word of semantics breaks, errors before all others. `alone`: whether its scope is Invocation.
std::optional<BrokenRule> broken_rule(SemanticsUse use, std::uint32_t word, bool alone);

}  // namespace heddle::spirv
