// What the API and the language of the host put before events.

#include <algorithm>
#include <iterator>

#include "emulator/race/happens_before.h"

namespace heddle::race {

//= vk:memory-model-system-synchronizes-with
//= sync:synchronization-dependencies-chains
void HappensBefore::has_host_side(std::shared_ptr<const model::HostSide> side) {
  side_ = std::move(side);
  for (const model::Dependency& dependency : side_->dependencies) {
    for (const model::Command& command : side_->commands) {
      if (comes_before(command, dependency)) system_synchronizes(command.agent, dependency.agent);
      if (comes_after(dependency, command)) system_synchronizes(dependency.agent, command.agent);
    }
    for (const model::Dependency& later : side_->dependencies)
      if (&later != &dependency && makes_chain(dependency, later)) system_synchronizes(dependency.agent, later.agent);
  }
}

void HappensBefore::call_comes_after(std::span<const AgentId> agents, std::span<const EventIndex> calls) {
  agents_before_call_.assign(agents.begin(), agents.end());
  calls_before_call_.assign(calls.begin(), calls.end());
}

void HappensBefore::comes_after_call(AgentId agent, EventIndex call) {
  agents_[static_cast<std::size_t>(agent)].calls_before.push_back(call);
}

// A call has in its scope whatever happened before it on the host.
//= vk:memory-model-system-synchronizes-with
void HappensBefore::begin_after_call(Agent& agent, EventIndex call) {
  EventSet earlier = host_before_[call];
  earlier |= system_before_[call];
  earlier.add(call);
  agent.system_before |= earlier;
  earlier.for_each([&](EventIndex x) {
    for (std::size_t i = 0; i < kClassSets.size(); ++i) {
      agent.base[i] |= before_[x][i];
      agent.base[i].add(x);
    }
  });
}

// Program order and acquires order all that their thread does on the host, and what synchronized with a call of it
// synchronizes with all that comes after that call.
//= vk:memory-model-inter-thread-happens-before
void HappensBefore::add_on_host(EventIndex e) {
  const Agent& agent = agent_of(e);
  EventSet& host = host_before_[e];
  agent.events.for_each([&](EventIndex own) {
    host |= host_before_[own];
    host.add(own);
  });
  system_before_[e] |= agent.system_before;
  if (events_[e].of_domain) add_call(e);
  const EventSet earlier = host;
  earlier.for_each([&](EventIndex x) {
    if (events_[x].of_domain) system_before_[e] |= system_before_[x];
  });
  join_all_before(e, earlier);
  join_all_before(e, system_before_[e]);
}

void HappensBefore::add_call(EventIndex e) {
  for (const AgentId first : agents_before_call_) {
    const Agent& before = agents_[static_cast<std::size_t>(first)];
    if (!before.barriers.empty()) meet(meetings_[events_[before.barriers.back()].barrier_instance]);
    system_before_[e] |= before.events;
    if (before.begun) system_before_[e] |= before.system_before;
  }
  for (const EventIndex call : calls_before_call_) {
    system_before_[e] |= host_before_[call];
    system_before_[e] |= system_before_[call];
    system_before_[e].add(call);
  }
  agents_before_call_.clear();
  calls_before_call_.clear();
}

void HappensBefore::join_all_before(EventIndex e, const EventSet& earlier) {
  earlier.for_each([&](EventIndex x) {
    for (std::size_t i = 0; i < kClassSets.size(); ++i) {
      before_[e][i] |= before_[x][i];
      before_[e][i].add(x);
    }
  });
}

// The sequence goes on over read-modify-writes, and over later stores of the head's own thread.
//= vk:memory-model-release-sequence
std::vector<EventIndex> HappensBefore::sequence_heads_on_host(EventIndex write) const {
  std::vector<EventIndex> heads = {write};
  const auto at = std::find(placed_.rbegin(), placed_.rend(), write);
  if (at == placed_.rend()) return heads;
  for (auto earlier = at + 1; earlier != placed_.rend(); ++earlier) {
    if (!mutually_ordered(*earlier, write)) continue;
    const bool continuous = std::all_of(at, earlier, [&](EventIndex member) {
      return !mutually_ordered(*earlier, member) || events_[member].modifies ||
             events_[member].agent == events_[*earlier].agent;
    });
    if (continuous) heads.push_back(*earlier);
  }
  return heads;
}

}  // namespace heddle::race
