#pragma once

/// \file
/// Who knows of what: releases, acquires, control barriers, visibility operations.

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>
#include <vector>

#include "emulator/memory/agent.h"
#include "emulator/memory/memory.h"
#include "emulator/memory/residents.h"

namespace heddle::memory {

/// The order that operations give to others. Rules that are not worth their cost are replaced by ones
/// that give more order: no test can tell that from a machine that happened to be fast.
class Synchronization {
 public:
  explicit Synchronization(ClockLimits limits) : limits_(limits) { epochs_.fill(1); }

  void restart();

  void begin(const Cohort& cohort);
  void end(const Cohort& cohort);
  /// The agents that have begun and have not ended.
  Residents& residents() { return residents_; }
  const Residents& residents() const { return residents_; }
  /// The agent, which has begun. Agents are made when they are asked for.
  Agent& agent(AgentId id) {
    Agent* const asked = residents_.asked_for(id);
    return asked->id == id ? *asked : find_or_make(id);
  }
  void system_synchronizes(AgentId first, AgentId second);
  /// Whatever was done, by agents that have ended, is before all that agents do that begin from now on.
  void all_synchronize();

  /// Whether there were too many agents for slots: then all events so far are of slot 0 and epoch 1.
  bool uses_one_slot() const { return one_slot_; }

  /// The event that stands for what the agent does now.
  Event event(const Agent& agent) const { return {agent.id, agent.slot, epochs_[agent.slot], agent.tags}; }

  /// Whether anybody used tags: before each operation of somebody that has, or of somebody who has, this is to be
  /// called.
  bool has_tags() const { return has_tags_; }
  /// What the agent does from now on has these tags.
  void use_tags(Agent& agent, TagSetId tags);

  /// The present epoch of the agents without a slot of their own.
  std::uint32_t epoch() const { return epochs_[0]; }

  /// Whether an atomic write that does not release by itself carries releases that others can learn from.
  bool carries(AgentId agent, StorageClass storage_class, Scope scope);
  /// Whether an atomic write of any agent may carry releases: else no agent has to be asked.
  const bool& somebody_tells_others() const { return somebody_tells_others_; }
  /// Adds what an atomic write of these semantics and scope carries to `heads`.
  void heads(Agent& agent, const Operation& write, MemorySemantics semantics, std::vector<Head>& heads) {
    if (agent.cohort->tells_others || releases(semantics)) add_heads(agent, write, semantics, heads);
  }
  /// Whether an agent that acquires from the access learns of the event, which need not be before the access itself:
  /// the tags of an earlier release may not fit it.
  bool tells_of(const Agent& agent, const Operation& access, const Event& event) const {
    return agent.tagged && access.atomic && access.writes() && tagged_tells_of(agent, access, event);
  }
  /// The agent, which uses tags, has acquired: the acquire comes before what fits its tags, as does what it learnt.
  void hand_on(Agent& agent, MemorySemantics semantics);
  /// An atomic read meets what the write that it read carried.
  [[gnu::noinline]] void meet(Agent& agent, const Operation& read, MemorySemantics semantics,
                              const std::vector<Head>& heads);
  /// An atomic read meets what a write carried whose releases are forgotten: all that was ever released.
  [[gnu::noinline]] void meet_forgotten(Agent& agent, MemorySemantics semantics);

  /// A memory barrier, or a control barrier before it waits.
  void release_barrier(Agent& agent, const Operation& barrier);
  void acquire_barrier(Agent& agent, const Operation& barrier);
  void arrive(Agent& agent, const Operation& barrier, trace::OperationIndex index);
  /// Returns the index of the agent's arrival and those of the synchronizing ones, if not all do.
  struct Passage {
    trace::OperationIndex arrival = 0;
    /// Whether all agents who arrived did the same.
    bool alike = true;
    std::vector<trace::OperationIndex> synchronizing;
  };
  Passage leave(Agent& agent, const Operation& barrier, std::span<const AgentId> synchronizing);

  /// After its last operation there: what it learnt at a barrier its atomics pass on; and at one with a quorum it is
  /// for those, too, who arrive when it has ended.
  void leave_to_later(const Agent& agent, const Operation& barrier);

