#include "emulator/race/kernel_order.h"

#include <algorithm>

namespace heddle::race {
namespace {

template <typename F>
void for_each_class(Classes mask, F&& f) {
  for (std::size_t c = 0; c < kClasses; ++c)
    if (((mask >> c) & 1) != 0) f(c);
}

std::uint64_t group_key(const model::Place& place) {
  return (std::uint64_t{place.device} << 56) ^ (std::uint64_t{place.queue_family} << 40) ^
         place.workgroup;
}

}  // namespace

void KernelOrder::agent_begins(AgentId id, const model::Place& place) {
  const auto agent = static_cast<std::size_t>(id);
  if (agents_.size() <= agent) {
    agents_.resize(agent + 1);
    places_.resize(agent + 1);
  }
  const auto next = static_cast<GroupId>(groups_.size());
  GroupId group = next;
  // Agents that are no invocations have nobody beside them.
  if (place.kind == model::AgentKind::Shader)
    group = group_numbers_.emplace(group_key(place), next).first->second;
  if (group == next) groups_.push_back({place, 1, 0});
  ++groups_[group].agents;
  places_[agent] = {group, place.subgroup};
  if (!agents_[agent]) {
    agents_[agent] = std::make_unique<Agent>();
    agents_[agent]->view = nothing_;
  }
}

void KernelOrder::agent_ends(AgentId id) {
  Agent& agent = agent_of(static_cast<std::uint32_t>(id));
  agent.fences = {};
  agent.seen = {};
  ++groups_[places_[static_cast<std::size_t>(id)].group].ended;
}

//= vk:memory-model-scope
bool KernelOrder::same_instance(std::uint32_t a, std::uint32_t b, Reach reach) const {
  if (a == b || reach == kEverywhere) return true;
  if (reach == kOwn) return false;
  const model::Place& x = groups_[places_[a].group].place;
  const model::Place& y = groups_[places_[b].group].place;
  if (x.kind != model::AgentKind::Shader || y.kind != model::AgentKind::Shader) return false;
  if (reach == kDevice) return x.device == y.device;
  if (reach == kQueueFamily) return x.device == y.device && x.queue_family == y.queue_family;
  if (places_[a].group != places_[b].group) return false;
  return reach == kWorkgroup || places_[a].subgroup == places_[b].subgroup;
}

bool KernelOrder::in_scope(const Release& release, std::uint32_t agent, Reach reach) const {
  if (release.everybody && places_[release.agent].group == places_[agent].group)
    return release.reach >= kWorkgroup && reach != kOwn;
  return same_instance(release.agent, agent, release.reach) &&
         same_instance(release.agent, agent, reach);
}

// Views of agents that have ended are mostly shared, so there are few to look at.
//= vk:memory-model-system-synchronizes-with
void KernelOrder::dependency(bool memory) {
  View made = memory ? View{} : *nothing_;
  if (!memory) {
    auto system = made.system ? std::make_shared<SystemView>(*made.system)
                              : std::make_shared<SystemView>();
    for (GroupId group = 0; group < groups_.size(); ++group)
      system->before.add_everybody(group, kForEver);
    Edited edited = edit(made, 15);
    const View* last = nullptr;
    for (std::size_t agent = first_agent_; agent < agents_.size(); ++agent) {
      const View* view = agents_[agent] ? agents_[agent]->view.get() : nullptr;
      if (!view || view == last) continue;
      last = view;
      if (view->system) system->join(*view->system);
      for (std::size_t c = 0; c < kClasses; ++c)
        if (view->classes[c]) edited[c]->join(*view->classes[c], false, false);
    }
    made.system = std::move(system);
    made = finish(std::move(made), std::move(edited), ~GroupId{0});
  }
  for (std::size_t agent = first_agent_; agent < agents_.size(); ++agent) agents_[agent].reset();
  first_agent_ = static_cast<std::uint32_t>(agents_.size());
  nothing_ = std::make_shared<const View>(std::move(made));
  meetings_.clear();
  meeting_of_.clear();
  if (memory) written_.clear();
}

void KernelOrder::miss(std::uint32_t agent, const Release& release) {
  for (const auto& view : release.view->classes)
    if (view) agent_of(agent).out_of_scope.join(view->before);
}

// All that the first did is before all that the second does, whatever the storage class.
//= vk:memory-model-system-synchronizes-with
void KernelOrder::system_synchronizes(AgentId first, AgentId second) {
  const auto from = static_cast<std::uint32_t>(first);
  const auto to = static_cast<std::uint32_t>(second);
  Agent& before = agent_of(from);
  Agent& after = agent_of(to);
  // Nobody else came to the barrier at which it ended.
  if (before.waits && before.waits_with.releases) release(from, before.waits_with);
  before.waits = false;
  View made = *after.view;
  auto system = made.system ? std::make_shared<SystemView>(*made.system)
                            : std::make_shared<SystemView>();
  if (before.view->system) system->join(*before.view->system);
  system->before.add(places_[from].group, from, kForEver);
  made.system = std::move(system);
  Classes known = 0;
  for (std::size_t c = 0; c < kClasses; ++c)
    if (before.view->classes[c]) known |= static_cast<Classes>(1 << c);
  Edited edited = edit(made, known);
  for_each_class(known, [&](std::size_t c) {
    edited[c]->join(*before.view->classes[c], same_instance(from, to, kWorkgroup),
                    same_instance(from, to, kSubgroup));
    // What was made available is so for operations of every class.
    for_each_class(known, [&](std::size_t of) {
      for (std::size_t i = 0; i < kClasses; ++i)
        for (std::size_t reach = 0; reach < kReaches; ++reach)
          edited[c]->available[i][reach].join(before.view->classes[of]->available[i][reach]);
    });
  });
  after.view = std::make_shared<const View>(
      finish(std::move(made), std::move(edited), places_[to].group));
}

KernelOrder::Ordering KernelOrder::ordering_of(const Operation& op) {
  Ordering ordering;
  ordering.acquires = acquires(op.semantics);
  ordering.releases = releases(op.semantics);
  ordering.mask = classes_of(op.semantics);
  ordering.reach = reach_of(op.scope);
  ordering.execution = reach_of(op.execution_scope);
  ordering.makes_available = ordering.releases && has(op.semantics, MemorySemantics::MakeAvailable);
  ordering.makes_visible = ordering.acquires && has(op.semantics, MemorySemantics::MakeVisible);
  return ordering;
}

KernelOrder::Edited KernelOrder::edit(const View& view, Classes mask) {
  Edited edited;
  for_each_class(mask, [&](std::size_t c) {
    edited[c] = view.classes[c] ? std::make_shared<ClassView>(*view.classes[c])
                                : std::make_shared<ClassView>();
  });
  return edited;
}

View KernelOrder::finish(View view, Edited edited, GroupId group) const {
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (!edited[c]) continue;
    edited[c]->summarize(group, c);
    view.classes[c] = std::move(edited[c]);
  }
  return view;
}

