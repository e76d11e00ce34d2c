#pragma once

/// \file
/// What releases tell: snapshots of what agents know, and the heads that atomics carry.

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "emulator/memory/knowledge.h"
#include "emulator/model/place.h"

namespace heddle::memory {

class Snapshot;
class SnapshotPool;

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
  SnapshotPool();
  ~SnapshotPool();
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

}  // namespace heddle::memory