  /// One who arrived at a control barrier, and what its operation there is.
  struct Arrival {
    Event event;
    trace::OperationIndex index = 0;
    std::uint32_t group = 0;
    Scope scope = Scope::Invocation;
    MemorySemantics semantics = MemorySemantics::None;
  };
  /// What all of a cohort have in common, if they can arrive at this barrier and leave it together; null
  /// where they have to be looked at one by one.
  Common* common_of(const Cohort& cohort, const Operation& barrier);
  /// They do, all in the same way: what takes `arrive` and `leave` of each of them, done at once.
  void meet_together(Common& common, const Cohort& cohort, const Operation& barrier);

  /// The arrivals at a barrier instance, if their operations differ and no agent has asked yet; else none.
  std::vector<Arrival> different_arrivals(std::uint64_t barrier_instance);
  /// The agent acquires from all that arrived, and releases what it learned to them.
  void pass_on(const Arrival& arrival, const Operation& barrier);
  /// What happened before by these classes becomes visible: writes available at the scope's level, to reads of these
  /// classes.
  void make_visible(Agent& agent, Scope scope, MemorySemantics classes);
  void make_device_visible(Agent& agent);

 private:
  /// The group of arrivals that release nothing.
  static constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};
  /// Arrivals that release the same to the same agents.
  struct Group {
    /// The head of the first of them; what it knows is what all of them know.
    Head head;
    std::vector<Head> barriers;
    bool of_crowd = false;
  };
  struct Instance {
    std::vector<Arrival> arrivals;
    std::vector<Group> groups;
    std::uint32_t left = 0;
    bool kept = false;
    bool different = false;
    /// None of them was ever different.
    bool alike = true;

    const Arrival& arrival_of(AgentId agent) const {
      return *std::find_if(arrivals.begin(), arrivals.end(),
                           [&](const Arrival& arrival) { return arrival.event.agent == agent; });
    }
  };

  SnapshotHandle snapshot(const Knowledge& knowledge, unsigned slot);
  Head head_of(AgentId agent, const model::Place& place, const Operation& operation, MemorySemantics semantics,
               SnapshotHandle known);
  [[gnu::noinline]] Head head_of(Agent& agent, const Operation& operation, MemorySemantics semantics);
  [[gnu::noinline]] Head tagged_head_of(Agent& agent, const Operation& operation, MemorySemantics semantics);
  SnapshotHandle tagged_snapshot(Agent& agent);
  bool tagged_tells_of(const Agent& agent, const Operation& write, const Event& event) const;
  void begin_to_use_tags(Agent& agent);
  unsigned slot_of(Agent& agent, TagSetId tags);
  SnapshotHandle snapshot_of_all(Agent& agent);
  void see_own(Agent& agent, CacheLevel level);
  void make_device_visible_by_tags(Agent& agent);
  void make_visible(Knowledge& knowledge, unsigned slot, CacheLevel level, MemorySemantics classes);
  void met(Agent& agent, const Met& met, Scope scope, MemorySemantics semantics);
  void learn_everything(Agent& agent, MemorySemantics semantics);
  static bool joins_group(const Group& group, const Agent& agent, const Operation& barrier);
  void release_to_passing(const Group& group, Agent& agent, const Operation& barrier);
  unsigned new_slot();
  [[gnu::noinline]] void use_one_slot();
  [[gnu::noinline]] void add_heads(Agent& agent, const Operation& write, MemorySemantics semantics,
                                   std::vector<Head>& heads);
  void note_release(Agent& agent) { agent.cohort->tells_others = somebody_tells_others_ = true; }
  [[gnu::noinline]] void see_who_tells_others();
  Agent& find_or_make(AgentId id);

  // Outlives everything that has handles.
  SnapshotPool snapshots_;

  ClockLimits limits_;
  unsigned slots_ = 1;
  bool one_slot_ = false;
  bool has_tags_ = false;
  std::uint32_t begun_ = 0;
  std::array<std::uint32_t, kClockSlots> epochs_{};
  Residents residents_;
  /// Whether any of those that are here has something that tells others.
  bool somebody_tells_others_ = false;
  /// How many releases there were.
  std::uint64_t releases_ = 0;
  /// What all agents know from the start.
  Knowledge past_{};
  std::unordered_map<std::uint64_t, Instance> instances_;
};

}  // namespace heddle::memory
