#include "emulator/race/happens_before.h"

#include <algorithm>

namespace heddle::race {
namespace {

void join(Before& to, const Before& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] |= from[i];
}

bool contains(const std::vector<EventIndex>& events, EventIndex e) {
  return std::find(events.begin(), events.end(), e) != events.end();
}

}  // namespace

void HappensBefore::agent_begins(AgentId agent, const model::Place& place) {
  const auto index = static_cast<std::size_t>(agent);
  while (agents_.size() <= index) agents_.emplace_back();
  agents_[index].place = place;
}

void HappensBefore::system_synchronizes(AgentId first, AgentId second) {
  const auto most = static_cast<std::size_t>(std::max(first, second));
  while (agents_.size() <= most) agents_.emplace_back();
  agents_[static_cast<std::size_t>(second)].system_synchronized_after.push_back(first);
}

void HappensBefore::clear() {
  events_.clear();
  before_.clear();
  any_before_.clear();
  agents_.clear();
  meetings_.clear();
  placed_.clear();
  interlock_.clear();
  inputs_.clear();
  before_input_.clear();
  side_.reset();
  host_before_.clear();
  system_before_.clear();
  agents_before_call_.clear();
  calls_before_call_.clear();
}

// Every operation of the first agent system-synchronizes with every operation of the second, whatever
// the storage classes: what is before any of the first's is before each of the second's.
//= vk:memory-model-system-synchronizes-with
void HappensBefore::begin(Agent& agent) {
  agent.begun = true;
  for (const AgentId first : agent.system_synchronized_after) begin_after(agent, first);
  for (const EventIndex call : agent.calls_before) begin_after_call(agent, call);
  join(agent.all, agent.base);
}

//= vk:memory-model-system-synchronizes-with
void HappensBefore::begin_after(Agent& agent, AgentId first) {
  Agent& before = agents_[static_cast<std::size_t>(first)];
  // One that had nothing to do hands on what came before it.
  if (!before.begun) begin(before);
  // Where it ended at a control barrier, it has synchronized with those who came there as well.
  if (!before.barriers.empty()) meet(meetings_[events_[before.barriers.back()].barrier_instance]);
  agent.system_before |= before.events;
  agent.system_before |= before.system_before;
  agent.system_before |= before.inputs_before;
  join(agent.base, before.all);
  for (EventSet& set : agent.base) set |= before.events;
}

//= vk:memory-model-scope
bool HappensBefore::in_instance(AgentId a, AgentId b, Level level) const {
  if (a == b) return true;
  return level != 0 && model::same_instance(place(a), place(b), kScopes[level]);
}

bool HappensBefore::in_scope(EventIndex a, EventIndex b) const {
  const Event& x = events_[a];
  const Event& y = events_[b];
  return in_instance(x.agent, y.agent, level_of(x.scope)) && in_instance(y.agent, x.agent, level_of(y.scope));
}

//= vk:memory-model-atomic-operation
bool HappensBefore::mutually_ordered(EventIndex a, EventIndex b) const {
  const Event& x = events_[a];
  const Event& y = events_[b];
  if (!x.atomic || !y.atomic) return false;
  if (!(x.bytes == y.bytes)) return false;
  if (x.reference != y.reference) return false;
  if (!in_scope(a, b)) return false;
  if (x.operation == y.operation) return false;
  // Implementations with concurrent atomics of host and device are not supported.
  return place(x.agent).is_host() == place(y.agent).is_host();
}

// Goes back through the modification order: a head is a write between which and `write` nothing but
// read-modify-writes stands, `write` being one of them.
//= vk:memory-model-release-sequence
std::vector<EventIndex> HappensBefore::sequence_heads(EventIndex write) const {
  if (side_ && is_on_host(write)) return sequence_heads_on_host(write);
  std::vector<EventIndex> heads = {write};
  const auto at = std::find(placed_.rbegin(), placed_.rend(), write);
  if (!events_[write].modifies || at == placed_.rend()) return heads;
  std::vector<EventIndex> breaking;
  for (auto earlier = at + 1; earlier != placed_.rend(); ++earlier) {
    if (!mutually_ordered(*earlier, write)) continue;
    const bool continuous =
        std::none_of(breaking.begin(), breaking.end(), [&](EventIndex b) { return mutually_ordered(*earlier, b); });
    if (continuous) heads.push_back(*earlier);
    if (!events_[*earlier].modifies) breaking.push_back(*earlier);
  }
  return heads;
}

// An atomic read sees what the heads of the sequences it reads from release: themselves, and release
// barriers before them. It may acquire at once, or leave that to barriers after it.
//= vk:memory-model-synchronizes-with
void HappensBefore::see(EventIndex reader, EventIndex write) {
  if (!mutually_ordered(write, reader)) return;
  for (const EventIndex head : sequence_heads(write))
    if (mutually_ordered(head, reader)) see_head(reader, head);
}

