#pragma once

/// \file
/// Everything the judge derives from one execution. Each `derive_...` function is one section of the
/// specification, has a file of its own, and reads only what the functions listed before it derived.

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/judge/judgement.h"
#include "emulator/judge/relation.h"
#include "emulator/model/dependency.h"
#include "emulator/model/execution.h"
#include "emulator/model/levels.h"

namespace heddle::judge {

using model::kScopes;
/// How far an availability or visibility operation reaches; 0 stands for no such operation.
using model::Level;
using model::level_of;

/// What an event is, with the answers of its operation worked out.
struct EventFacts {
  model::OperationIndex operation = 0;
  AgentId agent{};
  bool reads = false;
  bool writes = false;
  bool atomic = false;
  bool non_private = false;
  /// A memory barrier, or a control barrier with memory semantics.
  bool fence = false;
  bool control_barrier = false;
  bool acquire = false;
  bool release = false;
  /// The write of a read-modify-write, or in the suite's flavour all of it.
  bool rmw = false;
  Scope scope = Scope::Invocation;
  /// The storage-class semantics that its acquire or release constrains.
  MemorySemantics mask = MemorySemantics::None;
  /// The storage-class semantic that applies to an access; for a bulk operation those of its instruction's mask.
  MemorySemantics storage = MemorySemantics::None;
  /// The level of `scope`.
  Level level = 0;
  /// Levels of the availability and visibility operations that it is or has.
  Level availability = 0;
  Level visibility = 0;
  /// Whether these are about the storage classes of `storage`; otherwise they are about the reference and the
  /// locations that it accesses.
  bool bulk = false;
};

/// A set of bytes that no access of the execution splits, and what happens there.
struct Location {
  Locations bytes;
  EventSet accesses;
  /// Where each event that reads here reads from; see `kUnknown`.
  std::vector<EventIndex> source;
  Relation location_ordered;
  Relation from_reads;
};

/// Sources of a read that are no event.
inline constexpr EventIndex kInitial = ~EventIndex{0};
/// Nothing is known yet of what the event reads.
inline constexpr EventIndex kUnknown = ~EventIndex{0} - 1;

/// The pairs of the inter-thread-happens-before relation of one set of storage classes.
struct ClassOrder {
  MemorySemantics classes = MemorySemantics::None;
  Relation order;
};

class Facts {
 public:
  const model::Execution* execution = nullptr;
  Options options;

  /// Whether the execution may still grow. Then only what no growth can undo is derived: of a release
  /// sequence, its head.
  bool partial = false;
  /// Whether only happens-before is wanted of inter-thread-happens-before.
  bool only_happens_before = false;

  std::vector<EventFacts> events;
  std::vector<Event> names;
  /// The events of each operation, without its bulk operations: of a read-modify-write the read first.
  std::vector<std::array<EventIndex, 2>> events_of;
  /// The first event of each operation, bulk operations included.
  std::vector<EventIndex> first_of;

  EventSet reads, writes, accesses, atomics, non_private, fences, releases, acquires;
  EventSet domain_operations;
  /// Events of host agents.
  EventSet on_host;
  /// The writes of read-modify-writes, where these are two events.
  EventSet rmws;
  /// Events that have a scope.
  EventSet scoped;
  /// Events that are, or have, an availability or a visibility operation.
  EventSet making_available, making_visible;
  /// Accesses to the outputs of tessellation control shaders.
  EventSet tessellation_outputs;
  /// The levels that matter between these agents, ascending.
  std::vector<Level> levels;
  /// The events of each agent, and of all agents in its instance of each of `levels`.
  std::vector<EventSet> of_agent;
  std::vector<std::array<EventSet, kScopes.size()>> in_instance;
  /// By level: whether it is one of `levels`.
  std::array<bool, kScopes.size()> level_matters{};
  const EventSet& instance(AgentId agent, Level level) const {
    const auto a = static_cast<std::size_t>(agent);
    return level_matters[level] ? in_instance[a][level] : of_agent[a];
  }
  /// By agent: the command that it belongs to, and the dependency whose operations are its own; null without one.
  std::vector<const model::Command*> command_of;
  std::vector<const model::Dependency*> dependency_of;
  /// By agent and agent: the levels at which they are in one instance.
  std::vector<std::vector<Level>> levels_in_common;

  std::vector<Location> locations;
  /// Whether some locations are only parts of accesses.
  bool cut_locations = false;

  Relation program_order;
  /// Whether operations have tags, and then program order between those whose tags are compatible.
  bool tagged = false;
  Relation compatible_program_order;
  /// The program order that happens-before is made of.
  const Relation& program_order_that_counts() const { return tagged ? compatible_program_order : program_order; }
  /// Program order between accesses to common locations through one reference.
  Relation same_reference_order;
  Relation shader_call_order;
  Relation in_scope;
  Relation mutually_ordered;
  Relation reads_from;
  Relation modification_order;
  Relation release_sequence;
  Relation hypothetical_release_sequence;
  Relation system_synchronizes;
  Relation meets_at_barrier;
  Relation synchronizes;
  /// Happens-before between host agents, as their language has it.
  Relation host_language_order;
  std::vector<ClassOrder> class_orders;
  Relation inter_thread_happens_before;
  Relation happens_before;
  Relation location_ordered;
  Relation from_reads;
  Relation visible_to;
  Relation data_race;

  /// Operations from `first` on are others than those that were derived from last; the others, and all
  /// agents, are the same.
  void forget_from(model::OperationIndex first);

