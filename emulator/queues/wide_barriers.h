#pragma once

/// \file
/// Which barriers and semaphores of a run are wider than the run needed.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/queues/order.h"
#include "emulator/queues/races.h"

namespace heddle::queues {

/// What the nodes of one place in the program need of what they say.
struct Needs {
  /// Whether anything needs them at all.
  bool any = false;
  model::Stages source_stages = model::Stages::None;
  model::Accesses source_accesses = model::Accesses::None;
  model::Stages destination_stages = model::Stages::None;
  model::Accesses destination_accesses = model::Accesses::None;
  /// The bytes of a buffer's range that something needs, from the begin of the range on; none where they are equal.
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  /// What either of two runs needs.
  void join(const Needs& other);
};

/// Barriers, waits or signals of one place in the program, which say the same.
struct Place {
  NodeKind kind = NodeKind::Barrier;
  std::string call;
  SourceLocation where;
  /// The transfer that they are a half of; nothing for others.
  std::optional<model::OwnershipTransfer> transfer;
  /// What they say. All bytes of a range are those up to `end`; 0 for all memory.
  Needs says;

  auto key() const {
    return std::tuple(call, std::string(where.file), where.line, says.source_stages, says.source_accesses,
                      says.destination_stages, says.destination_accesses, says.end, transfer ? transfer->from : 0,
                      transfer ? transfer->to : 0, transfer && transfer->acquires);
  }
};

/// Remembers which accesses of a run are ordered, and tries what else would have ordered them: the order of the run
/// with one mask narrower, with a smaller range, or without a barrier.
class WideBarriers {
 public:
  explicit WideBarriers(const Order& order, const RaceFinder& finder) : order_(order), finder_(finder) {}

  void hear(const Heard& heard);
  /// The memory ends at this call, which comes behind all accesses of it.
  void ends(const Heard& free);
  /// What each place needs; nothing where there is too much to try.
  std::vector<std::pair<Place, Needs>> needs() const;
  /// Whether all of the run could be looked at.
  bool has_room() const;

 private:
  /// Two accesses with their bytes, of which the later one is ordered behind the earlier one.
  struct Pair {
    Access earlier;
    Access later;
    /// A later write that would see the earlier write, were it a read.
    bool is_visible = false;
    std::uint64_t end = 0;
  };
  using Key = std::tuple<NodeId, NodeId, unsigned, unsigned, ReferenceId, ReferenceId, AllocationId, std::size_t>;
  using Group = std::vector<NodeId>;
  using Places = std::map<decltype(Place().key()), std::pair<Place, Group>>;

  void add(const Access& earlier, const Access& later);
  static bool holds(const Order& order, const Pair& pair, bool sees = true);
  bool all_hold(const Order& order) const;
  Place place_of(NodeId node) const;
  Places places() const;
  Needs needs_of(const Place& place, const Group& group) const;
  /// The releases and acquires of one buffer, from one family to another.
  std::vector<Group> transfers() const;
  bool can_leave_out(const Group& group) const;
  /// Whether all that waits for these signals is on queues, and something does.
  bool is_for_queues(const Group& signals) const;
  bool is_needed(const Place& place, const Group& group) const;
  /// Whether all pairs are ordered where the nodes say that.
  bool suffices(const Group& group, const Needs& said) const;
  void find_bytes(const Place& place, const Group& group, Needs& needs) const;

  const Order& order_;
  const RaceFinder& finder_;
  std::map<std::uint64_t, std::vector<Heard>> cells_;
  std::map<Key, Pair> pairs_;
};

/// What is told of a place.
struct WideText {
  std::string operation;
  /// "COMPUTE_SHADER instead of ALL_COMMANDS in srcStageMask"
  std::string enough;
  /// As report::OrderingUse::weakness.
  std::uint8_t weakness = 0;
};
std::vector<WideText> texts_of(const Place& place, const Needs& needs);

}  // namespace heddle::queues
