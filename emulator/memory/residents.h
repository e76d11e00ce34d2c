#pragma once

/// \file
/// Which agents are here: those that have begun and have not ended, by cohorts.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "emulator/memory/agent.h"
#include "emulator/memory/memory.h"

namespace heddle::memory {

/// The cohorts that are here, and those of their agents that somebody asked for: only these are made. Agents keep their
/// addresses until they end, and their room is used again.
class Residents {
 public:
  struct Resident {
    Cohort cohort;
    /// By position; null until somebody asks for it.
    std::vector<Agent*> agents;
    /// The last one that was made.
    Agent* made = nullptr;
    Common common;

    std::uint32_t position(AgentId id) const {
      return static_cast<std::uint32_t>(id) - static_cast<std::uint32_t>(cohort.first);
    }
    /// One of its agents; null if it was not made.
    Agent* find(AgentId id) const { return agents[position(id)]; }
  };

  Residents();

  /// Its agents, none of which is made yet, know `past`.
  void begin(const Cohort& cohort, const Knowledge& past);
  void end(const Cohort& cohort);
  void end_all() {
    while (count_ != 0) end(all_[count_ - 1]->cohort);
  }

  /// Whether nobody is here.
  bool empty() const { return count_ == 0; }
  /// Whether somebody of that workgroup is here.
  bool is_here(std::uint32_t queue_family, std::uint32_t workgroup) const;
  /// The cohort of the agent; null if it is not here.
  Resident* of(AgentId id) {
    if (last_ < count_ && all_[last_]->cohort.contains(id)) return all_[last_].get();
    return look_for(id);
  }
  /// Null if it was not made, or has ended.
  Agent* find(AgentId id);
  /// An agent of the cohort that was not made yet.
  Agent& make(Resident& resident, AgentId id, unsigned slot);
  /// The agent that was asked for last, of those whose numbers end alike: no agent if that one has ended. Whoever looks
  /// one up says so here.
  Agent*& asked_for(AgentId id) { return asked_[static_cast<std::uint32_t>(id) % asked_.size()]; }

  template <typename Visit>
  void for_each(Visit visit) {
    for (std::size_t i = 0; i < count_; ++i) visit(*all_[i]);
  }
  template <typename Visit>
  void for_each_agent(Visit visit) {
    for_each([&](Resident& resident) {
      for (Agent* agent = resident.made; agent; agent = agent->next) visit(*agent);
    });
  }

 private:
  [[gnu::noinline]] Resident* look_for(AgentId id);
  [[gnu::noinline]] void add_free_agent();
  [[gnu::noinline]] void add_room();
  [[gnu::noinline]] static void renew(Resident& resident, const Knowledge& past);
  [[gnu::noinline]] static void forget_own(Agent& agent);

  std::deque<Agent> agents_;
  Agent* free_agents_ = nullptr;
  /// The cohorts that are here, then those whose room can be used again.
  std::vector<std::unique_ptr<Resident>> all_;
  std::size_t count_ = 0;
  std::size_t last_ = 0;
  std::array<Agent*, 16> asked_;
};

}  // namespace heddle::memory