  /// Derives everything.
  void derive(const model::Execution& e, const Options& o);
  /// Derives what consistency needs from an execution that may still grow, and judges it. False only
  /// if no growth makes the execution consistent. What was not forgotten is not derived again.
  bool derive_partial(const model::Execution& e, const Options& o);
  /// Whether a whole execution is consistent. Races and visible-to are not derived, nor those pairs of
  /// inter-thread-happens-before that program order has as well: see `complete`.
  bool derive_consistency(const model::Execution& e, const Options& o);
  /// Derives what a judgement of consistency left out.
  void complete();

  std::size_t size() const { return events.size(); }
  const model::HostSide& host() const { return model::host_side(execution->host); }
  const Operation& operation(EventIndex e) const { return execution->operations[events[e].operation]; }
  /// The event of an operation that reads, or that writes.
  EventIndex read_event(model::OperationIndex i) const { return events_of[i][0]; }
  EventIndex write_event(model::OperationIndex i) const { return events_of[i][1]; }

 private:
  void derive_what_is_given(const model::Execution& e, const Options& o);
  void derive_orders();
};

/// Fills `events`, the sets of events, and `locations` without their relations. Returns the first event
/// that was not known; what the next ones derive is added to what they know of the others.
EventIndex derive_events(Facts& facts);

//= vk:memory-model-program-order
void derive_program_order(Facts& facts, EventIndex first);
//= vk:shader-call-order
void derive_shader_call_order(Facts& facts);
//= vk:memory-model-atomic-operation
void derive_mutual_order(Facts& facts, EventIndex first);
//= vk:memory-model-scoped-modification-order
void derive_scoped_modification_order(Facts& facts);
//= vk:memory-model-release-sequence
void derive_release_sequences(Facts& facts);
//= vk:memory-model-synchronizes-with
void derive_synchronizes_with(Facts& facts);
//= vk:memory-model-system-synchronizes-with
void derive_system_synchronizes_with(Facts& facts);
//= vk:memory-model-inter-thread-happens-before
void derive_host_language_order(Facts& facts);
void derive_inter_thread_happens_before(Facts& facts);
//= vk:memory-model-happens-before
void derive_happens_before(Facts& facts);
//= vk:memory-model-location-ordered
void derive_location_order(Facts& facts);
//= vk:memory-model-visible-to
void derive_visible_to(Facts& facts);
//= vk:memory-model-access-data-race
void derive_data_races(Facts& facts);
//= vk:memory-model-acyclicity
void derive_from_reads(Facts& facts);

/// Dependencies of the API: who comes before whom through them, and through the host's own order.
//= vk:memory-model-system-synchronizes-with
void fill_commands(Facts& facts);
void add_dependencies(Facts& facts);
void extend_by_host_language(Facts& facts);

/// Whether an availability or visibility operation of the API includes an access.
//= vk:memory-model-vulkan-availability-visibility
bool includes_access(const Facts& facts, EventIndex operation, EventIndex access);
/// Whether host accesses to it have availability and visibility operations of their own.
bool is_coherent_host_memory(const Facts& facts, const Location& location);
/// Whether a read needs the contents of an exclusive buffer that another queue family wrote.
bool needs_transfer(const Facts& facts, EventIndex write, EventIndex read);
/// The acquire operations by which the family of `read` has what `write` wrote, which is available from `available` on.
EventSet acquired_contents(const Facts& facts, const EventSet& available, EventIndex write, EventIndex read);

/// Shader inputs are system-synchronized after the outputs that they come from, and see them.
//= vk:memory-model-shader-io
bool is_shader_input_from(const Facts& facts, EventIndex write, EventIndex read);
void add_shader_input_synchronization(Facts& facts);
void add_shader_input_order(const Facts& facts, Location& location);

/// The order of tessellation outputs at one location.
//= vk:memory-model-tessellation-output-ordering
bool accesses_tessellation_output(const Facts& facts, EventIndex e);
void add_tessellation_output_order(const Facts& facts, Location& location);

/// Whether two events race at one location.
//= vk:memory-model-access-data-race
bool races_at(const Facts& facts, const Location& location, EventIndex x, EventIndex y);

/// Which accesses an availability or visibility operation includes, and the chains of those that include one.
//= vk:memory-model-availability-visibility
class Chains {
 public:
  Chains(const Facts& facts, const Location& location) : facts_(facts), location_(location) {}

  /// By level (of Facts::levels; the others mean nothing): the operations at which a chain ends that
  /// makes what `write` wrote here available to the write's instance of that level.
  const std::array<EventSet, kScopes.size()>& availability(EventIndex write);
  /// By level: the operations at which a chain begins that makes writes to this location that are
  /// available in the read's instance of that level visible to `read`.
  const std::array<EventSet, kScopes.size()>& visibility(EventIndex read);

  /// The level of an availability (visibility) operation that includes what a write (read) touches here; 0
  /// if it does not.
  Level available_level(EventIndex operation, EventIndex write) const;
  Level visible_level(EventIndex operation, EventIndex read) const;

 private:
  bool includes(EventIndex operation, EventIndex access) const;
  /// Whether there is a level above `above`.
  bool add_levels(EventIndex operation, Level widest, Level above);

  const Facts& facts_;
  const Location& location_;
  std::array<EventSet, kScopes.size()> found_;
};

/// The axioms that do not hold, each with a cycle; none if the execution is consistent.
std::vector<Violation> find_violations(const Facts& facts);
/// The events on cycles of what has to be acyclic.
EventSet events_on_cycles(const Facts& facts);
/// Whether the execution is consistent; gives no reason.
//= vk:memory-model-acyclicity
bool is_consistent(const Facts& facts);
/// False if what is known before any synchronization makes a cycle: program order of one reference,
/// scoped modification order, reads-from and what comes of these.
//= vk:memory-model-scoped-modification-order-coherence
bool is_coherent(Facts& facts);

}  // namespace heddle::judge
