#include "emulator/memory/synchronization.h"

#include <algorithm>

namespace heddle::memory {

namespace {

// Beyond so many agents the slots of the first ones cost more than they tell.
constexpr std::uint32_t kMostAgentsWithSlots = 128;

// A barrier or atomic of a few agents has a handful of releases to remember.
constexpr std::size_t kMostMet = 64;

// Whether a head, whose own scope in question is `released`, and an agent's operation of the scope `acquired` are in
// each other's. Of several agents none is told apart from others of their instance.
bool in_scope(const Head& head, Scope released, const Agent& agent, Scope acquired) {
  const Scope least = includes(acquired, head.of_several) ? acquired : head.of_several;
  return head.agent == agent.id || (model::same_instance(head.place, agent.place, released) &&
                                    model::same_instance(agent.place, head.place, least));
}

// Whom an older barrier releases to, a later one of the same or more classes and scope does, too.
bool is_superseded(const Head& older, const Operation& barrier) {
  return includes(barrier.scope, older.scope) && has(barrier.semantics, storage_classes(older.semantics)) &&
         fit(older.tags, barrier.tags);
}

std::uint32_t position_in(const Cohort& cohort, AgentId id) {
  return static_cast<std::uint32_t>(id) - static_cast<std::uint32_t>(cohort.first);
}

// What is met at control barriers counts whatever its class.
bool lets_through(const Met& met, MemorySemantics semantics) {
  return met.through_control_barrier || constrains(semantics, met.class_index);
}

}  // namespace

Synchronization::Synchronization() {
  epochs_.fill(1);
  add_free_agent();
  asked_.fill(free_agents_);
}
Synchronization::~Synchronization() = default;

template <typename Visit>
void Synchronization::for_each_agent(Visit visit) {
  for (std::size_t i = 0; i < resident_count_; ++i)
    for (Agent* agent = residents_[i]->made; agent; agent = agent->next) visit(*agent);
}

void Synchronization::restart() {
  while (resident_count_ != 0) end(residents_[resident_count_ - 1]->cohort);
  if (!instances_.empty()) instances_.clear();
  slots_ = 1;
  one_slot_ = has_tags_ = false;
  past_.clear();
  begun_ = 0;
  epochs_.fill(1);
}

unsigned Synchronization::new_slot() {
  if (begun_ == kMostAgentsWithSlots) use_one_slot();
  if (one_slot_ || slots_ == kClockSlots) return 0;
  return slots_++;
}

// Everything so far becomes known to everybody who is there: more order than there was.
void Synchronization::use_one_slot() {
  for_each_agent([&](Agent& agent) {
    agent.own.merge_slots(epochs_[0]);
    agent.slot = 0;
    agent.tagged.reset();
    agent.tags = TagSetId::Empty;
    agent.arrived = {agent.id, 0, 1};
  });
  for (auto& [number, instance] : instances_)
    for (Arrival& arrival : instance.arrivals) arrival.event = {arrival.event.agent, 0, 1};
  for (std::size_t i = 0; i < resident_count_; ++i) residents_[i]->common.knowledge.merge_slots(epochs_[0]);
  snapshots_.merge_slots(epochs_[0]);
  past_.merge_slots(epochs_[0]);
  ++epochs_[0];
  slots_ = 1;
  one_slot_ = true;
}

void Synchronization::begin(const Cohort& cohort) {
  if (resident_count_ == residents_.size()) [[unlikely]]
    add_resident();
  // Mostly it is the next one that somebody asks for.
  last_resident_ = resident_count_++;
  Resident& resident = *residents_[last_resident_];
  resident.cohort = cohort;
  Common& common = resident.common;
  common.tells_others = common.lifted = false;
  common.knowledge.clear();
  if (resident.agents.size() != cohort.count || !common.released.empty() || !common.others.empty() || !past_.empty())
      [[unlikely]]
    renew(resident);
}

void Synchronization::add_resident() {
  residents_.push_back(std::make_unique<Resident>());
}

// Makes the resident as new, with the room that it has.
void Synchronization::renew(Resident& resident) {
  resident.agents.resize(resident.cohort.count);
  resident.common.released.clear();
  resident.common.others.clear();
  resident.common.knowledge = past_;
}

void Synchronization::end(const Cohort& cohort) {
  Resident& ended = *resident(cohort.first);
  while (Agent* const agent = ended.made) {
    if (!agent->like_all) [[unlikely]]
      forget_own(*agent);
    ended.agents[position_in(ended.cohort, agent->id)] = nullptr;
    agent->id = kNobody;
    ended.made = std::exchange(agent->next, free_agents_);
    free_agents_ = agent;
  }
  if (last_resident_ != --resident_count_) std::swap(residents_[last_resident_], residents_[resident_count_]);
  last_resident_ = 0;
  if (somebody_tells_others_) [[unlikely]]
    see_who_tells_others();
}

void Synchronization::forget_own(Agent& agent) {
  agent.released.clear();
  agent.met.clear();
  agent.tagged.reset();
}

void Synchronization::see_who_tells_others() {
  somebody_tells_others_ = false;
  for (std::size_t i = 0; i < resident_count_; ++i)
    if (residents_[i]->common.tells_others) somebody_tells_others_ = true;
}

Synchronization::Resident* Synchronization::find_resident(AgentId id) {
  for (std::size_t i = 0; i < resident_count_; ++i) {
    if (!residents_[i]->cohort.contains(id)) continue;
    last_resident_ = i;
    return residents_[i].get();
  }
  return nullptr;
}

bool Synchronization::is_here(std::uint32_t queue_family, std::uint32_t workgroup) const {
  return std::any_of(residents_.begin(), residents_.begin() + static_cast<std::ptrdiff_t>(resident_count_),
                     [&](const auto& resident) {
                       const model::Place& place = resident->cohort.place;
                       return place.queue_family == queue_family && place.workgroup == workgroup;
                     });
}

Agent* Synchronization::find(AgentId id) {
  if (Agent* const asked = asked_for(id); asked->id == id) return asked;
  Resident* found = resident(id);
  if (!found) return nullptr;
  return found->agents[position_in(found->cohort, id)];
}

Agent& Synchronization::find_or_make(AgentId id) {
  Resident& found = *resident(id);
  const std::uint32_t position = position_in(found.cohort, id);
  Agent* agent = found.agents[position];
  return *(asked_for(id) = agent ? agent : &make(found, position));
}

void Synchronization::add_free_agent() {
  agents_.emplace_back();
  agents_.back().next = std::exchange(free_agents_, &agents_.back());
}

Agent& Synchronization::make(Resident& resident, std::uint32_t position) {
  if (!free_agents_) add_free_agent();
  const unsigned slot = new_slot();
  ++begun_;
  Agent& agent = *free_agents_;
  free_agents_ = std::exchange(agent.next, resident.made);
  resident.agents[position] = resident.made = &agent;
  agent.id = resident.cohort.agent(position);
  agent.place = resident.cohort.place;
  if (!resident.cohort.subgroups.empty()) agent.place.subgroup = resident.cohort.subgroups[position];
  agent.slot = slot;
  agent.cohort = &resident.common;
  agent.like_all = true;
  agent.met_forgotten = false;
  agent.lifted = false;
  agent.stale_reads = 0;
  agent.youngest_placed = 0;
  agent.tags = TagSetId::Empty;
  return agent;
}

void Synchronization::all_synchronize() {
  for (unsigned slot = 0; slot < slots_; ++slot) {
    for (unsigned row = kHappened; row <= kSystemPassed; ++row) past_.learn(row, slot, epochs_[slot]);
    ++epochs_[slot];
  }
}

void Synchronization::be_other(Agent& agent) {
  if (!agent.like_all) return;
  agent.own = agent.cohort->knowledge;
  agent.like_all = false;
  agent.cohort->others.push_back(&agent);
}

Knowledge& Synchronization::changed(Agent& agent) {
  be_other(agent);
  if (agent.tagged) [[unlikely]]
    agent.tagged->changed = true;
  return agent.own;
}

SnapshotHandle Synchronization::snapshot(const Knowledge& known, unsigned slot) {
  SnapshotHandle made = snapshots_.make();
  Knowledge& knowledge = *made;
  knowledge = known;
  knowledge.learn_happened(slot, epochs_[slot]++);
  return made;
}

Head Synchronization::head_of(AgentId agent, const model::Place& place, const Operation& operation,
                              MemorySemantics semantics, SnapshotHandle known) {
  Head head;
  head.agent = agent;
  head.place = place;
  head.scope = operation.scope;
  head.semantics = semantics;
  head.atomic_scope = operation.scope;
  head.number = ++releases_;
  head.tags = operation.tags;
  head.known = std::move(known);
  return head;
}

Head Synchronization::head_of(Agent& agent, const Operation& operation, MemorySemantics semantics) {
  if (agent.tagged) [[unlikely]]
    return tagged_head_of(agent, operation, semantics);
  Head head = head_of(agent.id, agent.place, operation, semantics, snapshot(agent.knowledge(), agent.slot));
  head.of_one = true;
  return head;
}

namespace {

// What all of a workgroup released together at a control barrier each of them has learnt there: only others learn.
bool tells_others(const Head& released_together, Scope atomic) {
  return !includes(Scope::Workgroup, released_together.scope) && !includes(Scope::Workgroup, atomic);
}

}  // namespace

//= vk:memory-model-synchronizes-with
bool Synchronization::carries(AgentId id, StorageClass storage_class, Scope scope) {
  if (!somebody_tells_others_) return false;
  const Resident& found = *resident(id);
  const unsigned k = class_index_of(storage_class);
  const Agent* agent = found.agents[position_in(found.cohort, id)];
  const std::vector<Head>& together = found.common.released;
  if (!found.common.tells_others) return false;
  return (agent && std::any_of(agent->released.begin(), agent->released.end(),
                               [&](const Head& own) { return constrains(own.semantics, k); })) ||
         std::any_of(together.begin(), together.end(),
                     [&](const Head& head) { return constrains(head.semantics, k) && tells_others(head, scope); });
}

//= vk:memory-model-synchronizes-with
void Synchronization::add_heads(Agent& agent, const Operation& write, MemorySemantics semantics,
                                std::vector<Head>& heads) {
  const unsigned k = class_index_of(write.storage_class);
  const auto carry = [&](const Head& barrier) {
    heads.push_back(barrier);
    heads.back().agent = agent.id;
    heads.back().place = agent.place;
    heads.back().atomic_scope = write.scope;
  };
  for (const Head& own : agent.released)
    if (constrains(own.semantics, k)) carry(own);
  for (const Head& head : agent.cohort->released)
    if (constrains(head.semantics, k) && tells_others(head, write.scope)) carry(head);
  if (releases(semantics)) heads.push_back(head_of(agent, write, semantics));
}

void Synchronization::learn(Knowledge& knowledge, const Head& head, MemorySemantics semantics, CacheLevel apart) {
  knowledge.learn_from(*head.known, constrained_classes(head.semantics & semantics), apart);
}

void Synchronization::learn(Agent& agent, const Head& head, MemorySemantics semantics) {
  learn(changed(agent), head, semantics, head.of_one ? apart(head.place, agent.place) : CacheLevel::Agent);
}

void Synchronization::learn_everything(Agent& agent, MemorySemantics semantics) {
  Knowledge& knowledge = changed(agent);
  for (unsigned slot = 0; slot < slots_; ++slot)
    knowledge.learn_everything(constrained_classes(semantics), slot, epochs_[slot]++);
}

void Synchronization::remember(Agent& agent, Met met) {
  be_other(agent);
  for (const Met& known : agent.met)
    if (known.head.known == met.head.known && known.class_index == met.class_index &&
        known.through_control_barrier == met.through_control_barrier &&
        known.head.atomic_scope == met.head.atomic_scope)
      return;
  if (agent.met.size() == kMostMet) {
    learn_whatever_tags(agent, agent.met.front().head);
    agent.met.erase(agent.met.begin());
  }
  agent.met.push_back(std::move(met));
}

// Later acquires have nothing to learn of a release that an acquire learned whole, and that fits everything.
void Synchronization::met(Agent& agent, const Met& met, Scope scope, MemorySemantics semantics) {
  const Head& head = met.head;
  if (acquires(semantics) && in_scope(head, head.scope, agent, scope)) {
    learn(agent, head, semantics);
    if (has(semantics, storage_classes(head.semantics)) && agent.tags == TagSetId::Empty) return;
  }
  remember(agent, met);
}

//= vk:memory-model-synchronizes-with
void Synchronization::meet(Agent& agent, const Operation& read, MemorySemantics semantics,
                           const std::vector<Head>& heads) {
  for (const Head& head : heads) {
    if (head.agent == agent.id) continue;
    if (!in_scope(head, head.atomic_scope, agent, read.scope)) continue;
    met(agent, {head, class_index_of(read.storage_class), false}, read.scope, semantics);
  }
}

void Synchronization::meet_forgotten(Agent& agent, MemorySemantics semantics) {
  if (acquires(semantics)) learn_everything(agent, semantics);
  be_other(agent);
  agent.met_forgotten = true;
}

void Synchronization::supersede(std::vector<Head>& released, const Operation& barrier) {
  std::erase_if(released, [&](const Head& older) { return is_superseded(older, barrier); });
}

std::vector<Head> Synchronization::released_by(const Agent& agent) const {
  std::vector<Head> released = agent.released;
  for (Head head : agent.cohort->released) {
    head.agent = agent.id;
    head.place = agent.place;
    released.push_back(std::move(head));
  }
  return released;
}

void Synchronization::release_barrier(Agent& agent, const Operation& barrier) {
  be_other(agent);
  supersede(agent.released, barrier);
  agent.released.push_back(head_of(agent, barrier, barrier.semantics));
  note_release(agent);
}

void Synchronization::acquire_barrier(Agent& agent, const Operation& barrier) {
  for (const Met& met : agent.met) {
    const Head& head = met.head;
    if (lets_through(met, barrier.semantics) && in_scope(head, head.scope, agent, barrier.scope))
      learn(agent, head, barrier.semantics);
  }
  if (agent.met_forgotten) learn_everything(agent, barrier.semantics);
}

// Agents of the crowd in slot 0 know each other's releases anyhow, so that those who release in the
// same way are one group.
bool Synchronization::joins_group(const Group& group, const Agent& agent, const Operation& barrier) const {
  return group.of_crowd && group.head.known && group.barriers.empty() && group.head.scope == barrier.scope &&
         group.head.semantics == barrier.semantics && group.head.tags == barrier.tags && !agent.tagged &&
         (includes(barrier.scope, Scope::Workgroup) || group.head.place == agent.place);
}

/// What an agent that knows `more` releases, too.
void Synchronization::join_released(Knowledge& known, const Knowledge& more) {
  known.join_all(more);
}

// Where slots tell agents apart, or the barrier does not reach all of them, or orders one way only, or
// an agent released something before that it has to pass on, each agent is looked at.
Common* Synchronization::common_of(const Cohort& cohort, const Operation& barrier) {
  if (!one_slot_ || !includes(barrier.scope, Scope::Workgroup) || !acquires(barrier.semantics) ||
      !releases(barrier.semantics))
    return nullptr;
  const auto all_superseded = [&](const std::vector<Head>& released) {
    return std::all_of(released.begin(), released.end(),
                       [&](const Head& older) { return is_superseded(older, barrier); });
  };
  Common& common = resident(cohort.first)->common;
  if (!all_superseded(common.released)) return nullptr;
  for (const Agent* agent : common.others)
    if (!all_superseded(agent->released)) return nullptr;
  return &common;
}

//= vk:memory-model-synchronizes-with
void Synchronization::meet_together(Common& common, const Cohort& cohort, const Operation& barrier) {
  const MemorySemantics semantics = barrier.semantics;
  const CacheLevel level = cache_of(barrier.scope);
  const bool visible = has(semantics, MemorySemantics::MakeVisible);
  for (Agent* agent : common.others) acquire_barrier(*agent, barrier);
  Head head = head_of(cohort.first, cohort.place_of(0), barrier, semantics, snapshot(common.knowledge, 0));
  for (const Agent* agent : common.others) join_released(*head.known, agent->own);

  learn(common.knowledge, head, semantics, CacheLevel::Agent);
  if (visible) make_visible(common.knowledge, 0, level, semantics);
  std::erase_if(common.others, [&](Agent* agent) {
    learn(agent->own, head, semantics, CacheLevel::Agent);
    if (visible) make_visible(agent->own, 0, level, semantics);
    agent->released.clear();
    agent->like_all = agent->met.empty() && !agent->met_forgotten && agent->own == common.knowledge;
    return agent->like_all;
  });
  common.released.assign(1, std::move(head));
  common.tells_others = !includes(Scope::Workgroup, barrier.scope);
  see_who_tells_others();
}

// The barrier itself is a release barrier for what comes after it, too.
void Synchronization::arrive(Agent& agent, const Operation& barrier, trace::OperationIndex index) {
  Instance& instance = instances_[barrier.barrier_instance];
  const bool releasing = releases(barrier.semantics);
  // What it has in common with its cohort, which it does not meet here, it has for its own now.
  be_other(agent);
  std::vector<Head> before = released_by(agent);
  if (releasing) {
    supersede(agent.released, barrier);
    supersede(before, barrier);
  }
  const auto group_count = static_cast<std::uint32_t>(instance.groups.size());
  std::uint32_t group = releasing || !before.empty() ? group_count : kNoGroup;
  if (releasing && agent.slot == 0 && before.empty() && !agent.tagged) {
    for (group = 0; group < group_count; ++group)
      if (joins_group(instance.groups[group], agent, barrier)) break;
  }
  if (group == group_count) {
    instance.groups.emplace_back();
    instance.groups.back().barriers = std::move(before);
    instance.groups.back().of_crowd = agent.slot == 0 && !agent.tagged;
    if (releasing) {
      instance.groups.back().head = head_of(agent, barrier, barrier.semantics);
      // Others may join the group.
      instance.groups.back().head.of_one = !instance.groups.back().of_crowd;
    }
  } else if (group != kNoGroup) {
    Knowledge& known = *instance.groups[group].head.known;
    join_released(known, agent.knowledge());
    known.learn_happened(0, epochs_[0]++);
  }
  agent.arrival = index;
  // The epoch of this arrival: its release has just ended it.
  const std::uint32_t epoch = epochs_[agent.slot] - (releasing ? 1 : 0);
  agent.arrived = {agent.id, agent.slot, epoch, agent.tags};
  instance.arrivals.push_back({agent.arrived, index, group, barrier.scope, barrier.semantics});
  const Arrival& first = instance.arrivals.front();
  instance.different = instance.different || first.scope != barrier.scope || first.semantics != barrier.semantics;
  instance.alike = instance.alike && !instance.different;
  if (!releasing) return;
  note_release(agent);
  agent.released.push_back(instance.groups[group].head);
  agent.released.back().agent = agent.id;
  agent.released.back().place = agent.place;
  // The first one of the group came to it before.
  agent.released.back().number = ++releases_;
}

// Where one of a group's agents is out of reach and another is not, the group counts as in reach.
//= vk:memory-model-synchronizes-with
void Synchronization::release_to_passing(const Group& group, Agent& agent, const Operation& barrier) {
  if (group.head.known) met(agent, {group.head, kAnyClass, true}, barrier.scope, barrier.semantics);
  for (const Head& head : group.barriers) met(agent, {head, kAnyClass, true}, barrier.scope, barrier.semantics);
}

Synchronization::Passage Synchronization::leave(Agent& agent, const Operation& barrier,
                                                std::span<const AgentId> synchronizing) {
  const auto found = instances_.find(barrier.barrier_instance);
  Instance& instance = found->second;
  Passage passage;
  passage.arrival = agent.arrival;
  passage.alike = instance.alike;
  if (synchronizing.empty()) {
    for (const Group& group : instance.groups) release_to_passing(group, agent, barrier);
  }
  for (const AgentId id : synchronizing) {
    const Arrival& arrival = instance.arrival_of(id);
    passage.synchronizing.push_back(arrival.index);
    if (arrival.group != kNoGroup) release_to_passing(instance.groups[arrival.group], agent, barrier);
  }
  instance.kept = instance.kept || !synchronizing.empty();
  return passage;
}

// Leaves to later what was known before the first left a barrier whose arrivals differ: see pass_on.
void Synchronization::leave_to_later(const Agent& agent, const Operation& barrier) {
  const auto found = instances_.find(barrier.barrier_instance);
  Instance& instance = found->second;
  if (instance.alike || instance.kept) {
    const std::uint32_t group = instance.arrival_of(agent.id).group;
    if (group != kNoGroup && instance.groups[group].head.known)
      join_released(*instance.groups[group].head.known, agent.knowledge());
  }
  if (++instance.left == instance.arrivals.size() && !instance.kept) instances_.erase(found);
}

std::vector<Synchronization::Arrival> Synchronization::different_arrivals(std::uint64_t barrier_instance) {
  Instance& instance = instances_[barrier_instance];
  if (!instance.different) return {};
  instance.different = false;
  return instance.arrivals;
}

void Synchronization::pass_on(const Arrival& arrival, const Operation& barrier) {
  Agent& passing = agent(arrival.event.agent);
  if (has_tags_) use_tags(passing, arrival.event.tags);
  Instance& instance = instances_[barrier.barrier_instance];
  for (const Group& group : instance.groups) release_to_passing(group, passing, barrier);
  if (arrival.group == kNoGroup) return;
  SnapshotHandle& known = instance.groups[arrival.group].head.known;
  if (!known) return;
  (*known).join_happened(passing.knowledge());
  (*known).join_chains(passing.knowledge());
}

void Synchronization::system_synchronizes(AgentId first_id, AgentId second_id) {
  Agent& first = agent(first_id);
  Agent& second = agent(second_id);
  // No program order comes in here, so that it counts whatever the tags.
  if (second.tagged) use_tags(second, TagSetId::Empty);
  const SnapshotHandle known = snapshot_of_all(first);
  Knowledge& knowledge = changed(second);
  knowledge.join_happened(*known);
  knowledge.learn_chains(*known, apart(first.place, second.place));
  for_each_slot(first, [&](unsigned slot) {
    knowledge.learn(kSystem, slot, epochs_[slot] - 1);
    knowledge.learn(kSystemPassed, slot, epochs_[slot] - 1);
  });
}

// Each element of a visibility chain includes the read, by its class.
//= vk:memory-model-availability-visibility
void Synchronization::make_visible(Agent& agent, Scope scope, MemorySemantics classes) {
  make_visible(changed(agent), agent.slot, cache_of(scope), classes);
  if (agent.tagged) [[unlikely]]
    see_own(agent, cache_of(scope));
}

void Synchronization::make_visible(Knowledge& knowledge, unsigned slot, CacheLevel level, MemorySemantics classes) {
  if (level != CacheLevel::Agent) knowledge.make_visible(level, constrained_classes(classes), slot, epochs_[slot]);
}

void Synchronization::make_device_visible(Agent& agent) {
  if (agent.tagged) [[unlikely]]
    return make_device_visible_by_tags(agent);
  Knowledge& knowledge = changed(agent);
  knowledge.make_device_visible(knowledge);
  knowledge.learn(kDeviceVisible, agent.slot, epochs_[agent.slot]);
}

}  // namespace heddle::memory
