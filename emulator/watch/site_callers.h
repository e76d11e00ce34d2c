#pragma once

/// \file
/// Who called the functions that instructions stand in, for reports of races in the helpers of a kernel.

#include <heddle/source_location.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "emulator/race/site.h"

namespace heddle::trace {
class Instructions;
enum class CallsId : std::uint32_t;
}  // namespace heddle::trace

namespace heddle::watch {

/// The calls that led to some executions of each instruction: of its first one, and of some more once it has raced.
/// Asking for them takes microseconds, so it is not done at every access.
class SiteCallers {
 public:
  /// `instructions` must outlive it.
  explicit SiteCallers(trace::Instructions& instructions) : instructions_(instructions) {}

  /// Whether the calls that lead to this execution are to be added.
  [[gnu::always_inline]] bool wants(race::SiteId site) const { return site >= wanted_.size() || wanted_[site] != 0; }
  /// Adds the calls that the agent is in that executes the instruction.
  void add(race::SiteId site);
  /// The instruction has raced: the calls that lead to its next executions are wanted, too.
  void ask_more(race::SiteId site);
  /// Called with every instruction of which more are wanted.
  void on_asked(std::function<void(race::SiteId)> call) { on_asked_ = std::move(call); }
  /// The calls that led to the instruction, as far as they were noted, each once.
  const std::vector<trace::CallsId>& of(race::SiteId site) const { return calls_.at(site); }
  /// The ways to the instruction that were noted, each once, as RacingAccess::calls has them.
  std::vector<std::vector<SourceLocation>> ways_to(const SourceLocation& where, race::SiteId site) const;

 private:
  static constexpr std::uint8_t kMoreExecutions = 64;
  static constexpr std::size_t kMostWays = 16;

  trace::Instructions& instructions_;
  /// How many more executions of each instruction are wanted.
  std::vector<std::uint8_t> wanted_;
  /// By site.
  std::vector<std::vector<trace::CallsId>> calls_;
  std::function<void(race::SiteId)> on_asked_;
};

/// The calls by which an invocation came to an access, as in RacingAccess::calls: one list for each way that is among
/// `calls`. Empty if one of them came by no call of a helper.
std::vector<std::vector<SourceLocation>> calls_by(const trace::Instructions& instructions, const SourceLocation& where,
                                                  const std::vector<trace::CallsId>& calls);

}  // namespace heddle::watch
