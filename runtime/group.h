#pragma once

/// \file
/// A resident workgroup: where each of its invocations stands, and what it waits for.

#include "runtime/context.h"
#include "runtime/heap.h"
#include "runtime/routes.h"
#include "runtime/walk.h"

#include <heddle/detail/runtime.h>
#include <heddle/report.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::runtime {

class Fiber;
struct Launch;

/// The id of the workgroup with this number.
inline uvec3 id_of(const Grid& grid, std::uint64_t number) {
  // Divisions are a good part of a short workgroup.
  if (number < grid.groups.x) return grid.base + uvec3{static_cast<std::uint32_t>(number), 0, 0};
  return grid.base + uvec3{static_cast<std::uint32_t>(number % grid.groups.x),
                           static_cast<std::uint32_t>(number / grid.groups.x % grid.groups.y),
                           static_cast<std::uint32_t>(number / grid.groups.x / grid.groups.y)};
}

/// A suspended invocation can go on once `*phase != seen`; these two say it for ever.
inline constexpr std::uint32_t kReadyPhase = 1;
inline constexpr std::uint32_t kNeverPhase = 0;
/// Says it of one that could go on, and whom a scheduler puts off.
inline constexpr std::uint32_t kPutOffPhase = 0;

enum class SlotState : std::uint8_t { Unstarted, Started, Finished };

/// What a suspended invocation waits for. One that waits at the workgroup's barrier is known by its
/// `phase`, so that a barrier need not say so; WorkgroupBarrier is for those at another one.
enum class WaitKind : std::uint8_t {
  Nothing,
  WorkgroupBarrier,
  NamedBarrier,
  Subgroup,
  Round,
  Poll,
  Preempted,
};

/// One invocation of a resident workgroup: what every switch touches, in one cache line.
struct alignas(64) Slot {
  /// Where its suspended stack goes on.
  Context context = nullptr;
  /// A suspended invocation can go on once `*phase != seen`.
  const std::uint32_t* phase = nullptr;
  std::uint32_t seen = 0;
  SlotState state = SlotState::Unstarted;
  WaitKind wait = WaitKind::Nothing;
  /// The round of polling in which this invocation last yielded.
  std::uint32_t polled_in_round = 0;
  /// In the walk, since it came there last.
  std::uint32_t place = 0;
  /// On which it runs; null: on the thread's own stack.
  Fiber* fiber = nullptr;
  /// Where it waits. Not kept for a workgroup barrier: there the barrier knows.
  SourceLocation where;

  bool can_go_on() const { return *phase != seen; }
  /// From now on it can go on, or cannot unless somebody lets it.
  void let_go() {
    phase = &kReadyPhase;
    seen = 0;
  }
  void hold() {
    phase = &kNeverPhase;
    seen = kNeverPhase;
  }
  void put_off() {
    phase = &kPutOffPhase;
    seen = kPutOffPhase;
  }
  bool is_put_off() const { return phase == &kPutOffPhase; }
};
static_assert(sizeof(Slot) == 64);

/// In which states an invocation has polled since somebody began to look, and how often it was in one of them again.
/// (What stood on a stack before, and means nothing, makes several of one.)
///
/// To know a state takes microseconds, and one that counts how often it has looked is never in the same: states are
/// looked at in 64 polls in a row, which begin anew with poll 1, 2, 4, 8 and so on.
struct PollStates {
  static constexpr std::uint32_t kReturns = 8;
  static constexpr std::uint64_t kInARow = 64;
  std::uint64_t polls = 0;
  std::array<std::uint64_t, 4> last{};
  std::uint32_t next = 0;
  std::uint32_t returns = 0;

  bool returned() const { return returns >= kReturns; }
  /// One more poll. Whether its state is to be noted.
  bool is_looked_at() {
    if (returned()) return false;
    const std::uint64_t begin = std::bit_floor(++polls);
    if (polls == begin) {
      next = returns = 0;
      last = {};
    }
    return polls - begin < kInARow;
  }
  void note(std::uint64_t state) {
    if (std::find(last.begin(), last.end(), state) != last.end()) {
      ++returns;
    } else {
      last[next++ % last.size()] = state;
    }
  }
};

/// What only the slower ways of waiting touch.
struct SlotDetail {
  SubgroupFunction function = nullptr;
  void* payload = nullptr;
  std::uint32_t ordinal = 0;
  std::uint32_t subgroups = 0;
  Poll poll;
  PollStates states;
};

struct WorkgroupBarrier {
  std::uint32_t missing = 0;
  std::uint32_t phase = 0;
  SourceLocation where;

  /// From now on `slot` waits until all have come.
  void hold(Slot& slot) const {
    slot.phase = &phase;
    slot.seen = phase;
  }
};

struct NamedBarrier {
  /// For how many it was made, as the first one to come said; 0: none has come.
  std::uint32_t subgroups = 0;
  /// Subgroups all of whose lanes have arrived, and how many lanes of each have.
  std::uint32_t complete = 0;
  std::vector<std::uint32_t> lanes;
};