// What narrower instances of the agent hold gets farther, as the next link of its chains.
//= vk:memory-model-availability-visibility
void KernelOrder::lift(Edited& edited, std::uint32_t agent, Reach reach) const {
  const GroupId own = places_[agent].group;
  const auto in_reach = [&](GroupId group, Reach narrow) {
    if (group == own) return true;
    const model::Place& a = groups_[group].place;
    const model::Place& b = groups_[own].place;
    return narrow >= kQueueFamily && a.device == b.device &&
           (narrow >= kDevice || a.queue_family == b.queue_family);
  };
  for (std::size_t c = 0; c < kClasses; ++c) {
    for (Reach narrow = kSubgroup; narrow < reach; ++narrow) {
      Clock mine;
      for (const auto& view : edited)
        if (view) mine.join(view->available[c][narrow]);
      if (mine.empty()) continue;
      mine = mine.only([&](GroupId group) { return in_reach(group, narrow); });
      for (const auto& view : edited)
        for (std::size_t wide = narrow + 1u; view && wide <= reach; ++wide)
          view->available[c][wide].join(mine);
    }
  }
}

//= vk:memory-model-availability-visibility-semantics
void KernelOrder::make_available(Edited& edited, std::uint32_t agent, bool everybody, Stamp stamp,
                                 Reach reach) const {
  if (chains_) lift(edited, agent, reach);
  const GroupId group = places_[agent].group;
  for (const auto& view : edited) {
    for (std::size_t c = 0; view && c < kClasses; ++c) {
      if (!edited[c]) continue;
      for (std::size_t to = kSubgroup; to <= reach; ++to) {
        if (everybody) {
          view->available[c][to].add_everybody(group, stamp);
        } else {
          view->available[c][to].add(group, agent, stamp);
        }
      }
    }
  }
}

