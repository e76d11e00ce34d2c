#pragma once

/// \file
/// What an access is shown of a granule: the versions between its agent's floor and the newest.

#include <heddle/memory_policy.h>

#include <optional>

#include "emulator/memory/chains.h"
#include "emulator/memory/shared_copies.h"

namespace heddle::memory {

/// Answers reads of granules that are remembered, and keeps the floors behind which no agent goes back.
///
/// A read takes the state at one position of the granule's order. It is not before the agent's floor: what the agent,
/// or an agent that it synchronized with, met before, and what has become visible to it. Among the positions that are
/// left the policy chooses. What the agent itself has waiting is what it reads.
class Visibility {
 public:
  /// All of these outlive the visibility.
  Visibility(const MemoryPolicy& policy, GranuleTable& granules, Outbox& outbox, WriteOrder& order, Chains& chains,
             Draws& draws, Synchronization& synchronization, Telling& telling, MemoryReport& report)
      : policy_(policy),
        outbox_(outbox),
        order_(order),
        chains_(chains),
        draws_(draws),
        synchronization_(synchronization),
        telling_(telling),
        report_(report),
        copies_(policy, granules, draws, synchronization, report) {}
  void restart() {
    copies_.restart();
    served_.reset();
  }

  SharedCopies& copies() { return copies_; }
  const SharedCopies& copies() const { return copies_; }

  /// What the access reads, which moves what its agent must know of, and raises the agent's floor. `fresh`: it is an
  /// update, which takes the newest. `found` is where it looked. The sources are set, if anything asks for them.
  trace::Value read(Granule& granule, std::uint32_t record, const GranuleAccess& reading, bool fresh, Found& found);
  /// Tells that the read that was told last looked before the newest.
  [[gnu::noinline]] void tell_stale(const Granule& granule, const Found& found);
  /// Calls `visit` of each version that a read has bytes of. Whether it has others from the storage.
  template <typename Visit>
  static bool for_each_met(const Granule& granule, const GranuleAccess& access, const Found& found, Visit visit) {
    if (found.from_storage) return true;
    if (found.whole) visit(*found.version);
    return !found.whole && found.version && for_each_of_several(granule, access, found, visit);
  }
  /// Before a write: it comes after all that is available and happened before it, visible or not.
  void raise_floor_to_available(Granule& granule, const GranuleAccess& writing) {
    if (granule.versions.empty() || !chains_.knows_others(writing.agent)) return;
    const Floor* const known = granule.floors.find(writing.agent.id, writing.operation.reference);
    const Stamp floor = known ? std::max(known->stamp, granule.floor) : granule.floor;
    if (granule.versions.back().stamp > floor) raise_floor_above(granule, writing, floor);
  }

  // For a caller that plays the machine by hand:
  /// The next read is answered with what `write` left.
  void serve(trace::OperationIndex write) { served_ = write; }
  /// The oldest position that could be chosen, before a visibility operation that the read may have of its own.
  Stamp oldest(Granule& granule, const GranuleAccess& reading) const;
  /// What the access would find at a position.
  void look(const Granule& granule, const GranuleAccess& access, Stamp position, Found& found) const;
  /// The latest version up to a position that reaches the access and has any of its bytes; null if that is the storage.
  const Version* newest_reached(const Granule& granule, const GranuleAccess& access, Stamp position) const;

 private:
  Stamp floor_of(const Granule& granule, const Floor* known, const GranuleAccess& access, CacheLevel own,
                 Stamp least) const;
  [[gnu::noinline]] void raise_floor_above(Granule& granule, const GranuleAccess& writing, Stamp floor);
  bool is_before(const Observation& observation, const GranuleAccess& access) const;
  [[gnu::noinline]] Stamp passed_on(const Granule& granule, const GranuleAccess& reading, Stamp met) const;
  template <typename Visit>
  [[gnu::noinline]] static bool for_each_of_several(const Granule& granule, const GranuleAccess& access,
                                                    const Found& found, Visit visit);
  void look_at(const Version* version, const Granule& granule, const GranuleAccess& access, Found& found) const;
  static void look_at_storage(const Granule& granule, Found& found);
  [[gnu::noinline]] void add_older(const Granule& granule, const GranuleAccess& access, Found& found) const;
  Stamp choose_position(Granule& granule, const GranuleAccess& access, Stamp floor, Stamp newest);
  [[gnu::noinline]] Stamp choose_stale(const Granule& granule, const GranuleAccess& access, Stamp floor);
  const Version* newest_for(const Granule& granule, const GranuleAccess& access) const;
  void find_version(Granule& granule, const GranuleAccess& reading, bool fresh, Stamp floor, Found& found);
  [[gnu::noinline]] void find_served(const Granule& granule, const GranuleAccess& reading, Found& found);
  [[gnu::noinline]] bool raise_missed(Granule& granule, const GranuleAccess& reading, ByteMask bytes, Stamp position);
  [[gnu::noinline]] void add_sources(const Granule& granule, std::uint32_t record, const GranuleAccess& reading,
                                     const Found& found, bool own);

  const MemoryPolicy& policy_;
  Outbox& outbox_;
  WriteOrder& order_;
  Chains& chains_;
  Draws& draws_;
  Synchronization& synchronization_;
  Telling& telling_;
  MemoryReport& report_;
  SharedCopies copies_;
  /// What the next read is answered with (serve).
  std::optional<trace::OperationIndex> served_;
};

template <typename Visit>
bool Visibility::for_each_of_several(const Granule& granule, const GranuleAccess& access, const Found& found,
                                     Visit visit) {
  ByteMask missing = access.bytes;
  for (auto version = granule.versions.rbegin(); version != granule.versions.rend(); ++version) {
    if (version->stamp > found.stamp || (version->bytes & missing) == 0 || !reaches(*version, access)) continue;
    visit(*version);
    missing &= ~version->bytes;
  }
  return missing != 0;
}

}  // namespace heddle::memory
