#pragma once

/// \file
/// The judge: every relation and axiom of the memory model on one recorded execution, and the
/// questions that reports and teaching tools ask about it.

#include <heddle/detail/edit_record.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/judge/relation.h"
#include "emulator/model/execution.h"

namespace heddle::judge {

/// Whose reading of the model.
enum class Flavour : std::uint8_t {
  /// The specification's prose. A read-modify-write is two events; only mutually ordered atomic
  /// writes are ordered by scoped modification order; from-reads goes through location order where
  /// the read is itself location-ordered after the write it reads.
  Specification,
  /// The model of the Khronos Alloy suite. A read-modify-write is one event; scoped modification
  /// order is transitive; from-reads goes through location order whatever the read's own position.
  KhronosSuite,
};

struct Options {
  Flavour flavour = Flavour::Specification;
  /// vulkanMemoryModelAvailabilityVisibilityChains; without it chains have one element.
  bool chains = true;
  /// Whether atomics of the host and of a device can be mutually ordered.
  bool concurrent_host_device_atomics = false;

  friend bool operator==(const Options&, const Options&) = default;
};

/// What an event is of its operation: a read-modify-write is two events in the specification's flavour, and
/// the availability and visibility operations of MakeAvailable and MakeVisible are events of their own, the
/// first before their instruction, the second behind it.
enum class Part : std::uint8_t { Whole, Read, Write, BulkAvailability, BulkVisibility };

struct Event {
  model::OperationIndex operation = 0;
  Part part = Part::Whole;
};

/// The relations that a reader of an execution may ask for. Those of a location are unions over all
/// locations.
enum class RelationName : std::uint8_t {
  ProgramOrder,
  ReadsFrom,
  FromReads,
  ScopedModificationOrder,
  MutuallyOrdered,
  ReleaseSequence,
  HypotheticalReleaseSequence,
  SynchronizesWith,
  SystemSynchronizesWith,
  InterThreadHappensBefore,
  HappensBefore,
  LocationOrdered,
  VisibleTo,
  DataRace,
};

/// As it is written in pictures and cycles: "po", "rf", "fr", "smo", "mutord", "rs", "hypors", "sw",
/// "ssw", "ithb", "hb", "locord", "vis", "race".
std::string_view name(RelationName relation);

/// Two operations that race, and some of the bytes on which they do.
//= vk:memory-model-access-data-race
struct Race {
  model::OperationIndex first = 0;
  model::OperationIndex second = 0;
  Locations bytes;
};

/// By which bullet of the definition of location-ordered, in the specification's order.
//= vk:memory-model-location-ordered
enum class Bullet : std::uint8_t {
  SameAgentAndReference,
  NonPrivateRead,
  SystemSynchronizedRead,
  AvailableToWrite,
  AvailableAndVisibleToRead,
  DomainsToWrite,
  DomainsToRead,
  TessellationOutput,
  ShaderInput,
};

/// Why one access is location-ordered before another.
struct OrderReason {
  Bullet bullet = Bullet::SameAgentAndReference;
  /// The common domain, for the bullets that have one.
  std::optional<model::Domain> domain;
  /// The availability, domain and visibility operations of the chains, in order. An access with an
  /// availability or visibility operation of its own stands for that operation.
  std::vector<model::OperationIndex> availability;
  std::vector<model::OperationIndex> visibility;
  /// The operations on the way from the first access to the second, both included, each
  /// happens-before (or the same as, or program-ordered before) the next.
  std::vector<model::OperationIndex> through;
};

/// The first thing that is missing for one access to be location-ordered before another.
enum class MissingLink : std::uint8_t {
  NoSynchronization,
  ScopesDoNotIncludeEachOther,
  StorageClassMissing,
  PrivateAccess,
  NeverMadeAvailable,
  NeverMadeVisible,
  AnotherReference,
  IncompatibleTags,
};

/// "no synchronization", "scopes do not include each other", ...
std::string_view name(MissingLink link);

/// An edit of one operation of an execution; it names no place.
struct OperationEdit {
  model::OperationIndex operation = 0;
  Edit edit;
};

/// Why two accesses are not location-ordered in the direction in which they come nearest to it.
struct MissingReason {
  MissingLink link = MissingLink::NoSynchronization;
  model::OperationIndex from = 0;
  model::OperationIndex to = 0;
  /// Whether `from` happens-before `to`, so that what is missing is missing of availability or visibility.
  bool synchronized = false;
  /// The operations that would have to be different, and of scopes and storage classes these alone: the atomic or fence
  /// whose scope is too narrow, the fences that lack a storage class, the operations whose tags are in the way, the
  /// private access. Where the write is never made available (visible to the read): those whose MakeAvailable
  /// (MakeVisible) stands before what they acquire (behind what they release), and would do if they were an acquire and
  /// a release apart.
  std::vector<model::OperationIndex> culprits;
  /// Where the write is never made available (visible to the read), though it is on its way: releases (acquires) of
  /// others that would hand it on with MakeAvailable (MakeVisible), and have none.
  std::vector<model::OperationIndex> lacking;
  /// The edits that add the link; none where no edit of one operation does.
  std::vector<OperationEdit> mending;
};

/// One step of a cycle: `from` is related to the next step's `from`. Neighbours are different operations.
struct CycleStep {
  model::OperationIndex from = 0;
  RelationName relation = RelationName::ProgramOrder;
  /// Whether it is the next one that is related to `from`: what closes a cycle that is none of one relation's
  /// direction.
  bool reversed = false;
};

/// Why an execution is not consistent.
enum class Axiom : std::uint8_t {
  /// location-ordered, scoped modification order, reads-from and from-reads have a cycle.
  Acyclicity,
  /// A non-atomic read reads a write that another write hides.
  ReadsHiddenWrite,
  /// A mutually ordered write comes between a read-modify-write's read and its write.
  Atomicity,
  /// System-synchronization contradicts program order or a control barrier.
  SystemSynchronizationOrder,
};

struct Violation {
  Axiom axiom = Axiom::Acyclicity;
  /// In every case a cycle; the last step leads back to the first.
  std::vector<CycleStep> cycle;
};

/// Pairs of operations that are ordered between threads for some storage classes.
struct OrderedByClass {
  MemorySemantics classes = MemorySemantics::None;
  std::vector<model::OperationPair> pairs;
};

class Facts;

/// All there is to know about one execution. The execution must outlive it and stay as it is. Not to be
/// asked by two threads at once: some answers are derived when they are first asked for.
class Judgement {
 public:
  /// Evaluates every relation at once.
  explicit Judgement(const model::Execution& execution, const Options& options = {});
  ~Judgement();
  Judgement(Judgement&&) noexcept;
  Judgement& operator=(Judgement&&) noexcept;