// A visibility operation finds what is available in the domains up to its own, and goes on where
// another agent of a narrower instance of its own began.
//= vk:memory-model-availability-visibility
void KernelOrder::make_visible(Edited& edited, const View& view_before, Reach reach) const {
  Clock before;
  if (view_before.system) before = view_before.system->before;
  for (const auto& view : edited)
    if (view) before.join(view->before);
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (!edited[c]) continue;
    Visible& seen = edited[c]->seen;
    if (chains_ && reach >= kSubgroup) seen.join(edited[c]->in_subgroup);
    if (chains_ && reach >= kWorkgroup) seen.join(edited[c]->in_workgroup);
    for (const auto& view : edited)
      for (std::size_t narrow = kSubgroup; view && narrow <= reach; ++narrow)
        seen.available[narrow].join(view->available[c][narrow]);
    seen.own[reach].join(before);
  }
}

KernelOrder::ReleasePointer KernelOrder::release(std::uint32_t agent, const Ordering& ordering) {
  const GroupId group = places_[agent].group;
  const Stamp stamp = groups_[group].now++;
  const std::shared_ptr<const View> old = agent_of(agent).view;
  Edited edited = edit(*old, ordering.mask);
  if (ordering.makes_available) make_available(edited, agent, false, stamp, ordering.reach);
  for (const auto& view : edited)
    if (view) view->before.add(group, agent, stamp);
  auto published = std::make_shared<const View>(finish(*old, std::move(edited), group));
  agent_of(agent).view = published;
  return std::make_shared<const Release>(
      Release{agent, false, ordering.mask, ordering.reach, std::move(published)});
}

// A later barrier with the same mask and scope has all that an earlier one has.
void KernelOrder::remember_fence(Agent& agent, const ReleasePointer& fence) const {
  for (ReleasePointer& known : agent.fences) {
    if (known->mask != fence->mask || known->reach != fence->reach) continue;
    known = fence;
    return;
  }
  agent.fences.push_back(fence);
}

//= vk:memory-model-inter-thread-happens-before
void KernelOrder::acquire(std::uint32_t agent, const Ordering& ordering,
                          const std::vector<const Release*>& releases) {
  Agent& state = agent_of(agent);
  Edited edited = edit(*state.view, ordering.mask);
  for_each_class(ordering.mask, [&](std::size_t c) {
    for (const Release* release : releases) {
      if (((release->mask >> c) & 1) == 0 || !release->view->classes[c]) continue;
      const bool same_group = places_[release->agent].group == places_[agent].group;
      edited[c]->join(*release->view->classes[c], same_group,
                      same_group && same_instance(release->agent, agent, kSubgroup));
    }
  });
  if (ordering.makes_visible) make_visible(edited, *state.view, ordering.reach);
  View made = finish(*state.view, std::move(edited), places_[agent].group);
  for (const Release* release : releases) {
    if (!release->view->system || (release->mask & ordering.mask) == 0) continue;
    auto system = made.system ? std::make_shared<SystemView>(*made.system)
                              : std::make_shared<SystemView>();
    system->join(*release->view->system);
    made.system = std::move(system);
  }
  state.view = std::make_shared<const View>(std::move(made));
}

