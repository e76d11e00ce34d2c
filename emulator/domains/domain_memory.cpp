#include "emulator/domains/domain_memory.h"

#include <heddle/detail/check.h>

#include <algorithm>

#include "emulator/model/access_scope.h"

namespace heddle::domains {
namespace {

constexpr std::uint32_t kGranuleBytes = 8;

bool contains(const std::vector<ReferenceId>& list, ReferenceId reference) {
  return std::find(list.begin(), list.end(), reference) != list.end();
}

/// Whether an access makes itself available, or what it reads visible, beyond its own agent.
//= vk:memory-model-instruction-av-vis
bool offers_itself(const Operation& write) {
  if (write.atomic) return write.scope != Scope::Invocation;
  return has(write.operands, MemoryOperands::MakePointerAvailable) && write.available_scope != Scope::Invocation;
}
bool looks_beyond_itself(const Operation& read) {
  if (read.atomic) return read.scope != Scope::Invocation;
  return has(read.operands, MemoryOperands::MakePointerVisible) && read.visible_scope != Scope::Invocation;
}

}  // namespace

// --- Agents, and the order between them ---

void DomainMemory::host(std::shared_ptr<const model::HostSide> side) {
  side_ = std::move(side);
  find_followers();
}

//= vk:memory-model-system-synchronizes-with
void DomainMemory::stages_in_order(std::span<const model::AgentPair> interlock,
                                   std::span<const model::AgentPair> inputs) {
  interlock_.assign(interlock.begin(), interlock.end());
  inputs_.assign(inputs.begin(), inputs.end());
}

//= sync:synchronization-dependencies-chains
void DomainMemory::find_followers() {
  followers_.clear();
  const auto add = [&](AgentId first, AgentId second) {
    const auto index = static_cast<std::size_t>(first);
    if (followers_.size() <= index) followers_.resize(index + 1);
    followers_[index].push_back(second);
  };
  const model::HostSide& side = model::host_side(side_);
  for (const model::Dependency& dependency : side.dependencies) {
    for (const model::Command& command : side.commands) {
      if (model::comes_before(command, dependency)) add(command.agent, dependency.agent);
      if (model::comes_after(dependency, command)) add(dependency.agent, command.agent);
    }
    for (const model::Dependency& later : side.dependencies)
      if (&later != &dependency && makes_chain(dependency, later)) add(dependency.agent, later.agent);
  }
}

void DomainMemory::restart() {
  now_ = 0;
  told_ = 0;
  agents_.clear();
  writes_.clear();
  granules_.clear();
  storage_.clear();
  first_granule_.clear();
  shown_.clear();
  handed_.clear();
  meetings_.clear();
  calls_.clear();
  interlock_.clear();
  inputs_.clear();
  served_.reset();
}

void DomainMemory::begin(const memory::Cohort& cohort) {
  const std::size_t end = static_cast<std::size_t>(cohort.first) + cohort.count;
  if (agents_.size() < end) agents_.resize(end);
  for (std::uint32_t i = 0; i < cohort.count; ++i) agent(cohort.agent(i)).place = cohort.place_of(i);
  if (listener_) listener_->agents_begin(cohort.first, cohort.count, cohort.place, cohort.subgroups);
}

void DomainMemory::end(const memory::Cohort& cohort) {
  for (std::uint32_t i = 0; i < cohort.count; ++i) {
    const auto index = static_cast<std::size_t>(cohort.agent(i));
    for (const auto& [first, second] : inputs_)
      if (first == cohort.agent(i)) comes_before(first, second);
    if (index >= followers_.size()) continue;
    for (const AgentId follower : followers_[index]) comes_before(cohort.agent(i), follower);
  }
  if (listener_) listener_->agents_end(cohort.first, cohort.count);
}

//= vk:memory-model-system-synchronizes-with
void DomainMemory::comes_before(AgentId first, AgentId second) {
  agent(second).knowledge.learn_by_system(agent(first).knowledge);
}

void DomainMemory::comes_before(trace::OperationIndex call, AgentId second) {
  agent(second).knowledge.learn_by_system(calls_.at(call));
}

void DomainMemory::system_synchronizes(AgentId first, AgentId second) {
  comes_before(first, second);
  if (listener_) listener_->system_synchronizes(first, second);
}

// Programs that have a host's side say each dependency themselves.
void DomainMemory::depend(memory::Dependency) {
  HEDDLE_CHECK(false, "a memory with domains was given a dependency between all agents");
}

void DomainMemory::add(AllocationId allocation, std::span<std::byte> storage) {
  const auto index = static_cast<std::size_t>(allocation);
  if (storage_.size() <= index) {
    storage_.resize(index + 1);
    first_granule_.resize(index + 1);
  }
  storage_[index] = storage;
  first_granule_[index] = static_cast<std::uint32_t>(granules_.size());
  for (std::size_t at = 0; at < storage.size(); at += kGranuleBytes) {
    Granule& granule = granules_.emplace_back();
    granule.allocation = allocation;
    granule.offset_bytes = at;
    granule.size_bytes = static_cast<std::uint32_t>(std::min<std::size_t>(kGranuleBytes, storage.size() - at));
    granule.first = memory::load_value(storage.data() + at, granule.size_bytes);
  }
}

std::uint32_t DomainMemory::granule_of(const Locations& bytes) const {
  return first_granule_[static_cast<std::size_t>(bytes.allocation)] +
         static_cast<std::uint32_t>(bytes.offset_bytes / kGranuleBytes);
}

//= sync:synchronization-host-access-types
bool DomainMemory::is_coherent(AllocationId allocation) const {
  const std::vector<AllocationId>& coherent = model::host_side(side_).coherent;
  return std::find(coherent.begin(), coherent.end(), allocation) != coherent.end();
}

// --- What an access has to know of ---

// What the agent itself met through this reference, what reads met that happened before, and what is there for it.
//= vk:memory-model-location-ordered
Position DomainMemory::floor_of(const Granule& granule, const Operation& access) const {
  const Agent& who = agents_[static_cast<std::size_t>(access.agent)];
  const auto own = who.own.find(access.reference);
  for (Position at = granule.newest(); at > 0; --at) {
    const std::uint32_t number = granule.order[at - 1];
    if (own != who.own.end() && own->second.has(number)) return at;
    if (who.knowledge.met.has(number)) return at;
    const Write& write = writes_[number];
    if (who.place.is_host() ? host_must_know(write, number, access) : device_must_know(write, number, access))
      return at;
  }
  return 0;
}

// Between two threads of the host its language's order is enough. A write of the device has to be in the host domain,
// and a read of memory that is not coherent has to come behind an invalidation.
//= vk:memory-model-location-ordered
//= vk:memory-model-vulkan-availability-visibility
bool DomainMemory::host_must_know(const Write& write, std::uint32_t number, const Operation& access) const {
  const Knowledge& known = agents_[static_cast<std::size_t>(access.agent)].knowledge;
  if (write.by_host) return known.happened.has(number);
  if (!known.in_host.has(number)) return false;
  if (access.writes() || is_coherent(access.locations.allocation)) return true;
  bool shown = false;
  known.shown.for_each([&](std::uint32_t one) {
    const Shown& showing = shown_[one];
    shown = shown || (showing.on_host && showing.writes.has(number) && is_in(showing.range, access.locations));
  });
  return shown;
}

//= vk:memory-model-location-ordered
//= vk:memory-model-tessellation-output-ordering
bool DomainMemory::device_must_know(const Write& write, std::uint32_t number, const Operation& access) const {
  const Agent& who = agents_[static_cast<std::size_t>(access.agent)];
  const Knowledge& known = who.knowledge;
  if (is_input_from(write, access)) return true;
  // Outputs of tessellation control shaders are ordered by a barrier whatever it names, private accesses, too.
  const auto is_output = [&](const Operation& one) {
    return one.storage_class == StorageClass::Output && orders_outputs(agents_[static_cast<std::size_t>(one.agent)]);
  };
  if (is_output(write.operation) && is_output(access) && known.in_shaders.has(number)) return true;
  if (!write.by_host && write.operation.is_non_private() && access.is_non_private() &&
      write.operation.reference == access.reference) {
    const bool looks = access.writes() || looks_beyond_itself(access) || who.made_visible.has(number);
    if (looks && known.offered.has(number)) return true;
  }
  if (!known.in_device.has(number)) return false;
  if (access.writes()) return true;
  bool shown = false;
  known.shown.for_each([&](std::uint32_t one) { shown = shown || is_shown_to(write, number, access, shown_[one]); });
  return shown;
}

//= vk:memory-model-vulkan-availability-visibility
bool DomainMemory::is_shown_to(const Write& write, std::uint32_t number, const Operation& read,
                               const Shown& shown) const {
  if (shown.on_host || !shown.writes.has(number)) return false;
  if (shown.dependency && !shown.dependency->visible.of_device) {
    const model::Command* const command = model::command_of(*side_, read.agent);
    if (command == nullptr || !makes_visible(*side_, *shown.dependency, *command, read)) return false;
  }
  if (!needs_transfer(write, read)) return true;
  const auto owned = shown.owned.find(agents_[static_cast<std::size_t>(read.agent)].place.queue_family);
  return owned != shown.owned.end() && owned->second.has(number);
}

// The outputs of an invocation are there for the inputs of those that it contributed to.
//= vk:memory-model-shader-io
bool DomainMemory::is_input_from(const Write& write, const Operation& read) const {
  if (write.operation.storage_class != StorageClass::Output || read.storage_class != StorageClass::Input) return false;
  return std::find(inputs_.begin(), inputs_.end(), model::AgentPair{write.operation.agent, read.agent}) !=
             inputs_.end() &&
         agents_[static_cast<std::size_t>(read.agent)].place.stage != model::Stage::Vertex;
}

// A write by one queue family to an exclusive buffer, and a read by another.
bool DomainMemory::needs_transfer(const Write& write, const Operation& read) const {
  const std::vector<ReferenceId>& exclusive = model::host_side(side_).exclusive;
  if (!contains(exclusive, write.operation.reference) && !contains(exclusive, read.reference)) return false;
  if (write.by_host || model::command_of(*side_, write.operation.agent) == nullptr) return false;
  const auto family = [&](AgentId id) { return agents_[static_cast<std::size_t>(id)].place.queue_family; };
  return family(write.operation.agent) != family(read.agent);
}

// --- What an access is shown ---

bool DomainMemory::reaches(const Write& write, const Operation& access) const {
  if (write.operation.agent == access.agent && write.operation.reference == access.reference) return true;
  return is_on_host(access.agent) ? write.reaches_host : write.reaches_device;
}

Position DomainMemory::newest_for(const Granule& granule, const Operation& access, Position floor) const {
  for (Position at = granule.newest(); at > floor; --at)
    if (reaches(writes_[granule.order[at - 1]], access)) return at;
  return floor;
}

// The host's cache has one copy of memory that is not coherent, and in front of it stores of other threads wait;
// elsewhere any copy may have been kept.
Position DomainMemory::choose(Granule& granule, const Operation& read, Position floor, Position newest) {
  Agent& reader = agent(read.agent);
  std::vector<Position> kept{floor};
  const bool cached = is_on_host(read.agent) && !is_coherent(granule.allocation);
  if (cached) {
    const Position copy = granule.in_host_cache.empty() ? 0 : granule.behind(granule.in_host_cache.front());
    kept.front() = std::max(floor, copy);
    for (Position at = kept.front(); at > floor && writes_[granule.order[at - 1]].by_host; --at)
      kept.insert(kept.begin(), at - 1);
  } else {
    for (Position at = floor + 1; at < newest; ++at)
      if (reaches(writes_[granule.order[at - 1]], read)) kept.push_back(at);
  }
  if (kept.front() >= newest) return kept.front();
  const bool stale = draws_.chance(policy_.stale) && reader.stale_reads < policy_.most_stale;
  if (!stale) {
    reader.stale_reads = 0;
    return newest;
  }
  if (policy_.oldest) {
    ++reader.stale_reads;
    return kept.front();
  }
  kept.push_back(newest);
  const Position chosen = kept[draws_.below(static_cast<std::uint32_t>(kept.size()))];
  reader.stale_reads = chosen == newest ? 0 : reader.stale_reads + 1;
  return chosen;
}

// All of an atom (nonCoherentAtomSize) comes at once.
//= sync:memory-device-hostaccess
void DomainMemory::fill_host_cache(const Granule& granule) {
  const auto fill = [&](AllocationId allocation) {
    for (Granule& one : granules_) {
      if (one.allocation != allocation) continue;
      for (Position at = one.newest(); at > 0; --at) {
        if (!writes_[one.order[at - 1]].reaches_host) continue;
        one.in_host_cache.assign(1, one.order[at - 1]);
        break;
      }
    }
  };
  fill(granule.allocation);
  for (const std::vector<AllocationId>& atom : model::host_side(side_).atoms)
    if (std::find(atom.begin(), atom.end(), granule.allocation) != atom.end())
      for (const AllocationId allocation : atom) fill(allocation);
}

trace::Value DomainMemory::look(const Granule& granule, const Operation& access, Position position, Position floor) {
  const trace::Value mask = mask_of(access.locations, granule);
  std::vector<std::uint32_t> writer_of(kGranuleBytes, ~std::uint32_t{0});
  trace::Value value = granule.first;
  for (Position at = 1; at <= position; ++at) {
    const std::uint32_t number = granule.order[at - 1];
    const Write& write = writes_[number];
    if (at > floor && at != position && !reaches(write, access)) continue;
    const trace::Value bytes = mask_of(write.operation.locations, granule);
    value = (value & ~bytes) | ((write.value << shift_of(write.operation.locations, granule)) & bytes);
    for (std::uint32_t byte = 0; byte < kGranuleBytes; ++byte)
      if (((bytes >> (byte * 8)) & 0xff) != 0) writer_of[byte] = number;
  }
  sources_.clear();
  found_.clear();
  const auto first = static_cast<std::uint32_t>(access.locations.offset_bytes - granule.offset_bytes);
  for (std::uint32_t byte = first; byte < first + access.locations.size_bytes; ++byte) {
    const std::uint32_t number = writer_of[byte];
    if (byte != first && number == writer_of[byte - 1]) {
      ++sources_.back().bytes.size_bytes;
      continue;
    }
    const bool written = number != ~std::uint32_t{0};
    sources_.push_back(
        {{granule.allocation, granule.offset_bytes + byte, 1}, written ? writes_[number].index : model::kInitialValue});
    if (written) found_.push_back(number);
  }
  return (value & mask) >> shift_of(access.locations, granule);
}

void DomainMemory::note_met(Agent& reader, const Granule& granule, const Operation& read, Position position) {
  if (position == 0) return;
  reader.own[read.reference].add(granule.order[position - 1]);
  reader.knowledge.met.add(granule.order[position - 1]);
}

void DomainMemory::read(const Operation& operation, void* value) {
  tick();
  Agent& reader = agent(operation.agent);
  Granule& granule = granules_[granule_of(operation.locations)];
  const Position floor = floor_of(granule, operation);
  const Position newest = newest_for(granule, operation, floor);
  Position position = 0;
  if (served_) {
    const auto at = std::find_if(granule.order.begin(), granule.order.end(),
                                 [&](std::uint32_t number) { return writes_[number].index == *served_; });
    position = at == granule.order.end() ? 0 : static_cast<Position>(at - granule.order.begin()) + 1;
    served_.reset();
  } else {
    position = choose(granule, operation, floor, newest);
  }
  const trace::Value found = look(granule, operation, position, floor);
  memory::store_value(value, found, operation.locations.size_bytes);
  const trace::OperationIndex index = tell(operation, found, 0);
  if (position < newest && listener_)
    listener_->stale(index, writes_[granule.order[newest - 1]].index, trace::CacheLevel::Agent);
  note_met(reader, granule, operation, position);
  if (operation.atomic)
    for (const std::uint32_t number : found_) acquire(reader, operation, writes_[number]);
  if (operation.atomic && acquires(operation.semantics) && has(operation.semantics, MemorySemantics::MakeVisible))
    reader.made_visible |= reader.knowledge.offered;
  if (position == newest && is_on_host(operation.agent) && !is_coherent(granule.allocation)) fill_host_cache(granule);
}

// A write comes behind all that its agent knows of. What others write without knowing of it may come before it.
Position DomainMemory::place_for(const Granule& granule, const Operation& write, Position floor) {
  constexpr std::uint32_t kSeldom = 2;
  const Position newest = granule.newest();
  if (by_hand_ || write.atomic || floor == newest || !draws_.chance(policy_.delay / kSeldom)) return newest;
  std::vector<Position> places;
  for (Position at = floor; at <= newest; ++at)
    if (at == newest || !writes_[granule.order[at]].follows) places.push_back(at);
  return places[draws_.below(static_cast<std::uint32_t>(places.size()))];
}

std::uint32_t DomainMemory::put(const Operation& operation, trace::Value value, Position position,
                                std::vector<Head> heads, bool follows) {
  Agent& writer = agent(operation.agent);
  const auto number = static_cast<std::uint32_t>(writes_.size());
  Write& write = writes_.emplace_back();
  write.operation = operation;
  write.index = told_ - 1;
  write.value = value;
  write.granule = granule_of(operation.locations);
  write.by_host = is_on_host(operation.agent);
  write.follows = follows;
  write.issued = now_;
  write.heads = std::move(heads);
  Granule& granule = granules_[write.granule];
  granule.order.insert(granule.order.begin() + position, number);
  writer.own[operation.reference].add(number);
  writer.knowledge.happened.add(number);
  writer.knowledge.in_shaders.add(number);
  if (write.by_host) {
    write.reaches_host = true;
    if (is_coherent(granule.allocation)) {
      writer.knowledge.in_host.add(number);
    } else {
      granule.in_host_cache.assign(1, number);
    }
  } else if (offers_itself(operation)) {
    writer.knowledge.offered.add(number);
    move(number, false, trace::MoveReason::Atomic);
  } else if (!draws_.chance(policy_.delay)) {
    move(number, false, trace::MoveReason::Eviction);
  }
  if (operation.atomic && listener_) listener_->placed(write.index);
  return number;
}

void DomainMemory::write(const Operation& operation, const void* value) {
  tick();
  Agent& writer = agent(operation.agent);
  const Granule& granule = granules_[granule_of(operation.locations)];
  const Position position = place_for(granule, operation, floor_of(granule, operation));
  const trace::Value written = memory::load_value(value, operation.locations.size_bytes);
  if (operation.atomic) release(writer, operation);
  std::vector<Head> heads;
  if (operation.atomic) heads = heads_of(writer, operation);
  tell(operation, 0, written);
  put(operation, written, position, std::move(heads), false);
}

// An update takes the newest state.
//= vk:memory-model-scoped-modification-order-coherence
void DomainMemory::read_modify_write(const Operation& operation, MemorySemantics unequal, memory::Modify modify,
                                     void* context) {
  tick();
  Agent& updater = agent(operation.agent);
  Granule& granule = granules_[granule_of(operation.locations)];
  const Position newest = granule.newest();
  for (const std::uint32_t number : granule.order) move(number, is_on_host(operation.agent), trace::MoveReason::Atomic);
  served_.reset();
  trace::Value old = look(granule, operation, newest, newest);
  trace::Value fresh = 0;
  Operation done = operation;
  if (!modify(context, &old, &fresh)) {
    done.kind = OperationKind::Read;
    done.semantics = unequal;
  }
  fresh = memory::load_value(&fresh, operation.locations.size_bytes);
  note_met(updater, granule, done, newest);
  for (const std::uint32_t number : found_) acquire(updater, done, writes_[number]);
  const std::vector<std::uint32_t> read = found_;
  if (done.kind == OperationKind::Read) {
    tell(done, old, 0);
  } else {
    release(updater, done);
    std::vector<Head> heads = heads_of(updater, done);
    for (const std::uint32_t number : read)
      heads.insert(heads.end(), writes_[number].heads.begin(), writes_[number].heads.end());
    tell(done, old, fresh);
    put(done, fresh, newest, std::move(heads), newest != 0);
  }
  if (acquires(done.semantics) && has(done.semantics, MemorySemantics::MakeVisible))
    updater.made_visible |= updater.knowledge.offered;
}

trace::OperationIndex DomainMemory::tell(const Operation& operation, trace::Value read, trace::Value written) {
  if (!operation.reads()) sources_.clear();
  if (listener_) listener_->operation(told_, operation, read, written, sources_);
  return told_++;
}

void DomainMemory::settle() {
  for (std::uint32_t number = 0; number < writes_.size(); ++number) {
    move(number, false, trace::MoveReason::Flush);
    move(number, true, trace::MoveReason::Flush);
  }
  for (const Granule& granule : granules_) {
    trace::Value value = granule.first;
    for (const std::uint32_t number : granule.order) {
      const Operation& write = writes_[number].operation;
      const trace::Value bytes = mask_of(write.locations, granule);
      value = (value & ~bytes) | ((writes_[number].value << shift_of(write.locations, granule)) & bytes);
    }
    memory::store_value(storage_[static_cast<std::size_t>(granule.allocation)].data() + granule.offset_bytes, value,
                        granule.size_bytes);
  }
}

}  // namespace heddle::domains
