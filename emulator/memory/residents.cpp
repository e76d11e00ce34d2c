#include "emulator/memory/residents.h"

#include <algorithm>

namespace heddle::memory {

Residents::Residents() {
  add_free_agent();
  asked_.fill(free_agents_);
}

void Residents::begin(const Cohort& cohort, const Knowledge& past) {
  if (count_ == all_.size()) [[unlikely]]
    add_room();
  // Mostly it is the next one that somebody asks for.
  last_ = count_++;
  Resident& resident = *all_[last_];
  resident.cohort = cohort;
  Common& common = resident.common;
  common.tells_others = common.lifted = false;
  common.knowledge.clear();
  if (resident.agents.size() != cohort.count || !common.released.empty() || !common.others.empty() || !past.empty())
      [[unlikely]]
    renew(resident, past);
}

void Residents::add_room() {
  all_.push_back(std::make_unique<Resident>());
}

// Makes the resident as new, with the room that it has.
void Residents::renew(Resident& resident, const Knowledge& past) {
  resident.agents.resize(resident.cohort.count);
  resident.common.released.clear();
  resident.common.others.clear();
  resident.common.knowledge = past;
}

void Residents::end(const Cohort& cohort) {
  Resident& ended = *of(cohort.first);
  while (Agent* const agent = ended.made) {
    if (!agent->like_all) [[unlikely]]
      forget_own(*agent);
    ended.agents[ended.position(agent->id)] = nullptr;
    agent->id = kNobody;
    ended.made = std::exchange(agent->next, free_agents_);
    free_agents_ = agent;
  }
  if (last_ != --count_) std::swap(all_[last_], all_[count_]);
  last_ = 0;
}

void Residents::forget_own(Agent& agent) {
  agent.released.clear();
  agent.met.clear();
  agent.tagged.reset();
}

Residents::Resident* Residents::look_for(AgentId id) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (!all_[i]->cohort.contains(id)) continue;
    last_ = i;
    return all_[i].get();
  }
  return nullptr;
}

bool Residents::is_here(std::uint32_t queue_family, std::uint32_t workgroup) const {
  return std::any_of(all_.begin(), all_.begin() + static_cast<std::ptrdiff_t>(count_), [&](const auto& resident) {
    const model::Place& place = resident->cohort.place;
    return place.queue_family == queue_family && place.workgroup == workgroup;
  });
}

Agent* Residents::find(AgentId id) {
  if (Agent* const asked = asked_for(id); asked->id == id) return asked;
  const Resident* const resident = of(id);
  return resident ? resident->find(id) : nullptr;
}

void Residents::add_free_agent() {
  agents_.emplace_back();
  agents_.back().next = std::exchange(free_agents_, &agents_.back());
}

Agent& Residents::make(Resident& resident, AgentId id, unsigned slot) {
  if (!free_agents_) add_free_agent();
  const std::uint32_t position = resident.position(id);
  Agent& agent = *free_agents_;
  free_agents_ = std::exchange(agent.next, resident.made);
  resident.agents[position] = resident.made = &agent;
  agent.id = id;
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

}  // namespace heddle::memory
