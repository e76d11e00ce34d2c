#pragma once

/// \file
/// Whether an execution of host threads is one that Mu's memory model allows, and whether it has undefined behaviour.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/judge/relation.h"
#include "emulator/mu/execution.h"

namespace heddle::mu {

using judge::EventSet;
using judge::Relation;

/// A rule that an execution can break.
enum class Rule : std::uint8_t {
  HappensBeforeIsAcyclic,
  ModificationOrderFollowsHappensBefore,
  NonAtomicLoadSeesVisibleStore,
  AtomicLoadSeesVisibleSequence,
  ReadReadCoherence,
  ReadModifyWriteSeesLastStore,
  SequentiallyConsistentOrder,
  FutexQueues,
  BundlesInOrder,
};
const char* name(Rule rule);

/// A rule that is broken, and where: one or two events, or none where the execution as a whole breaks it.
struct Violation {
  Rule rule;
  std::vector<EventIndex> events;
};

enum class Undefined : std::uint8_t { Address, Mixed, Race, Stack };
/// "address", "mixed", "race", "stack".
const char* name(Undefined undefined);

struct UndefinedPair {
  Undefined kind;
  EventIndex first = 0;
  EventIndex second = 0;
};

/// How much of the execution is there.
enum class Extent : std::uint8_t {
  Whole,
  /// More events may come, and modification orders are not known: relations have only what stays.
  Part,
};

/// All relations of one execution, and its verdict.
class Judgement {
 public:
  explicit Judgement(const Execution& execution, Extent extent = Extent::Whole);

  const Execution& execution() const { return execution_; }
  const Relation& program_order() const { return program_order_; }
  /// From an atomic store to each member of the release sequence that it heads, or would head.
  const Relation& release_sequence() const { return release_sequence_; }
  const Relation& synchronizes_with() const { return synchronizes_with_; }
  const Relation& dependency_ordered_before() const { return dependency_ordered_before_; }
  const Relation& inter_thread_happens_before() const { return inter_thread_happens_before_; }
  const Relation& happens_before() const { return happens_before_; }
  bool happens_before(EventIndex first, EventIndex second) const { return happens_before_.has(first, second); }

  /// Position in modification order, counted from 1; 0 for the initial value.
  std::uint32_t position(EventIndex store) const { return store == kInitial ? 0 : positions_[store]; }
  /// The last visible store for a load of a location with a modification order; kInitial if there is none.
  EventIndex last_visible_store(EventIndex load) const;
  /// Whether the load happens before the store, or before one that precedes it in modification order.
  bool lies_behind(EventIndex load, EventIndex store) const;

  /// All rules that are broken; empty for a consistent execution.
  std::vector<Violation> violations() const;
  /// Whether no rule is broken: ends at the first that is.
  bool consistent() const;
  /// Each pair once, `first` the smaller number.
  std::vector<UndefinedPair> undefined() const;
  /// Whether some pair is undefined behaviour of this kind.
  bool has(Undefined kind) const;

  /// An order S that satisfies every rule; nothing if there is none.
  std::optional<std::vector<EventIndex>> sequentially_consistent_order() const;

 private:
  using Report = std::vector<Violation>;
  void order_program();
  void order_modifications();
  void find_release_sequences();
  void synchronize_accesses();
  void synchronize_fences();
  void synchronize_threads();
  void carry_dependencies();
  void order_happenings();

  void check_happens_before(Report& report) const;
  void check_modification_order(Report& report) const;
  void check_visibility(Report& report) const;
  void check_non_atomic_load(EventIndex load, Report& report) const;
  void check_atomic_load(EventIndex load, Report& report) const;
  void check_read_read_coherence(Report& report) const;
  void check_read_modify_writes(Report& report) const;
  void check_bundles(Report& report) const;
  void check_sequential_consistency(Report& report) const;
  void check_futexes(Report& report) const;
  void find_data_races(std::vector<UndefinedPair>& out) const;
  void find_mixed_accesses(std::vector<UndefinedPair>& out) const;
  void find_stack_conflicts(std::vector<UndefinedPair>& out) const;

  const Execution& execution_;
  const std::size_t count_;
  std::vector<std::uint32_t> positions_;
  /// Stores of each location.
  std::vector<std::vector<EventIndex>> stores_;
  Relation program_order_;
  Relation release_sequence_;
  Relation synchronizes_with_;
  Relation carries_dependency_;
  Relation dependency_ordered_before_;
  Relation inter_thread_happens_before_;
  Relation happens_before_;
};

}  // namespace heddle::mu
