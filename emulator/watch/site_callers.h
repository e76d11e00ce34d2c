#pragma once

/// \file
/// Who called the functions that instructions stand in, for reports of races in the helpers of a kernel.

#include <heddle/source_location.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "emulator/race/site.h"
#include "runtime/call_stack.h"

namespace heddle::watch {

/// Call stacks of some executions of each instruction: of its first one, and of some more once it has raced. Walking a
/// stack takes microseconds, so it is not done at every access.
class SiteCallers {
 public:
  /// Whether the stack of this execution is to be added.
  [[gnu::always_inline]] bool wants(race::SiteId site) const { return site >= wanted_.size() || wanted_[site] != 0; }
  /// Adds the stack of the caller, which executes the instruction.
  void add(race::SiteId site);
  /// The instruction has raced: the stacks of its next executions are wanted, too.
  void ask_more(race::SiteId site);
  /// Called with every instruction of which more stacks are wanted.
  void on_asked(std::function<void(race::SiteId)> call) { on_asked_ = std::move(call); }
  /// The call stacks of the instruction that were noted, each once.
  const std::vector<runtime::CallStack>& of(race::SiteId site) const { return stacks_.at(site); }

 private:
  static constexpr std::uint8_t kMoreExecutions = 64;
  static constexpr std::size_t kMostStacks = 16;

  /// How many more executions of each instruction are wanted.
  std::vector<std::uint8_t> wanted_;
  std::vector<std::vector<runtime::CallStack>> stacks_;
  std::function<void(race::SiteId)> on_asked_;
};

/// The calls by which an invocation came to an access, as in RacingAccess::calls: one list for each way that is among
/// the stacks. Empty if one of them came by no call of a helper.
std::vector<std::vector<SourceLocation>> calls_by(const SourceLocation& where,
                                                  const std::vector<runtime::CallStack>& stacks);

}  // namespace heddle::watch
