#include "emulator/memory/synchronization.h"

#include <algorithm>

namespace heddle::memory {

namespace {

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

// Forgets the releases that say no more than the barrier does.
void supersede(std::vector<Head>& released, const Operation& barrier) {
  std::erase_if(released, [&](const Head& older) { return is_superseded(older, barrier); });
}

// What is met at control barriers counts whatever its class.
bool lets_through(const Met& met, MemorySemantics semantics) {
  return met.through_control_barrier || constrains(semantics, met.class_index);
}

}  // namespace

void Synchronization::restart() {
  residents_.end_all();
  somebody_tells_others_ = false;
  if (!instances_.empty()) instances_.clear();
  slots_ = 1;
  one_slot_ = has_tags_ = false;
  past_.clear();
  begun_ = 0;
  epochs_.fill(1);
}

unsigned Synchronization::new_slot() {
  if (begun_++ == limits_.agents) use_one_slot();
  if (one_slot_ || slots_ == limits_.slots) return 0;
  return slots_++;
}

// Everything so far becomes known to everybody who is there: more order than there was.
void Synchronization::use_one_slot() {
  residents_.for_each_agent([&](Agent& agent) {
    agent.own.merge_slots(epochs_[0]);
    agent.slot = 0;
    agent.tagged.reset();
    agent.tags = TagSetId::Empty;
    agent.arrived = {agent.id, 0, 1};
  });
  for (auto& [number, instance] : instances_)
    for (Arrival& arrival : instance.arrivals) arrival.event = {arrival.event.agent, 0, 1};
  residents_.for_each([&](auto& resident) { resident.common.knowledge.merge_slots(epochs_[0]); });
  snapshots_.merge_slots(epochs_[0]);
  past_.merge_slots(epochs_[0]);
  ++epochs_[0];
  slots_ = 1;
  one_slot_ = true;
}

void Synchronization::begin(const Cohort& cohort) {
  residents_.begin(cohort, past_);
}

void Synchronization::end(const Cohort& cohort) {
  residents_.end(cohort);
  if (somebody_tells_others_) [[unlikely]]
    see_who_tells_others();
}

void Synchronization::see_who_tells_others() {
  somebody_tells_others_ = false;
  residents_.for_each(
      [&](const auto& resident) { somebody_tells_others_ = somebody_tells_others_ || resident.common.tells_others; });
}

Agent& Synchronization::find_or_make(AgentId id) {
  Residents::Resident& resident = *residents_.of(id);
  Agent* const made = resident.find(id);
  return *(residents_.asked_for(id) = made ? made : &residents_.make(resident, id, new_slot()));
}

void Synchronization::all_synchronize() {
  for (unsigned slot = 0; slot < slots_; ++slot) {
    for (unsigned row = kHappened; row <= kSystemPassed; ++row) past_.learn(row, slot, epochs_[slot]);
    ++epochs_[slot];
  }
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
  const Residents::Resident& found = *residents_.of(id);
  const unsigned k = class_index_of(storage_class);
  const Agent* const agent = found.find(id);
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

void Synchronization::learn_everything(Agent& agent, MemorySemantics semantics) {
  Knowledge& knowledge = agent.changed();
  for (unsigned slot = 0; slot < slots_; ++slot)
    knowledge.learn_everything(constrained_classes(semantics), slot, epochs_[slot]++);
}

// Later acquires have nothing to learn of a release that an acquire learned whole, and that fits everything.
void Synchronization::met(Agent& agent, const Met& met, Scope scope, MemorySemantics semantics) {
  const Head& head = met.head;
  if (acquires(semantics) && in_scope(head, head.scope, agent, scope)) {
    head.teach(agent.changed(), semantics, head.apart_from(agent.place));
    if (has(semantics, storage_classes(head.semantics)) && agent.tags == TagSetId::Empty) return;
  }
  agent.remember(met);
}

// What an agent released itself comes before what it does by program order, which counts where tags fit.
//= vk:memory-model-synchronizes-with
//= mmra:synchronizes-with
void Synchronization::meet(Agent& agent, const Operation& read, MemorySemantics semantics,
                           const std::vector<Head>& heads) {
  for (const Head& head : heads) {
    if (head.agent == agent.id && !agent.tagged) continue;
    if (!in_scope(head, head.atomic_scope, agent, read.scope)) continue;
    met(agent, {head, class_index_of(read.storage_class), false}, read.scope, semantics);
  }
}

void Synchronization::meet_forgotten(Agent& agent, MemorySemantics semantics) {
  if (acquires(semantics)) learn_everything(agent, semantics);
  agent.be_other();
  agent.met_forgotten = true;
}

void Synchronization::release_barrier(Agent& agent, const Operation& barrier) {
  agent.be_other();
  supersede(agent.released, barrier);
  agent.released.push_back(head_of(agent, barrier, barrier.semantics));
  note_release(agent);
}

void Synchronization::acquire_barrier(Agent& agent, const Operation& barrier) {
  for (const Met& met : agent.met) {
    const Head& head = met.head;
    if (lets_through(met, barrier.semantics) && in_scope(head, head.scope, agent, barrier.scope))
      head.teach(agent.changed(), barrier.semantics, head.apart_from(agent.place));
  }
  if (agent.met_forgotten) learn_everything(agent, barrier.semantics);
}

// Agents of the crowd in slot 0 know each other's releases anyhow, so that those who release in the
// same way to the same agents are one group.
bool Synchronization::joins_group(const Group& group, const Agent& agent, const Operation& barrier) {
  return group.of_crowd && group.head.known && group.barriers.empty() && group.head.scope == barrier.scope &&
         group.head.semantics == barrier.semantics && group.head.tags == barrier.tags && !agent.tagged &&
         (group.head.place == agent.place || (includes(barrier.scope, Scope::Workgroup) &&
                                              model::same_instance(group.head.place, agent.place, Scope::Workgroup)));
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
  Common& common = residents_.of(cohort.first)->common;
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
  for (const Agent* agent : common.others) (*head.known).join_all(agent->own);

  head.teach(common.knowledge, semantics, CacheLevel::Agent);
  if (visible) make_visible(common.knowledge, 0, level, semantics);
  std::erase_if(common.others, [&](Agent* agent) {
    head.teach(agent->own, semantics, CacheLevel::Agent);
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
  agent.be_other();
  std::vector<Head> before = agent.all_released();
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
    known.join_all(agent.knowledge());
    known.learn_happened(0, epochs_[0]++);
    Head& head = instance.groups[group].head;
    if (head.place != agent.place) head.of_several = Scope::Workgroup;
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
  agent.released.back().of_several = Scope::Invocation;
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
      (*instance.groups[group].head.known).join_all(agent.knowledge());
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
  Knowledge& knowledge = second.changed();
  knowledge.join_happened(*known);
  knowledge.learn_passed(*known);
  knowledge.learn_chains(*known, apart(first.place, second.place));
  first.for_each_slot([&](unsigned slot) {
    knowledge.learn(kSystem, slot, epochs_[slot] - 1);
    knowledge.learn(kSystemPassed, slot, epochs_[slot] - 1);
  });
}

// Each element of a visibility chain includes the read, by its class.
//= vk:memory-model-availability-visibility
void Synchronization::make_visible(Agent& agent, Scope scope, MemorySemantics classes) {
  make_visible(agent.changed(), agent.slot, cache_of(scope), classes);
  if (agent.tagged) [[unlikely]]
    see_own(agent, cache_of(scope));
}

void Synchronization::make_visible(Knowledge& knowledge, unsigned slot, CacheLevel level, MemorySemantics classes) {
  if (level != CacheLevel::Agent) knowledge.make_visible(level, constrained_classes(classes), slot, epochs_[slot]);
}

void Synchronization::make_device_visible(Agent& agent) {
  if (agent.tagged) [[unlikely]]
    return make_device_visible_by_tags(agent);
  Knowledge& knowledge = agent.changed();
  knowledge.make_device_visible(knowledge);
  knowledge.learn(kDeviceVisible, agent.slot, epochs_[agent.slot]);
}

}  // namespace heddle::memory