//= vk:memory-model-synchronizes-with
void KernelOrder::acquire_seen(std::uint32_t agent, const Ordering& ordering) {
  std::vector<const Release*> releases;
  for (const Seen& seen : agent_of(agent).seen) {
    if (!seen.at_barrier && (ordering.mask & seen.storage) == 0) continue;
    if (in_scope(*seen.release, agent, ordering.reach)) {
      releases.push_back(seen.release.get());
    } else {
      miss(agent, *seen.release);
    }
  }
  acquire(agent, ordering, releases);
}

// Leaves a release to the acquire barriers that follow, unless all of it has been acquired.
void KernelOrder::see(std::uint32_t agent, const ReleasePointer& release, Classes storage,
                      bool at_barrier, const Ordering& reader) {
  if (reader.acquires && (release->mask & ~reader.mask) == 0 &&
      in_scope(*release, agent, reader.reach))
    return;
  for (const Seen& known : agent_of(agent).seen)
    if (known.release == release && known.storage == storage && known.at_barrier == at_barrier)
      return;
  agent_of(agent).seen.push_back({release, storage, at_barrier});
}

void KernelOrder::barrier(const Operation& operation) {
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  if (operation.kind != OperationKind::MemoryBarrier) return domain_operation(operation);
  const Ordering ordering = ordering_of(operation);
  if (ordering.acquires) acquire_seen(agent, ordering);
  if (ordering.releases) remember_fence(agent_of(agent), release(agent, ordering));
}

// What happens before an availability operation of a domain becomes available there; a visibility
// operation shows what is available.
//= vk:memory-model-vulkan-availability-visibility
void KernelOrder::domain_operation(const Operation& operation) {
  constexpr std::size_t kOfDevice = 0, kOfHost = 1;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  View made = *agent_of(agent).view;
  auto system = made.system ? std::make_shared<SystemView>(*made.system)
                            : std::make_shared<SystemView>();
  const auto make = [&](std::size_t domain) {
    system->available[domain].join(system->before);
    for (const auto& view : made.classes)
      if (view) system->available[domain].join(view->before);
    system->available[domain].add(places_[agent].group, agent, groups_[places_[agent].group].now++);
  };
  switch (operation.kind) {
    case OperationKind::DeviceAvailability: make(kOfDevice); break;
    case OperationKind::HostAvailability: make(kOfHost); break;
    case OperationKind::DeviceVisibility:
      system->seen[kOfDevice].join(system->available[kOfDevice]);
      break;
    case OperationKind::HostVisibility:
      system->seen[kOfHost].join(system->available[kOfHost]);
      break;
    case OperationKind::HostToDeviceDomain:
      system->available[kOfDevice].join(system->available[kOfHost]);
      break;
    case OperationKind::DeviceToHostDomain:
      system->available[kOfHost].join(system->available[kOfDevice]);
      break;
    default: return;
  }
  made.system = std::move(system);
  agent_of(agent).view = std::make_shared<const View>(std::move(made));
}

//= vk:memory-model-atomic-operation
bool KernelOrder::mutually_ordered(const Written& write, const Operation& read) const {
  const auto reader = static_cast<std::uint32_t>(read.agent);
  return write.bytes == read.locations && write.reference == read.reference &&
         same_instance(write.agent, reader, write.reach) &&
         same_instance(write.agent, reader, reach_of(read.scope)) &&
         both_on_host_or_not(write.agent, reader);
}

bool KernelOrder::in_scope_of(const Head& head, const Operation& other) const {
  const auto agent = static_cast<std::uint32_t>(other.agent);
  return same_instance(head.agent, agent, head.reach) &&
         same_instance(head.agent, agent, reach_of(other.scope)) &&
         both_on_host_or_not(head.agent, agent);
}

