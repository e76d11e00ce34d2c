#include <algorithm>
#include <stdexcept>

#include "emulator/judge/facts.h"

namespace heddle::judge {
namespace {

constexpr MemorySemantics kInterlockClasses = MemorySemantics::UniformMemory | MemorySemantics::ImageMemory;

// Both ends of fragment interlock count as barriers with these semantics.
//= vk:memory-model-synchronizes-with
void set_interlock(const Operation& op, EventFacts& e) {
  if (op.kind != OperationKind::BeginInvocationInterlock && op.kind != OperationKind::EndInvocationInterlock) return;
  e.scope = Scope::FragmentInterlock;
  e.mask = kInterlockClasses;
  e.acquire = op.kind == OperationKind::BeginInvocationInterlock;
  e.release = op.kind == OperationKind::EndInvocationInterlock;
}

// Atomics make available and visible at their own scope, other accesses as their operands say.
//= vk:memory-model-instruction-av-vis
//= vk:memory-model-informative-descriptions
void set_own_operations(const Operation& op, EventFacts& e) {
  if (e.writes && (op.atomic || has(op.operands, MemoryOperands::MakePointerAvailable)))
    e.availability = level_of(op.atomic ? op.scope : op.available_scope);
  if (e.reads && (op.atomic || has(op.operands, MemoryOperands::MakePointerVisible)))
    e.visibility = level_of(op.atomic ? op.scope : op.visible_scope);
}

EventFacts facts_of(const Operation& op, model::OperationIndex index, Part part) {
  EventFacts e;
  e.operation = index;
  e.agent = op.agent;
  e.reads = op.reads() && part != Part::Write;
  e.writes = op.writes() && part != Part::Read;
  e.atomic = op.is_access() && op.atomic;
  e.non_private = op.is_access() && op.is_non_private();
  e.fence = op.is_memory_barrier();
  e.control_barrier = op.kind == OperationKind::ControlBarrier;
  e.rmw = op.kind == OperationKind::ReadModifyWrite && part != Part::Read;
  e.scope = op.scope;
  if (op.is_access()) e.storage = semantic_of(op.storage_class);

  // Reads acquire, writes release, barriers do both; a half has the storage classes of what it does.
  //= vk:memory-model-memory-semantics
  const bool orders = e.atomic || e.fence;
  e.acquire = orders && acquires(op.semantics) && (e.reads || e.fence);
  e.release = orders && releases(op.semantics) && (e.writes || e.fence);
  if (e.acquire || e.release) e.mask = storage_classes(op.semantics);

  set_own_operations(op, e);
  set_interlock(op, e);
  e.level = level_of(e.scope);
  return e;
}

// What MakeAvailable or MakeVisible adds to an instruction. It counts as an access of each storage class of the
// mask where happens-before between agents is derived, and as nothing else.
//= vk:memory-model-availability-visibility-semantics
EventFacts bulk_facts_of(const Operation& op, model::OperationIndex index, Part part) {
  EventFacts e;
  e.operation = index;
  e.agent = op.agent;
  e.storage = storage_classes(op.semantics);
  e.bulk = true;
  (part == Part::BulkAvailability ? e.availability : e.visibility) = level_of(op.scope);
  return e;
}

// Host agents and the instances of ray tracing and of interlock are rare; without them their levels
// tell nothing that the other levels do not.
void fill_levels(Facts& facts) {
  const auto& agents = facts.execution->agents;
  bool shader_calls = false, interlock = false, host = false;
  for (const model::Place& place : agents) {
    shader_calls = shader_calls || place.shader_call_group != 0;
    interlock = interlock || place.interlock_group != 0;
    host = host || place.kind != model::AgentKind::Shader;
  }
  facts.levels.clear();
  facts.level_matters = {};
  for (Level level = 1; level < kScopes.size(); ++level) {
    const Scope scope = kScopes[level];
    if ((scope == Scope::ShaderCallKHR && !shader_calls) || (scope == Scope::FragmentInterlock && !interlock) ||
        (scope == Scope::CrossDevice && !host))
      continue;
    facts.levels.push_back(level);
    facts.level_matters[level] = true;
  }
}

void fill_agents(Facts& facts) {
  const auto& agents = facts.execution->agents;
  fill_levels(facts);
  fill_commands(facts);
  facts.of_agent.assign(agents.size(), EventSet());
  facts.in_instance.resize(agents.size());
  facts.levels_in_common.assign(agents.size() * agents.size(), {});
  for (std::size_t a = 0; a < agents.size(); ++a) {
    for (const Level level : facts.levels) facts.in_instance[a][level].reset(0);
    for (std::size_t b = 0; b < agents.size(); ++b)
      for (const Level level : facts.levels)
        if (a == b || same_instance(agents[a], agents[b], kScopes[level]))
          facts.levels_in_common[a * agents.size() + b].push_back(level);
  }
}

std::array<EventSet*, 15> sets_of_kinds(Facts& facts) {
  return {&facts.reads,
          &facts.writes,
          &facts.accesses,
          &facts.atomics,
          &facts.fences,
          &facts.releases,
          &facts.acquires,
          &facts.non_private,
          &facts.scoped,
          &facts.rmws,
          &facts.making_available,
          &facts.making_visible,
          &facts.domain_operations,
          &facts.on_host,
          &facts.tessellation_outputs};
}

template <typename F>
void for_each_set(Facts& facts, F&& f) {
  for (EventSet* set : sets_of_kinds(facts)) f(*set);
  for (EventSet& set : facts.of_agent) f(set);
  for (auto& sets : facts.in_instance)
    for (const Level level : facts.levels) f(sets[level]);
}

void add_to_sets(Facts& facts, EventIndex i) {
  const EventFacts& e = facts.events[i];
  if (e.reads) facts.reads.add(i);
  if (e.writes) facts.writes.add(i);
  if (e.reads || e.writes) facts.accesses.add(i);
  if (facts.operation(i).is_domain_operation()) facts.domain_operations.add(i);
  if (facts.execution->place(e.agent).is_host()) facts.on_host.add(i);
  if (e.atomic) facts.atomics.add(i);
  if (e.non_private) facts.non_private.add(i);
  if (e.fence) facts.fences.add(i);
  if (e.release) facts.releases.add(i);
  if (e.acquire) facts.acquires.add(i);
  if (e.rmw && !e.reads) facts.rmws.add(i);
  if (e.availability != 0) facts.making_available.add(i);
  if (e.visibility != 0) facts.making_visible.add(i);
  if (e.atomic || e.fence || e.release || e.acquire || e.control_barrier) facts.scoped.add(i);
  if (accesses_tessellation_output(facts, i)) facts.tessellation_outputs.add(i);
  const auto agent = static_cast<std::size_t>(e.agent);
  facts.of_agent[agent].add(i);
  const std::size_t agents = facts.of_agent.size();
  for (std::size_t other = 0; other < agents; ++other)
    for (const Level level : facts.levels_in_common[other * agents + agent]) facts.in_instance[other][level].add(i);
}

EventIndex add_event(Facts& facts, const EventFacts& event, Part part) {
  facts.events.push_back(event);
  facts.names.push_back({event.operation, part});
  return static_cast<EventIndex>(facts.events.size() - 1);
}

// In program order: the bulk availability operation, the instruction, the bulk visibility operation. At the scope
// Invocation, or without a storage class, there is nothing for a bulk operation to do.
//= vk:memory-model-availability-visibility-semantics
void add_operation(Facts& facts, model::OperationIndex i) {
  const Operation& op = facts.execution->operations[i];
  const bool split = op.kind == OperationKind::ReadModifyWrite && facts.options.flavour == Flavour::Specification;
  const EventFacts first = facts_of(op, i, split ? Part::Read : Part::Whole);
  const EventFacts second = split ? facts_of(op, i, Part::Write) : first;
  const bool bulk = first.level != 0 && storage_classes(op.semantics) != MemorySemantics::None;
  facts.first_of.push_back(static_cast<EventIndex>(facts.events.size()));
  if (bulk && second.release && has(op.semantics, MemorySemantics::MakeAvailable))
    add_event(facts, bulk_facts_of(op, i, Part::BulkAvailability), Part::BulkAvailability);
  const EventIndex read = add_event(facts, first, split ? Part::Read : Part::Whole);
  const EventIndex write = split ? add_event(facts, second, Part::Write) : read;
  facts.events_of.push_back({read, write});
  if (bulk && first.acquire && has(op.semantics, MemorySemantics::MakeVisible))
    add_event(facts, bulk_facts_of(op, i, Part::BulkVisibility), Part::BulkVisibility);
}

void extend_events(Facts& facts) {
  const auto& operations = facts.execution->operations;
  for (auto i = static_cast<model::OperationIndex>(facts.events_of.size()); i < operations.size(); ++i)
    add_operation(facts, i);
}

// What is accessed, and what parts of reads are recorded to come from somewhere.
void collect_pieces(const model::Execution& execution, std::vector<Locations>& pieces, bool& overlapping) {
  const auto add = [&](const Locations& bytes) {
    if (bytes.size_bytes == 0 || std::find(pieces.begin(), pieces.end(), bytes) != pieces.end()) return;
    for (const Locations& piece : pieces) overlapping = overlapping || piece.overlaps(bytes);
    pieces.push_back(bytes);
  };
  for (const Operation& op : execution.operations)
    if (op.is_access()) add(op.locations);
  for (const model::ReadsFrom& from : execution.reads_from) add(from.bytes);
}

// Cuts overlapping pieces where one of them begins or ends.
std::vector<Locations> cut(const std::vector<Locations>& pieces) {
  std::vector<std::pair<AllocationId, std::uint64_t>> cuts;
  for (const Locations& piece : pieces) {
    cuts.emplace_back(piece.allocation, piece.offset_bytes);
    cuts.emplace_back(piece.allocation, piece.offset_bytes + piece.size_bytes);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  std::vector<Locations> result;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (cuts[i].first != cuts[i + 1].first) continue;
    const Locations piece{cuts[i].first, cuts[i].second,
                          static_cast<std::uint32_t>(cuts[i + 1].second - cuts[i].second)};
    if (std::any_of(pieces.begin(), pieces.end(), [&](const Locations& whole) { return whole.overlaps(piece); }))
      result.push_back(piece);
  }
  return result;
}

// Accesses of different bounds cut each other.
//= vk:memory-model-memory-location
void fill_cut_locations(Facts& facts) {
  std::vector<Locations> pieces;
  bool overlapping = false;
  collect_pieces(*facts.execution, pieces, overlapping);
  if (overlapping) pieces = cut(pieces);
  facts.locations.resize(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Location& location = facts.locations[i];
    location.bytes = pieces[i];
    location.accesses.reset(facts.size());
    facts.accesses.for_each([&](EventIndex e) {
      if (facts.operation(e).locations.overlaps(pieces[i])) location.accesses.add(e);
    });
  }
}

Location* location_of(Facts& facts, const Locations& bytes) {
  for (Location& location : facts.locations)
    if (location.bytes == bytes) return &location;
  return nullptr;
}

// Nearly always every access is one piece. False if the new events have others.
bool add_to_locations(Facts& facts, EventIndex first) {
  for (EventIndex e = first; e < facts.size(); ++e) {
    const Locations& bytes = facts.operation(e).locations;
    if (!facts.accesses.has(e) || bytes.size_bytes == 0) continue;
    Location* location = location_of(facts, bytes);
    if (location == nullptr) {
      for (const Location& other : facts.locations)
        if (other.bytes.overlaps(bytes)) return false;
      location = &facts.locations.emplace_back();
      location->bytes = bytes;
      location->accesses.reset(facts.size());
    }
    location->accesses.add(e);
  }
  return true;
}

void extend_locations(Facts& facts, EventIndex first) {
  if (facts.cut_locations) {
    facts.locations.clear();
    first = 0;
  }
  for (Location& location : facts.locations) location.accesses.resize(facts.size());
  facts.cut_locations = !add_to_locations(facts, first);
  for (const model::ReadsFrom& from : facts.execution->reads_from)
    facts.cut_locations = facts.cut_locations || location_of(facts, from.bytes) == nullptr;
  if (facts.cut_locations) fill_cut_locations(facts);
  for (Location& location : facts.locations) location.source.assign(facts.size(), kUnknown);
}

bool covers(const Locations& whole, const Locations& part) {
  return whole.allocation == part.allocation && whole.offset_bytes <= part.offset_bytes &&
         part.offset_bytes + part.size_bytes <= whole.offset_bytes + whole.size_bytes;
}

// A recorded reads-from of bytes that no access splits further; several records may be of one access.
void fill_sources(Facts& facts) {
  facts.reads_from.reset(facts.size());
  for (const model::ReadsFrom& from : facts.execution->reads_from) {
    const EventIndex reader = facts.read_event(from.read);
    const bool initial = from.write == model::kInitialValue;
    const EventIndex source = initial ? kInitial : facts.write_event(from.write);
    for (Location& location : facts.locations)
      if (covers(from.bytes, location.bytes)) location.source[reader] = source;
    if (!initial) facts.reads_from.add(source, reader);
  }
}

}  // namespace

// What is known of operations does not depend on what comes later, nor on what is read.
void Facts::forget_from(model::OperationIndex first) {
  if (first >= events_of.size() && first != 0) return;
  const std::size_t left = first == 0 || events_of.empty() ? 0 : first_of[first];
  events_of.resize(std::min<std::size_t>(first, events_of.size()));
  first_of.resize(events_of.size());
  events.resize(left);
  names.resize(left);
  for_each_set(*this, [&](EventSet& set) { set.resize(left); });
  program_order.resize(left);
  same_reference_order.resize(left);
  in_scope.resize(left);
  mutually_ordered.resize(left);
  for (Location& location : locations) location.accesses.resize(left);
  while (!locations.empty() && locations.back().accesses.empty()) locations.pop_back();
}

//= vk:memory-model-agent
//= vk:memory-model-memory-operation
EventIndex derive_events(Facts& facts) {
  const auto first = static_cast<EventIndex>(facts.size());
  if (first == 0) {
    facts.locations.clear();
    fill_agents(facts);
  }
  extend_events(facts);
  for_each_set(facts, [&](EventSet& set) { set.resize(facts.size()); });
  for (EventIndex e = first; e < facts.size(); ++e) add_to_sets(facts, e);
  extend_locations(facts, first);
  fill_sources(facts);
  return first;
}

}  // namespace heddle::judge
