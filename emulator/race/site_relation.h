#pragma once

/// \file
/// What the accesses of one instruction mean to those of another that come later, whichever agent makes them.

#include <algorithm>
#include <array>

#include "emulator/race/site.h"

namespace heddle::race {

class Places;

/// Which barriers of a workgroup order an older access before a later one: those that order all, those
/// before which it became available, or also visible, by an operation of its own or by a barrier's.
enum class SettledBy : std::uint8_t { Nothing, Order, Availability, OwnVisibility, Visibility };
inline constexpr std::size_t kSettledBy = 5;

/// A set of the following, and a SettledBy.
using Relation = std::uint16_t;
inline constexpr Relation kSettledByBits = 7;
/// Whatever the older one is in the way of, the later one of the same agent is, too.
inline constexpr Relation kReplaced = 1 << 3;
/// Both only read, and what is ordered after one is ordered after the other, if ...
inline constexpr Relation kReadsAlike = 1 << 4;
/// ... they are of one workgroup.
inline constexpr Relation kInGroup = 1 << 5;
/// One of them writes.
inline constexpr Relation kConflicts = 1 << 6;
/// The older one does.
inline constexpr Relation kWrote = 1 << 7;
/// Both are atomic in the scope of a whole device, of as many bytes: on the same bytes, through one reference, those
/// of invocations of one device are mutually ordered.
//= vk:memory-model-atomic-operation
inline constexpr Relation kMutual = 1 << 8;
/// Whether what races with the older of two accesses races with the later one, too, where both are of one workgroup and
/// a barrier is between them.
inline constexpr Relation kStandsFor = 1 << 9;

//= vk:memory-model-location-ordered
Relation relation_of(const Site& older, const Site& later);

/// Whether accesses of these instructions by two agents, to the same bytes through one reference, are mutually ordered.
//= vk:memory-model-atomic-operation
bool mutually_ordered(const Places& places, const Site& x, std::uint32_t agent_of_x, const Site& y,
                      std::uint32_t agent_of_y);
/// Whether both are to outputs of tessellation control shaders, which have an order of their own.
//= vk:memory-model-tessellation-output-ordering
bool are_foreign(const Places& places, const Site& x, std::uint32_t agent_of_x, const Site& y,
                 std::uint32_t agent_of_y);

/// What nearly every access asks of its instruction alone.
struct SiteFacts {
  std::uint8_t class_number = 0;
  bool of_workgroup = false;
  bool link = false;
  bool atomic = false;
  /// The scope of an atomic.
  Level scope = kOwn;
};

inline SettledBy settled_by(Relation relation) {
  return static_cast<SettledBy>(relation & kSettledByBits);
}

/// The relations and facts of the first sites that there are, at hand.
class SiteRelations {
 public:
  static constexpr SiteId kMost = 64;

  SiteRelations() { relations_.fill(kConflicts); }
  /// Takes notice of new ones.
  void update(const Sites& sites) {
    if (known_ <= sites.count() && known_ != kMost) [[unlikely]]
      add(sites);
  }
  /// To `later`, which is below kMost and was taken notice of, of each older one below kMost. Those that were not
  /// conflict, and nothing settles that.
  const Relation* to(SiteId later) const { return relations_.data() + std::size_t{later} * kMost; }
  /// The storage class of one that was taken notice of.
  std::uint8_t class_number(SiteId site) const { return facts_[site].class_number; }
  bool of_workgroup(SiteId site) const { return facts_[site].of_workgroup; }
  const SiteFacts& facts(SiteId site) const { return facts_[site]; }

 private:
  void add(const Sites& sites);

  std::array<Relation, std::size_t{kMost} * kMost> relations_;
  std::array<SiteFacts, kMost> facts_{};
  std::size_t known_ = 1;
};

/// Sites by number, with the relation of each pair of them: at hand for the first ones, worked out for all others.
class KernelSites {
 public:
  KernelSites() = default;
  /// Numbers them as all others do that share these, which must outlive it.
  explicit KernelSites(SiteNumbers& shared) : sites_(shared) {}

  const Site& operator[](SiteId id) const { return sites_[id]; }
  /// As Sites::recent.
  SiteId recent(const SiteKey& key) const { return sites_.recent(key); }
  /// As Sites::of; its relations are at hand from then on, if there is room for them.
  SiteId of(const Operation& operation) {
    const SiteId site = sites_.of(operation);
    relations_.update(sites_);
    return site;
  }
  /// Takes notice of the sites that others met so far.
  void update() {
    sites_.update();
    relations_.update(sites_);
  }

  /// What is at hand, of sites below SiteRelations::kMost.
  const SiteRelations& at_hand() const { return relations_; }
  /// What an older access at one site means to a later one at another.
  Relation relation(SiteId older, SiteId later) const {
    return std::max(older, later) < SiteRelations::kMost ? relations_.to(later)[older]
                                                         : relation_of(sites_[older], sites_[later]);
  }

 private:
  Sites sites_;
  SiteRelations relations_;
};

}  // namespace heddle::race