//= vk:memory-model-synchronizes-with
void KernelOrder::atomic_reads(const Operation& operation, std::span<const trace::Source> sources) {
  Ordering reader = ordering_of(operation);
  reader.releases = reader.makes_available = false;
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  const Classes storage = class_of(operation.storage_class);
  std::vector<const Release*> acquired;
  for (const trace::Source& source : sources) {
    const auto found = written_.find(source.write);
    if (found == written_.end()) continue;
    if (!mutually_ordered(found->second, operation)) {
      for (const Head& head : found->second.heads)
        if (head.own) miss(agent, *head.own);
      continue;
    }
    for (const Head& head : found->second.heads) {
      if (!in_scope_of(head, operation)) continue;
      if (head.own) {
        acquired.push_back(head.own.get());
        see(agent, head.own, storage, false, reader);
      }
      for (const ReleasePointer& fence : head.fences) {
        if (in_scope(*fence, agent, reader.reach)) acquired.push_back(fence.get());
        see(agent, fence, storage, false, reader);
      }
    }
  }
  if (reader.acquires && (!acquired.empty() || reader.makes_visible))
    acquire(agent, reader, acquired);
}

bool KernelOrder::is_of_use(const Head& head, const std::vector<Head>& heads) const {
  if (head.own) return true;
  const GroupId group = places_[head.agent].group;
  const bool gone = groups_[group].ended == groups_[group].agents;
  const auto narrow = [](const ReleasePointer& fence) { return fence->reach <= kWorkgroup; };
  if (gone && std::all_of(head.fences.begin(), head.fences.end(), narrow)) return false;
  return std::none_of(heads.begin(), heads.end(), [&](const Head& known) {
    return !known.own && known.reach == head.reach && known.reach >= kWorkgroup &&
           known.fences == head.fences && places_[known.agent].group == group;
  });
}

//= vk:memory-model-release-sequence
void KernelOrder::atomic_writes(model::OperationIndex index, const Operation& operation,
                                std::span<const trace::Source> sources) {
  Ordering writer = ordering_of(operation);
  const auto agent = static_cast<std::uint32_t>(operation.agent);
  Head head{agent, writer.reach, class_of(operation.storage_class), nullptr, {}};
  for (const ReleasePointer& fence : agent_of(agent).fences)
    if ((fence->mask & head.storage) != 0) head.fences.push_back(fence);
  if (writer.releases) head.own = release(agent, writer);
  Written written{agent, writer.reach, operation.reference, operation.locations, {}};
  // A read-modify-write continues the sequences of the write it reads; those that it acquired and
  // releases itself have nothing to add.
  for (const trace::Source& source : sources) {
    const auto before = written_.find(source.write);
    if (before == written_.end()) continue;
    if (!(before->second.bytes == operation.locations) ||
        before->second.reference != operation.reference)
      continue;
    for (const Head& earlier : before->second.heads) {
      if (in_scope_of(earlier, operation) && is_of_use(earlier, written.heads))
        written.heads.push_back(earlier);
    }
  }
  const bool passes_on = writer.acquires && writer.releases;
  if (passes_on) {
    const auto known = [&](const Head& h) {
      const auto covered = [&](const ReleasePointer& r) {
        return (r->mask & ~writer.mask) == 0 && in_scope(*r, agent, writer.reach) &&
               r->reach <= writer.reach;
      };
      return (!h.own || covered(h.own)) && std::all_of(h.fences.begin(), h.fences.end(), covered);
    };
    auto& heads = written.heads;
    heads.erase(std::remove_if(heads.begin(), heads.end(), known), heads.end());
  }
  if ((head.own || !head.fences.empty()) && is_of_use(head, written.heads))
    written.heads.push_back(std::move(head));
  if (!written.heads.empty()) written_.emplace(index, std::move(written));
}

}  // namespace heddle::race
