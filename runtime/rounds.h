#pragma once

/// \file
/// Rounds of polling: who has polled in one is not next before the next round begins.

#include <cstdint>
#include <vector>

#include "runtime/group.h"

namespace heddle::runtime {

/// Counts the turns of a round, so that those who poll get a turn now and then while others go on without end.
class Rounds {
 public:
  /// A dispatch begins.
  void begin() { polls_ = interruptions_ = 0; }
  /// A round begins: invocations that polled may be next again.
  void begin(const std::vector<Group*>& residents) {
    for (Group* g : residents) ++g->round;
    begin();
  }
  void note_poll() { ++polls_; }
  /// Somebody is interrupted. He may do without end what is no polling, and what others poll for may have come.
  void note_interruption(const std::vector<Group*>& residents) {
    if (polls_ == 0) [[likely]]
      return;
    if (++interruptions_ > polls_ + kMoreInterruptions) begin(residents);
  }

 private:
  /// Others than those who poll get as many turns as these, and a few more.
  static constexpr std::uint64_t kMoreInterruptions = 64;
  std::uint64_t polls_ = 0;
  std::uint64_t interruptions_ = 0;
};

}  // namespace heddle::runtime