//= vk:memory-model-synchronizes-with
void HappensBefore::see_head(EventIndex reader, EventIndex head) {
  const Event& read = events_[reader];
  const Event& write = events_[head];
  Agent& agent = agent_of(reader);
  if (write.release) {
    if (read.acquire) acquire_from(reader, head);
    agent.seen.push_back({head, read.storage, false});
  }
  for (const EventIndex fence : agent_of(head).release_fences) {
    // The atomic's storage class has to be in the barrier's semantics.
    if (fence > head) break;
    if (write.storage == 0 || !events_[fence].has_all(write.storage)) continue;
    if (read.acquire && in_scope(fence, reader)) acquire_from(reader, fence);
    // Between two barriers, both have the classes of both atomics.
    if (read.storage != 0 && events_[fence].has_all(read.storage))
      agent.seen.push_back({fence, static_cast<Classes>(read.storage | write.storage), false});
  }
}

//= vk:memory-model-synchronizes-with
void HappensBefore::acquire_seen(EventIndex fence) {
  const Event& event = events_[fence];
  for (const Seen& seen : agent_of(fence).seen) {
    if (!seen.at_barrier && (seen.storage == 0 || !event.has_all(seen.storage))) continue;
    if (seen.release != fence && in_scope(seen.release, fence)) acquire_from(fence, seen.release);
  }
}

// For every set of classes that both have in their semantics.
//= vk:memory-model-inter-thread-happens-before
bool HappensBefore::acquire_from(EventIndex acquire, EventIndex release) {
  if (side_ && is_on_host(acquire) && is_on_host(release)) {
    host_before_[acquire] |= host_before_[release];
    host_before_[acquire].add(release);
  }
  const auto both = static_cast<Classes>(events_[acquire].mask & events_[release].mask);
  bool more = false;
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    if ((both & kClassSets[i]) != kClassSets[i]) continue;
    EventSet& before = before_[acquire][i];
    if (before.has(release) && before.includes(before_[release][i])) continue;
    before |= before_[release][i];
    before.add(release);
    more = true;
  }
  return more;
}

Before& HappensBefore::with_tags(std::vector<Tagged>& all, TagSetId tags) {
  for (Tagged& some : all)
    if (some.tags == tags) return some.before;
  return all.emplace_back(Tagged{tags, {}}).before;
}

// Program order between operations whose tags are not compatible does not count.
//= mmra:happens-before
void HappensBefore::join_compatible(EventSet& to, const std::vector<Tagged>& all, TagSetId tags, std::size_t set) {
  for (const Tagged& some : all)
    if (model::compatible(some.tags, tags)) to |= some.before[set];
}

// Tells the agent's later operations what is known of `e` now.
void HappensBefore::settle(EventIndex e) {
  const Event& event = events_[e];
  Agent& agent = agent_of(e);
  Before& acquired = with_tags(agent.acquired, event.tags);
  Before& constrained = with_tags(agent.constrained, event.tags);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    const EventSet& before = before_[e][i];
    any_before_[e] |= before;
    agent.all[i] |= before;
    if (event.acquire && event.has_all(kClassSets[i])) {
      acquired[i] |= before;
      acquired[i].add(e);
    }
    if (event.constrained_by(kClassSets[i])) {
      constrained[i] |= before;
      constrained[i].add(e);
    }
  }
}

//= vk:memory-model-inter-thread-happens-before
EventIndex HappensBefore::add(const Event& event, std::span<const EventIndex> sources) {
  const EventIndex e = size();
  events_.push_back(event);
  before_.emplace_back();
  any_before_.emplace_back();
  if (side_) {
    host_before_.emplace_back();
    system_before_.emplace_back();
  }
  Agent& agent = agent_of(e);
  if (!agent.begun) begin(agent);

  // A system-synchronizes-with B.
  before_[e] = agent.base;
  // A synchronizes-with B.
  if (event.atomic && event.reads)
    for (const EventIndex write : sources) see(e, write);
  if (event.fence && event.acquire) acquire_seen(e);
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    // A is an operation on SC, B a release with all of SC, A is program-ordered before B.
    if (event.release && event.has_all(kClassSets[i])) join_compatible(before_[e][i], agent.constrained, event.tags, i);
    // A is an acquire with all of SC, B an operation on SC, A is program-ordered before B.
    if (event.constrained_by(kClassSets[i])) join_compatible(before_[e][i], agent.acquired, event.tags, i);
  }
  if (side_ && is_on_host(e)) add_on_host(e);
  if (event.kind == OperationKind::BeginInvocationInterlock) add_lock(e);
  if (!inputs_.empty()) add_input(e);
  settle(e);
  agent.events.add(e);
  if (event.fence && event.release) agent.release_fences.push_back(e);
  if (event.kind == OperationKind::ControlBarrier) arrive(e);
  return e;
}

