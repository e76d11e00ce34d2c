#pragma once

/// \file
/// Who knows of what: releases, acquires, control barriers, visibility operations.

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/memory/knowledge.h"
#include "emulator/memory/memory.h"
#include "emulator/model/place.h"
#include "emulator/model/tags.h"

namespace heddle::memory {

class SnapshotPool;

/// What an agent knew, which several share.
struct Snapshot {
  Knowledge knowledge{};
  std::uint32_t references = 0;
  SnapshotPool* home = nullptr;
};

/// Shares a snapshot; the last one gives it back to its pool.
class SnapshotHandle {
 public:
  SnapshotHandle() = default;
  explicit SnapshotHandle(Snapshot* snapshot);
  SnapshotHandle(const SnapshotHandle& other) : SnapshotHandle(other.snapshot_) {}
  SnapshotHandle(SnapshotHandle&& other) noexcept : snapshot_(other.snapshot_) { other.snapshot_ = nullptr; }
  SnapshotHandle& operator=(SnapshotHandle other) noexcept {
    std::swap(snapshot_, other.snapshot_);
    return *this;
  }
  ~SnapshotHandle();
  explicit operator bool() const { return snapshot_ != nullptr; }
  const Knowledge& operator*() const;
  Knowledge& operator*();
  bool operator==(const SnapshotHandle& other) const { return snapshot_ == other.snapshot_; }
  /// Another one of its pool that knows the same.
  SnapshotHandle copy() const;

 private:
  Snapshot* snapshot_ = nullptr;
};

/// The snapshots that there are, and room for more.
class SnapshotPool {
 public:
  /// One of which nothing is said.
  SnapshotHandle make();
  /// All slots of all of them become the first one, up to this epoch.
  void merge_slots(std::uint32_t epoch);

 private:
  friend class SnapshotHandle;
  std::deque<Snapshot> all_;
  std::vector<Snapshot*> free_;
};

/// The number that no agent has.
inline constexpr AgentId kNobody{~std::uint32_t{0}};

/// A release: what an agent that synchronizes with it learns.
struct Head {
  AgentId agent{};
  model::Place place;
  Scope scope = Scope::Invocation;
  MemorySemantics semantics = MemorySemantics::None;
  /// The scope of the atomic write that carries it.
  Scope atomic_scope = Scope::Invocation;
  /// Rises with the releases of an agent.
  std::uint64_t number = 0;
  /// The tags of the release, which tells only of what fits them.
  TagSetId tags = TagSetId::Empty;
  SnapshotHandle known;
  /// If it stands for releases of several agents (`agent` is kNobody): a scope of which they are all in one instance.
  /// Who acquires from one of them acquires from all.
  Scope of_several = Scope::Invocation;
  /// Whether what is known is what an agent at `place` knows, and nobody else's.
  bool of_one = false;

  /// Whether they have all but agents and places in common.
  bool is_alike(const Head& other) const {
    return scope == other.scope && semantics == other.semantics && atomic_scope == other.atomic_scope &&
           tags == other.tags;
  }
  /// Whether an agent synchronizes with both heads or with none: then the later head tells all that the earlier does.
  bool means_the_same(const Head& other) const {
    return agent == other.agent && is_alike(other) && (agent != kNobody || known == other.known);
  }
};

/// Heads that are alike become one, as far as their agents are in one instance of the scope, Workgroup or QueueFamily.
void merge(std::vector<Head>& heads, Scope instance);

/// A release that an agent met, so that acquire barriers of its may synchronize with it.
struct Met {
  Head head;
  /// The class of the atomic read that met it; control barriers have none.
  unsigned class_index = kAnyClass;
  bool through_control_barrier = false;
};

/// What all agents of a cohort have in common since they last met: those that know nothing else, and
/// those that were not asked for, share it.
struct Common {
  /// The control barrier at which they met, as a release barrier of each of them.
  std::vector<Head> released;
  /// Agents that know, or released, something else.
  std::vector<struct Agent*> others;
  /// Whether one of them, or they together, may have released something that others can learn of.
  bool tells_others = false;
  /// One of them took up versions for all of them.
  bool lifted = false;
  Knowledge knowledge{};
};

/// Whether program order between operations with these tags is in happens-before.
//= mmra:happens-before
inline bool fit(TagSetId a, TagSetId b) {
  return a == b || a == TagSetId::Empty || b == TagSetId::Empty || model::compatible(a, b);
}

/// What an agent that uses tags knows, by the tags of the operations through which it does.
struct TaggedKnowledge {
  struct Learnt {
    TagSetId tags = TagSetId::Empty;
    Knowledge knowledge{};
  };
  struct Released {
    TagSetId tags = TagSetId::Empty;
    SnapshotHandle known;
  };
  struct Slot {
    TagSetId tags = TagSetId::Empty;
    unsigned slot = 0;
  };
  /// By acquires with these tags: what comes before the agent's operations that fit them. There is one without tags.
  std::vector<std::unique_ptr<Learnt>> learnt;
  /// Before releases with these tags: what comes before the agent's later releases that fit them.
  std::vector<Released> released;
  /// The slots of what it does, by its tags.
  std::vector<Slot> slots;
  /// What it knows now has to be kept for the tags of what it does now.
  bool changed = false;