/// A resident workgroup with what the scheduler knows of it.
struct Group : Workgroup {
  Slot* begin = nullptr;
  Slot* end = nullptr;
  std::uint32_t size = 0;
  std::uint32_t finished = 0;
  /// All invocations below this number that run as plain calls have finished or wait.
  std::uint32_t next_unstarted = 0;
  /// Whether any invocation has waited: only then the slots mean anything.
  bool waited = false;
  /// Whether its invocations kept step from the first wait to the end.
  bool kept_step = false;
  /// Whether its invocations take turns. No slot means anything then.
  bool in_ring = false;
  /// The driver's frames were given up after a trap: the invocation that finishes last retires the workgroup.
  bool driver_lost = false;
  /// The stack that runs the workgroup, while it waits for the workgroup's invocations.
  Context driver = nullptr;
  /// The fiber of that stack; null if it is the thread's own.
  Fiber* driver_fiber = nullptr;
  WorkgroupBarrier barrier;
  bool first_turn = false;
  /// How many lanes of each subgroup wait at a subgroup operation; empty if none ever did.
  std::vector<std::uint32_t> subgroup_arrived;
  std::vector<NamedBarrier> named;
  /// How many wait at round barriers.
  std::uint32_t at_rounds = 0;
  std::uint32_t round = 1;
  /// Where to look for the next invocation after one has finished.
  std::uint32_t cursor = 0;
  /// Where an oracle decides: the order in which invocations go on.
  Walk walk;
  /// Where lanes that went different ways need not be together again: how each came to where it is.
  Routes routes;

  /// The next one in the list of spare workgroups; null at its end.
  Group* next_spare = nullptr;

  std::vector<Slot> slots;
  std::vector<SlotDetail> details;
  std::unique_ptr<std::byte, HeapGiver> storage;

  std::uint32_t index_of(const Slot* slot) const { return static_cast<std::uint32_t>(slot - begin); }
  SlotDetail& detail(const Slot* slot) { return details[index_of(slot)]; }
  std::uint32_t& lanes_arrived(std::uint32_t subgroup) {
    if (subgroup_arrived.empty()) subgroup_arrived.resize(grid->subgroups);
    return subgroup_arrived[subgroup];
  }
  /// Its number among the workgroups of the dispatch.
  std::uint64_t number() const { return grid->number_of(id); }

  /// Gives it Workgroup memory of so many bytes. Throws std::bad_alloc.
  void make_storage(std::size_t bytes);
  void make_slots();
  /// An invocation waits for the first time: from now on the slots mean something. None has begun.
  void prepare_slots(const Launch& launch);
  /// No invocation has come to any barrier or subgroup operation yet.
  void forget_waits(const Launch& launch);

  /// Where an oracle decides: the invocation waits at the workgroup's barrier, or has finished. (Those who unwind go on
  /// without the walk having come to them.)
  void leave_out(const Slot& slot) {
    if (!ring->unwinding) walk.leave_out(slot.place);
  }
  bool at_barrier(const Slot& slot) const { return slot.phase == &barrier.phase; }
  /// Whether it may be next: it can go on, and has not polled in this round.
  bool is_ready(const Slot& slot) const { return slot.can_go_on() && slot.polled_in_round != round; }

  /// The one that the walk comes to next, if it is ready; null, and the walk stays where it is, if it is not.
  // (It is found by a step, and does not wait for the bits, which every turn writes: see runtime/SCHEDULING.md. Who is
  // not to be looked at is not ready.)
  [[gnu::always_inline]] Slot* next_in_walk() {
    Slot* slot = begin + walk.index();
    if (!is_ready(*slot) || walk.place() == size) [[unlikely]]
      return nullptr;
    slot->place = walk.place();
    walk.step();
    prefetch_walk();
    return slot;
  }
  /// The next one in the walk that is ready, if there is one. Nearly always it is the one that the walk comes to next.
  [[gnu::always_inline]] Slot* ready_in_walk() {
    if (Slot* slot = next_in_walk()) [[likely]]
      return slot;
    return ready_behind();
  }
  /// Likewise, where it is not that one.
  [[gnu::noinline]] Slot* ready_behind();
  /// The next one by number that is ready, from invocation `first` on and round; null if none is.
  Slot* ready_from(std::uint32_t first) {
    for (std::uint32_t k = 0; k < size; ++k) {
      Slot* slot = begin + (first + k < size ? first + k : first + k - size);
      if (is_ready(*slot)) return slot;
    }
    return nullptr;
  }
  /// Whether anybody can go on, or could if he was not put off.
  bool anybody_polls() const {
    return std::any_of(begin, end, [](const Slot& slot) { return slot.can_go_on() || slot.is_put_off(); });
  }
  // Which invocation comes two and one turns later is known: its slot, and then the hot end of its stack,
  // are asked for in time.
  [[gnu::always_inline]] void prefetch_walk() const {
    const auto* top = static_cast<const std::byte*>(begin[walk.index()].context);
    // An invocation that has not begun has no stack to ask for; to find out that nothing is at null takes long.
    if (!top) return;
    constexpr int kHotLines = 5;
    for (int line = 0; line < kHotLines; ++line) __builtin_prefetch(top + 64 * line);
    __builtin_prefetch(begin + walk.index_after());
  }
};

}  // namespace heddle::runtime
