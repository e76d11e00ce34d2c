#pragma once

/// \file
/// Finds the accesses of commands and of the host that nothing of the API orders, or makes available and visible.

#include <heddle/operation.h>

#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/queues/order.h"

namespace heddle::queues {

/// Values are told apart in words of so many bytes.
inline constexpr std::uint64_t kWordBytes = 4;

/// An access of one word.
struct Heard {
  Access access;
  /// The bytes of the word, a bit for each.
  std::uint8_t bytes = 0xf;
  SourceLocation where;
  /// What does it: "read", "copy_buffer" ...
  const char* call = "";
  /// The number of the invocation in its dispatch.
  std::uint32_t invocation = 0;
  std::uint32_t value = 0;
};

/// What is told of two accesses.
struct FoundRace {
  Heard first;
  Heard second;
  Missing missing = Missing::Nothing;
};

/// Keeps of each word the accesses behind which a later one may not be ordered.
class RaceFinder {
 public:
  explicit RaceFinder(const Order& order) : order_(order) {}

  void hear(const Heard& heard);
  /// All accesses of the command have been heard. Two dispatches that meet at an atomic may be ordered by it, which is
  /// not followed: their accesses are told only where none of their atomics met.
  void command_ends();
  /// The memory ends at this call: `pending` are accesses that are still to come.
  void ends(const Heard& free, const std::vector<Heard>& pending);
  /// Written by the host and not flushed, and now invalidated.
  void invalidates(const Heard& invalidation);

  const std::vector<FoundRace>& found() const { return found_; }

 private:
  using Cell = std::vector<Heard>;
  static std::uint64_t key(const Access& access) {
    return static_cast<std::uint64_t>(access.allocation) << 40 | access.offset / kWordBytes;
  }
  bool may_meet_at_atomics(NodeId a, NodeId b) const;
  void tell(const FoundRace& race);

  const Order& order_;
  std::unordered_map<std::uint64_t, Cell> cells_;
  /// By node the words that it accessed atomically.
  std::unordered_map<NodeId, std::set<std::uint64_t>> atomics_;
  std::vector<FoundRace> candidates_;
  std::vector<FoundRace> found_;
};

}  // namespace heddle::queues