  /// What was learnt by operations with these tags; made if there is nothing yet.
  Knowledge& learnt_by(TagSetId tags);
};

// What every access asks for comes first, and together.
struct alignas(64) Agent {
  AgentId id = kNobody;
  std::uint32_t slot = 0;
  Common* cohort = nullptr;
  model::Place place;
  /// Whether it knows just what its cohort has in common, and met and released nothing else.
  bool like_all = false;
  /// The agent read what released something that is forgotten.
  bool met_forgotten = false;
  /// The agent was asked to take up versions.
  bool lifted = false;
  /// Reads that were served by stale copies since one might have been and was not.
  std::uint32_t stale_reads = 0;
  /// When it issued the youngest of its writes that left its cache.
  std::uint32_t youngest_placed = 0;
  /// The agent of its cohort that was made before this one; if this one is free, another free one.
  Agent* next = nullptr;
  /// Its release barriers: each later atomic write, and control barrier, carries them. Those that it has
  /// in common with its cohort come on top.
  std::vector<Head> released;
  std::vector<Met> met;
  /// Its last arrival at a control barrier: the operation, and when.
  trace::OperationIndex arrival = 0;
  Event arrived;
  /// The tags of what it does now; Empty where all share one slot.
  TagSetId tags = TagSetId::Empty;
  /// Null until it does something with tags: then `own`, and its slot, are what is so for the tags of what it does now.
  std::unique_ptr<TaggedKnowledge> tagged;
  /// If it is not like all.
  Knowledge own{};

  /// Whether acquire barriers of its have anything to synchronize with.
  bool has_met() const { return !met.empty() || met_forgotten; }
  const Knowledge& knowledge() const { return like_all ? cohort->knowledge : own; }
  /// Whether it did that itself, before what it does now and in happens-before with that.
  bool did(const Event& event) const { return event.agent == id && fit(event.tags, tags); }
  bool knows(unsigned row, const Event& event) const { return did(event) || knowledge().knows(row, event); }
};

/// The narrowest level whose instance two agents share: they share those of all wider ones.
inline CacheLevel narrowest_shared(const model::Place& a, const model::Place& b) {
  if (a.kind != model::AgentKind::Shader || b.kind != model::AgentKind::Shader)
    return a.kind == b.kind ? CacheLevel::Agent : kNoLevel;
  if (a.device != b.device) return kNoLevel;
  if (a.queue_family != b.queue_family) return CacheLevel::Shader;
  if (a.workgroup != b.workgroup) return CacheLevel::QueueFamily;
  return a.subgroup != b.subgroup ? CacheLevel::Workgroup : CacheLevel::Subgroup;
}

/// Whether two agents share the instance of a level.
inline bool share(const model::Place& a, const model::Place& b, CacheLevel level) {
  return level >= narrowest_shared(a, b);
}

/// How far two agents are apart, as Knowledge::learn_chains asks it. Instances of shader calls and of interlock are in
/// no order with the others.
inline CacheLevel apart(const model::Place& a, const model::Place& b) {
  const auto is_in_others = [](const model::Place& place) {
    return place.shader_call_group != 0 || place.interlock_group != 0;
  };
  const CacheLevel shared = narrowest_shared(a, b);
  return shared == kNoLevel || is_in_others(a) || is_in_others(b) ? CacheLevel::Agent : shared;
}

/// The order that operations give to others. Rules that are not worth their cost are replaced by ones
/// that give more order: no test can tell that from a machine that happened to be fast.
class Synchronization {
 public:
  Synchronization();
  ~Synchronization();

