#pragma once

/// \file
/// Finds the accesses of commands and of the host that nothing of the API orders, or makes available and visible.

#include <heddle/operation.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/queues/order.h"
#include "emulator/trace/listener.h"

namespace heddle::queues {

class WideBarriers;

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
  // In a trace, of an access of a kernel its operation, and of one of the host the call that it is part of.
  trace::OperationIndex operation = model::kInitialValue;
  std::uint64_t host_step = 0;
  /// An atomic that releases, where it writes, or acquires.
  bool synchronizes = false;
};

/// Whether the scope of an atomic or a barrier may include the invocations of another command.
constexpr bool reaches_commands(Scope scope) {
  return scope == Scope::CrossDevice || scope == Scope::Device || scope == Scope::QueueFamily;
}

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
  /// The dispatch executes a barrier whose scope reaches other commands.
  void has_barrier(NodeId node, bool releases, bool acquires);
  /// All accesses of a command have been heard; others are still under way. What one dispatch releases and a later one
  /// acquires at the same word may order the two, by a program order that is not followed: their accesses are told only
  /// where that is not so.
  void command_ends(const std::function<bool(NodeId)>& is_under_way);
  /// The memory ends at this call; what is heard of it later was not waited for.
  void ends(const Heard& free);
  /// An access of memory that has ended.
  void uses_freed(const Heard& later);
  /// Written by the host and not flushed, and now invalidated.
  void invalidates(const Heard& invalidation);

  const std::vector<FoundRace>& found() const { return found_; }

  static bool is_same(const Heard& a, const Heard& b);
  bool conflict(const Heard& a, const Heard& b) const;
  /// The number of the word.
  static std::uint64_t key(const Access& access) {
    return static_cast<std::uint64_t>(access.allocation) << 40 | access.offset / kWordBytes;
  }
  /// Who is told of all accesses as well; it must outlive this.
  void also_tell(WideBarriers& wide) { wide_ = &wide; }

 private:
  /// An access, and the later one that stands for it: whatever comes unordered with the earlier one is unordered with
  /// the later one, too. It races with both all the same, and both pairs of places are told.
  struct Passed {
    Heard heard;
    NodeId by = kNoNode;
  };
  struct Cell {
    std::vector<Heard> heard;
    std::vector<Passed> passed;
  };
  /// The words at which a command synchronizes by atomics.
  struct Meetings {
    std::set<std::uint64_t> written;
    std::set<std::uint64_t> released;
    std::set<std::uint64_t> read;
    std::set<std::uint64_t> acquired;
    bool barrier_releases = false;
    bool barrier_acquires = false;
  };
  bool include_each_other(const Access& a, const Access& b) const;
  static bool is_alike(const Heard& a, const Heard& b);
  /// What is missing between the two, of two nodes, if they conflict. A race is kept for the time when both have ended.
  std::optional<Missing> note_race(const Heard& earlier, const Heard& later);
  bool passes(const Heard& earlier, const Heard& later, std::optional<Missing> missing) const;
  void pass(Cell& cell, const Heard& earlier, const Heard& by) const;
  void note(const Heard& atomic);
  static bool may_synchronize(const Meetings& earlier, const Meetings& later);
  bool may_be_ordered(NodeId earlier, NodeId later) const;
  void tell(const FoundRace& race);
  /// The two commands of a race, the memory, what is missing, and the two places: races with the same are told once.
  using ToldBy = std::tuple<NodeId, NodeId, AllocationId, Missing, std::string_view, std::uint32_t, std::string_view,
                            std::uint32_t>;
  static ToldBy told_by(const FoundRace& race);

  const Order& order_;
  WideBarriers* wide_ = nullptr;
  std::unordered_map<std::uint64_t, Cell> cells_;
  std::map<NodeId, Meetings> meetings_;
  /// The calls that ended memory.
  std::map<AllocationId, Heard> frees_;
  /// Each race that a report tells is kept once: a command may race at millions of words, or as often at one word.
  std::vector<FoundRace> candidates_;
  std::set<ToldBy> kept_;
  std::vector<FoundRace> found_;
};

}  // namespace heddle::queues
