#include "emulator/spirv/rules.h"

#include <bit>

namespace heddle::spirv {
namespace {

constexpr std::uint32_t kAcquire = 0x2;
constexpr std::uint32_t kRelease = 0x4;
constexpr std::uint32_t kAcquireRelease = 0x8;
constexpr std::uint32_t kSequentiallyConsistent = 0x10;
constexpr std::uint32_t kOrders = 0x1e;
constexpr std::uint32_t kClasses = 0x1fc0;
constexpr std::uint32_t kMakeAvailable = 0x2000;
constexpr std::uint32_t kMakeVisible = 0x4000;

std::string_view sequentially_consistent(SemanticsUse use) {
  if (use == SemanticsUse::Load || use == SemanticsUse::Unequal)
    return "SequentiallyConsistent, which Vulkan forbids, is read as Acquire";
  if (use == SemanticsUse::Store) return "SequentiallyConsistent, which Vulkan forbids, is read as Release";
  return "SequentiallyConsistent, which Vulkan forbids, is read as AcquireRelease";
}

std::optional<std::string_view> error_in(SemanticsUse use, std::uint32_t word) {
  const bool reads_only = use == SemanticsUse::Load || use == SemanticsUse::Unequal;
  const bool may_release = !reads_only && (word & (kRelease | kAcquireRelease | kSequentiallyConsistent)) != 0;
  const bool may_acquire =
      use != SemanticsUse::Store && (word & (kAcquire | kAcquireRelease | kSequentiallyConsistent)) != 0;
  if (std::popcount(word & kOrders) > 1) return "semantics name more than one order";
  if (reads_only && (word & (kRelease | kAcquireRelease)) != 0)
    return "what only loads cannot have the semantics Release or AcquireRelease";
  if (use == SemanticsUse::Store && (word & (kAcquire | kAcquireRelease)) != 0)
    return "what only stores cannot have the semantics Acquire or AcquireRelease";
  if ((word & kMakeAvailable) != 0 && !may_release) return "MakeAvailable is there without a release";
  if ((word & kMakeVisible) != 0 && !may_acquire) return "MakeVisible is there without an acquire";
  if (use == SemanticsUse::Barrier && (word & kOrders) != 0 && (word & kClasses) == 0)
    return "a barrier with an order names no class of memory";
  return std::nullopt;
}

}  // namespace

std::optional<BrokenRule> broken_rule(SemanticsUse use, std::uint32_t word, bool alone) {
  if (const auto error = error_in(use, word)) return BrokenRule{true, *error};
  if ((word & kOrders) == 0 && (word & kClasses) != 0)
    return BrokenRule{false, "classes of memory without an order mean nothing"};
  if ((word & kOrders) != 0 && alone) return BrokenRule{false, "an order at Invocation scope is none"};
  if ((word & kSequentiallyConsistent) != 0) return BrokenRule{false, sequentially_consistent(use)};
  return std::nullopt;
}

}  // namespace heddle::spirv