  void restart();

  void begin(const Cohort& cohort);
  void end(const Cohort& cohort);
  /// One that has begun. Agents are made when they are asked for.
  Agent& agent(AgentId id) {
    Agent* const asked = asked_for(id);
    return asked->id == id ? *asked : find_or_make(id);
  }
  /// Whether no agent has begun that has not ended.
  bool nobody_is_here() const { return resident_count_ == 0; }
  /// Whether somebody of that workgroup is here.
  bool is_here(std::uint32_t queue_family, std::uint32_t workgroup) const;
  /// Null if it was not asked for, or it has ended.
  Agent* find(AgentId id);
  /// The first agent of the cohort that an agent who is here belongs to.
  AgentId first_of_cohort(AgentId id) { return resident(id)->cohort.first; }
  void system_synchronizes(AgentId first, AgentId second);
  /// Whatever was done, by agents that have ended, is before all that agents do that begin from now on.
  void all_synchronize();

  /// There were too many agents for slots: all events so far are now of slot 0 and epoch 1.
  bool uses_one_slot() const { return one_slot_; }

  /// Something that the agent does now.
  Event event(const Agent& agent) const { return {agent.id, agent.slot, epochs_[agent.slot], agent.tags}; }

  /// Whether anybody used tags: before each operation of somebody that has, or of somebody who has, this is to be
  /// called.
  bool has_tags() const { return has_tags_; }
  /// What the agent does from now on has these tags.
  void use_tags(Agent& agent, TagSetId tags);

  /// The epoch of those without a slot of their own.
  std::uint32_t epoch() const { return epochs_[0]; }

  /// Whether an atomic write that does not release by itself carries releases that others can learn from.
  bool carries(AgentId agent, StorageClass storage_class, Scope scope);
  /// Whether it does for anybody: else no agent has to be asked.
  const bool& somebody_tells_others() const { return somebody_tells_others_; }
  /// Adds what an atomic write of these semantics and scope carries to `heads`.
  void heads(Agent& agent, const Operation& write, MemorySemantics semantics, std::vector<Head>& heads) {
    if (agent.cohort->tells_others || releases(semantics)) add_heads(agent, write, semantics, heads);
  }
  /// An atomic read meets what the write that it read carried.
  [[gnu::noinline]] void meet(Agent& agent, const Operation& read, MemorySemantics semantics,
                              const std::vector<Head>& heads);
  /// Meets what was carried where that is forgotten.
  [[gnu::noinline]] void meet_forgotten(Agent& agent, MemorySemantics semantics);

