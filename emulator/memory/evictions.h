#pragma once

/// \file
/// What moves by itself as time passes: evictions, and the patience of the machine.

#include <heddle/memory_policy.h>

#include <algorithm>

#include "emulator/memory/outbox.h"

namespace heddle::memory {

/// Moves waiting writes and narrow versions on as operations pass.
///
/// One of them is evicted each eviction_interval operations of the policy, by chance; which one, and how far it comes,
/// is drawn. None stays longer than longest_wait operations in a cache of its agent, or of a narrow scope instance.
/// Where many agents are there, each of which does but a part of the operations, both are as many times as many: what
/// one of them does takes as long for the others as where they are few.
class Evictions {
 public:
  /// Whatever is passed by reference outlives the evictions; `now` is the time, in operations.
  Evictions(const MemoryPolicy& policy, Outbox& outbox, WriteOrder& order, Draws& draws, const std::uint64_t& now)
      : policy_(policy), outbox_(outbox), order_(order), draws_(draws), now_(now) {}
  void restart() {
    next_flush_ = 0;
    until_eviction_ = kNotDrawn;
    pace_ = 1;
  }
  /// So many agents have begun and not ended.
  void agents_are(std::uint32_t count) { pace_ = std::max(1u, count / kAgentsOfPace); }

  /// Whether anything could move.
  bool something_moves() const { return !outbox_.empty() || order_.narrow_count() != 0; }
  /// One operation has passed, and something could move.
  [[gnu::noinline]] void pass_time();

 private:
  /// The value of `until_eviction_` as long as nothing has waited.
  static constexpr std::uint32_t kNotDrawn = ~std::uint32_t{0};

  /// What the numbers of the policy are meant for.
  static constexpr std::uint32_t kAgentsOfPace = 64;
  /// A number of operations, for so many agents.
  std::uint32_t at_pace(std::uint32_t operations) const {
    constexpr std::uint64_t kMost = ~std::uint32_t{0};
    return static_cast<std::uint32_t>(std::min(std::uint64_t{operations} * pace_, kMost));
  }
  std::uint32_t longest_wait() const { return at_pace(policy_.longest_wait); }
  std::uint32_t longest_wait_of_atomic() const;
  std::uint32_t drawn_interval() { return draws_.below(at_pace(2 * policy_.eviction_interval)); }
  std::uint32_t flush_oldest_atomic();
  [[gnu::noinline]] void flush_oldest();
  void evict();

  const MemoryPolicy& policy_;
  Outbox& outbox_;
  WriteOrder& order_;
  Draws& draws_;
  const std::uint64_t& now_;
  /// Nothing has waited too long before then.
  std::uint64_t next_flush_ = 0;
  std::uint32_t until_eviction_ = kNotDrawn;
  std::uint32_t pace_ = 1;
};

}  // namespace heddle::memory