void HappensBefore::arrive(EventIndex e) {
  Agent& agent = agent_of(e);
  agent.barriers.push_back(e);
  Meeting& meeting = meetings_[events_[e].barrier_instance];
  meeting.arrivals.push_back(e);
  meeting.releases.push_back(agent.release_fences);
}

bool HappensBefore::releases_at(const Meeting& meeting, EventIndex arrival) const {
  return meeting.synchronizing.empty() || contains(meeting.synchronizing, arrival);
}

bool HappensBefore::meets(EventIndex a, EventIndex b) const {
  if (events_[a].barrier_instance != events_[b].barrier_instance) return false;
  return releases_at(meetings_.at(events_[a].barrier_instance), a);
}

// The two arrivals have to be in each other's memory scopes, and in the execution scope.
//= vk:memory-model-synchronizes-with
bool HappensBefore::barriers_synchronize(EventIndex from, EventIndex to) const {
  const Event& a = events_[from];
  const Event& b = events_[to];
  return in_scope(from, to) && in_instance(a.agent, b.agent, level_of(a.execution_scope));
}

bool HappensBefore::acquire_at(const Meeting& meeting, EventIndex arrival) {
  if (!events_[arrival].fence || !events_[arrival].acquire) return false;
  bool more = false;
  for (std::size_t i = 0; i < meeting.arrivals.size(); ++i) {
    const EventIndex from = meeting.arrivals[i];
    if (!releases_at(meeting, from) || !barriers_synchronize(from, arrival)) continue;
    for (const EventIndex fence : meeting.releases[i])
      if (fence != arrival && in_scope(fence, arrival)) more |= acquire_from(arrival, fence);
  }
  return more;
}

// The arrivals at one barrier synchronize with each other, and so may be before one another in turn:
// what is before them grows until nothing is added any more.
//= vk:memory-model-synchronizes-with
void HappensBefore::meet(Meeting& meeting) {
  for (bool more = true; more;) {
    more = false;
    for (const EventIndex e : meeting.arrivals) more |= acquire_at(meeting, e);
  }
  for (const EventIndex e : meeting.arrivals) {
    settle(e);
    settle_visibility(e);
  }
}

// What MakeVisible adds to a control barrier is behind all that the barrier acquires.
//= vk:memory-model-availability-visibility-semantics
void HappensBefore::settle_visibility(EventIndex arrival) {
  const EventIndex visibility = arrival + 1;
  if (visibility >= size() || !events_[visibility].bulk) return;
  if (events_[visibility].operation != events_[arrival].operation) return;
  for (std::size_t i = 0; i < kClassSets.size(); ++i) {
    if (!events_[arrival].has_all(kClassSets[i]) || !events_[visibility].constrained_by(kClassSets[i])) continue;
    before_[visibility][i] |= before_[arrival][i];
    before_[visibility][i].add(arrival);
  }
  settle(visibility);
}

//= vk:memory-model-synchronizes-with
void HappensBefore::passes(EventIndex arrival, std::span<const EventIndex> synchronizing) {
  Meeting& meeting = meetings_[events_[arrival].barrier_instance];
  if (meeting.synchronizing.empty()) meeting.synchronizing.assign(synchronizing.begin(), synchronizing.end());
  meet(meeting);
  std::vector<Seen>& seen = agent_of(arrival).seen;
  for (std::size_t i = 0; i < meeting.arrivals.size(); ++i) {
    const EventIndex from = meeting.arrivals[i];
    if (!releases_at(meeting, from) || !barriers_synchronize(from, arrival)) continue;
    for (const EventIndex fence : meeting.releases[i]) seen.push_back({fence, 0, true});
  }
}

void HappensBefore::placed(EventIndex write) {
  placed_.push_back(write);
}

//= vk:memory-model-happens-before
bool HappensBefore::happens_before(EventIndex a, EventIndex b) const {
  return program_order_counts(a, b) || any_before_[b].has(a);
}

//= vk:memory-model-system-synchronizes-with
bool HappensBefore::system_synchronizes_before(EventIndex a, EventIndex b) const {
  if (side_ && is_on_host(b)) return system_before_[b].has(a);
  if (const auto input = before_input_.find(b); input != before_input_.end() && input->second.has(a)) return true;
  return agents_[static_cast<std::size_t>(events_[b].agent)].system_before.has(a);
}

}  // namespace heddle::race