  /// A memory barrier, or a control barrier before it waits.
  void release_barrier(Agent& agent, const Operation& barrier);
  void acquire_barrier(Agent& agent, const Operation& barrier);
  void arrive(Agent& agent, const Operation& barrier, trace::OperationIndex index);
  /// Returns the index of the agent's arrival and those of the synchronizing ones, if not all do.
  struct Passage {
    trace::OperationIndex arrival = 0;
    /// All who arrived did the same.
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
  void begin_to_use_tags(Agent& agent);
  /// What it learnt since is kept for the tags by which it did.
  void keep_learnt(Agent& agent);
  /// What it knows for the tags of what it does now.
  void look_at_learnt(Agent& agent);
  unsigned slot_of(Agent& agent, TagSetId tags);
  /// Calls `visit` of each slot of the agent.
  template <typename Visit>
  static void for_each_slot(const Agent& agent, Visit visit) {
    if (!agent.tagged) return visit(agent.slot);
    for (const TaggedKnowledge::Slot& own : agent.tagged->slots) visit(own.slot);
  }
  /// What everything that it does comes after, whatever its tags.
  void learn_whatever_tags(Agent& agent, const Head& head);
  SnapshotHandle snapshot_of_all(Agent& agent);
  void see_own(Agent& agent, CacheLevel level);
  void make_device_visible_by_tags(Agent& agent);
  void remember(Agent& agent, Met met);
  static void supersede(std::vector<Head>& released, const Operation& barrier);
  std::vector<Head> released_by(const Agent& agent) const;
  void learn(Agent& agent, const Head& head, MemorySemantics semantics);
  static void learn(Knowledge& knowledge, const Head& head, MemorySemantics semantics, CacheLevel apart);
  /// What the agent knows, to be changed.
  Knowledge& changed(Agent& agent);
  void be_other(Agent& agent);
  void make_visible(Knowledge& knowledge, unsigned slot, CacheLevel level, MemorySemantics classes);
  static void join_released(Knowledge& known, const Knowledge& more);
  void met(Agent& agent, const Met& met, Scope scope, MemorySemantics semantics);
  void learn_everything(Agent& agent, MemorySemantics semantics);
  bool joins_group(const Group& group, const Agent& agent, const Operation& barrier) const;
  void release_to_passing(const Group& group, Agent& agent, const Operation& barrier);
  unsigned new_slot();
  [[gnu::noinline]] void use_one_slot();

  // Outlives everything that has handles.
  SnapshotPool snapshots_;

  unsigned slots_ = 1;
  bool one_slot_ = false;
  bool has_tags_ = false;
  std::uint32_t begun_ = 0;
  std::array<std::uint32_t, kClockSlots> epochs_{};
  std::deque<Agent> agents_;
  Agent* free_agents_ = nullptr;
  /// The agents that were asked for, and what all of a cohort have in common.
  struct Resident {
    Cohort cohort;
    /// By position; null until somebody asks for it.
    std::vector<Agent*> agents;
    /// The last one that somebody asked for.
    Agent* made = nullptr;
    Common common;
  };
  Resident* resident(AgentId id) {
    if (last_resident_ < resident_count_ && residents_[last_resident_]->cohort.contains(id))
      return residents_[last_resident_].get();
    return find_resident(id);
  }
  [[gnu::noinline]] Resident* find_resident(AgentId id);
  [[gnu::noinline]] void add_heads(Agent& agent, const Operation& write, MemorySemantics semantics,
                                   std::vector<Head>& heads);
  void note_release(Agent& agent) { agent.cohort->tells_others = somebody_tells_others_ = true; }
  [[gnu::noinline]] void see_who_tells_others();
  Agent*& asked_for(AgentId id) { return asked_[static_cast<std::uint32_t>(id) % asked_.size()]; }
  Agent& find_or_make(AgentId id);
  Agent& make(Resident& resident, std::uint32_t position);
  [[gnu::noinline]] void add_free_agent();
  [[gnu::noinline]] void add_resident();
  [[gnu::noinline]] void renew(Resident& resident);
  [[gnu::noinline]] static void forget_own(Agent& agent);
  template <typename Visit>
  void for_each_agent(Visit visit);
  /// The residents that began and have not ended, then those whose room can be used again.
  std::vector<std::unique_ptr<Resident>> residents_;
  std::size_t resident_count_ = 0;
  std::size_t last_resident_ = 0;
  /// Whether any of those that are here has something that tells others.
  bool somebody_tells_others_ = false;
  /// How many releases there were.
  std::uint64_t releases_ = 0;
  /// The agent that was asked for last, of those whose numbers end alike. An agent that has ended is none.
  std::array<Agent*, 16> asked_;
  /// What all agents know from the start.
  Knowledge past_{};
  std::unordered_map<std::uint64_t, Instance> instances_;
};

}  // namespace heddle::memory
