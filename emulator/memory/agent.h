#pragma once

/// \file
/// What an agent of the machine knows, met and released.

#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/memory/knowledge.h"
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
  /// If it stands for releases of several agents: a scope of which they are all in one instance. Who acquires from one
  /// of them acquires from all.
  Scope of_several = Scope::Invocation;
  /// Whether what is known is what an agent at `place` knows, and nobody else's.
  bool of_one = false;

  /// Whether they have all but agents and places in common.
  bool is_alike(const Head& other) const {
    return scope == other.scope && semantics == other.semantics && atomic_scope == other.atomic_scope &&
           tags == other.tags;
  }
  /// How far an agent at `to` is from the one that released, as teach asks it.
  CacheLevel apart_from(const model::Place& to) const { return of_one ? apart(place, to) : CacheLevel::Agent; }
  /// An agent that acquires from it by these semantics learns what the release tells. `apart` as
  /// Knowledge::learn_chains has it.
  void teach(Knowledge& knowledge, MemorySemantics by, CacheLevel apart) const {
    knowledge.learn_from(*known, constrained_classes(semantics & by), apart);
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
  struct Slot {
    TagSetId tags = TagSetId::Empty;
    unsigned slot = 0;
  };
  /// By acquires with these tags: what comes before the agent's operations that fit them. There is one without tags.
  std::vector<std::unique_ptr<Learnt>> learnt;
  /// Before operations with these tags, and before what releases with them tell of: what comes before the agent's later
  /// releases that fit them.
  std::vector<std::unique_ptr<Learnt>> passed;
  /// The slots of what it does, by its tags.
  std::vector<Slot> slots;
  /// What it knows now has to be kept for the tags of what it does now.
  bool changed = false;

  /// What is known of these tags; made if there is nothing yet.
  static Knowledge& of_tags(std::vector<std::unique_ptr<Learnt>>& known, TagSetId tags);
  /// What was learnt by operations with these tags.
  Knowledge& learnt_by(TagSetId tags) { return of_tags(learnt, tags); }
  /// What the agent knows now, by what it does with these tags, is kept for them, if it has changed.
  void keep(TagSetId tags, const Knowledge& knows);
  /// `known` becomes what comes before operations with these tags.
  void look_up(TagSetId tags, Knowledge& known) const;
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

  /// From now on it knows, and has met and released, things of its own.
  void be_other();
  /// What it knows, to be changed.
  Knowledge& changed();
  /// The agent met a release. Where it met very many, it has learnt from the first ones already.
  void remember(Met release);
  /// Its release barriers, and those that it has in common with its cohort as its own.
  std::vector<Head> all_released() const;
  /// Calls `visit` of each of its slots.
  template <typename Visit>
  void for_each_slot(Visit visit) const {
    if (!tagged) return visit(slot);
    for (const TaggedKnowledge::Slot& one : tagged->slots) visit(one.slot);
  }
};

}  // namespace heddle::memory