  const model::Execution& execution() const;
  const Options& options() const;

  //= vk:memory-model-acyclicity
  bool consistent() const;
  /// What makes it inconsistent; nothing if it is consistent.
  std::optional<Violation> violation() const;
  /// Each axiom that does not hold, with a cycle, in the order of Axiom.
  std::vector<Violation> violations() const;
  /// How many operations stand on cycles of acyclicity: what is in the way of a consistent execution.
  std::size_t operations_on_cycles() const;

  //= vk:memory-model-access-data-race
  bool racy() const;
  /// All of them, ascending, `first < second`; each pair of operations once.
  std::vector<Race> races() const;

  /// Accesses to an allocation that its Free does not happen-after.
  //= vk:memory-model-deallocation
  std::vector<model::OperationPair> accesses_not_before_deallocation() const;

  /// Host writes, and invalidations after them with no flush between: the invalidation may lose the write.
  //= vk:memory-model-vulkan-availability-visibility
  std::vector<model::OperationPair> writes_lost_to_invalidations() const;

  /// The relation between operations: of a read-modify-write the halves are merged, and what would
  /// relate an operation to itself is left out.
  std::vector<model::OperationPair> pairs(RelationName relation) const;
  /// inter-thread-happens-before, for each set of storage classes that some semantics name.
  //= vk:memory-model-inter-thread-happens-before
  std::vector<OrderedByClass> ordered_by_class() const;
  /// Number of pairs of events in the relation (of Alloy's cardinalities: `#rs`, `#sw`, ...). The operations of
  /// MakeAvailable and MakeVisible, which are no events there, are not counted.
  std::size_t cardinality(RelationName relation) const;

  /// Which events there are, and the relations between them.
  const std::vector<Event>& events() const;
  const Relation& relation(RelationName name) const;

  /// Whether `x` is location-ordered before `y` at every byte that both access, and why at the
  /// first of them. Of a read-modify-write the half that orders is used.
  std::optional<OrderReason> location_ordered(model::OperationIndex x, model::OperationIndex y) const;

  /// Why `x` and `y`, which access a common byte, are not location-ordered in either direction: the
  /// first missing link, in the direction in which less is missing. Nothing if they are ordered.
  std::optional<MissingReason> why_unordered(model::OperationIndex x, model::OperationIndex y) const;

  /// The writes whose values the byte may finally hold: neither location-ordered before another
  /// write to it nor earlier than one in scoped modification order; {kInitialValue} if none writes it.
  /// `bytes` must not be split by any access.
  std::vector<model::OperationIndex> final_writes(const Locations& bytes) const;

 private:
  friend class PartialJudge;
  Judgement();
  std::unique_ptr<Facts> facts_;
};

/// How a report names an operation ("P0's store to x").
using NameOfOperation = std::function<std::string(model::OperationIndex)>;

/// The reason in a sentence or two.
std::string explain(const OrderReason& reason, const NameOfOperation& name_of);
std::string explain(const MissingReason& reason, const NameOfOperation& name_of);
std::string explain(const Violation& violation, const NameOfOperation& name_of);

}  // namespace heddle::judge
