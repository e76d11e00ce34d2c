#pragma once

/// \file
/// The copies that the caches of workgroups keep, under policies with shared copies.

#include <heddle/memory_policy.h>

#include <cstddef>
#include <vector>

#include "emulator/memory/draws.h"
#include "emulator/memory/granule_access.h"
#include "emulator/memory/granule_table.h"

namespace heddle::memory {

/// Keeps, for each workgroup and granule, the position at which the workgroup's cache has a copy, and gives copies up.
///
/// A copy is of a *generation* of its workgroup's copies; it serves reads as long as that is the present one. A copy
/// that is before its reader's floor, or behind the newest, serves none. The copies stand in the granules; the
/// generations of workgroups that have ended are forgotten.
class SharedCopies {
 public:
  /// Whatever is passed by reference outlives the copies.
  SharedCopies(const MemoryPolicy& policy, GranuleTable& granules, Draws& draws, const Synchronization& synchronization,
               MemoryReport& report)
      : policy_(policy), granules_(granules), draws_(draws), synchronization_(synchronization), report_(report) {}
  void restart() { generations_.clear(); }

  /// Where a read of the granule looks, between `floor` and `newest`: at the copy of its agent's workgroup if that
  /// serves it, else at `newest` or, if the workgroup has none yet, by chance at `floor`; then that is the copy.
  [[gnu::noinline]] Stamp read(Granule& granule, const GranuleAccess& access, Stamp floor, Stamp newest);
  /// A visibility operation in that place: the copies of its workgroup go, but those that were fetched with tags that
  /// do not fit the operation's.
  void give_up(const model::Place& place, const Operation& operation);

  /// The granule is forgotten, and its copies with it.
  void drop(Granule& granule);
  /// Some workgroup has ended.
  void forget_ended() {
    if (!generations_.empty()) forget_generations();
  }
  /// How many workgroups, and how many of their copies, are remembered.
  std::size_t remembered() const;

 private:
  struct Generation {
    std::uint32_t queue_family = 0;
    std::uint32_t workgroup = 0;
    std::uint32_t generation = 0;
    /// So many granules have a copy of this generation.
    std::uint32_t copies = 0;
  };
  Generation* find(std::uint32_t queue_family, std::uint32_t workgroup);
  Generation& generation_of(const model::Place& place);
  void add(Granule& granule, const Copy& copy);
  void give_up_fitting(Generation& now, TagSetId tags);
  [[gnu::noinline]] void forget_generations();

  const MemoryPolicy& policy_;
  GranuleTable& granules_;
  Draws& draws_;
  const Synchronization& synchronization_;
  MemoryReport& report_;
  /// By queue family and workgroup, of those that are here: how often its copies were given up.
  std::vector<Generation> generations_;
};

}  // namespace heddle::memory
