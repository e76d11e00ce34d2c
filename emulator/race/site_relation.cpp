#include "emulator/race/site_relation.h"

#include <algorithm>

#include "emulator/race/places.h"

namespace heddle::race {
namespace {

// Ordered by happens-before, and if it wrote, available to the workgroup before the later one, and visible
// to it if that reads: each by an operation of the access itself, or of a barrier.
//= vk:memory-model-location-ordered
SettledBy settler_of(const Site& x, const Site& y) {
  if (!x.non_private || !y.non_private || x.storage != y.storage || x.storage == 0) return SettledBy::Nothing;
  if (!x.writes) return SettledBy::Order;
  const bool waits_for_visibility = y.reads && y.own_visibility < kWorkgroup;
  if (x.own_availability >= kWorkgroup) return waits_for_visibility ? SettledBy::OwnVisibility : SettledBy::Order;
  return waits_for_visibility ? SettledBy::Visibility : SettledBy::Availability;
}

// Others of the workgroup come after the older one as well.
//= vk:memory-model-access-data-race
bool stands_for(const Site& x, const Site& y) {
  if (y.operation.storage_class == StorageClass::Workgroup) return true;
  if (x.writes && !y.writes) return false;
  //= vk:memory-model-atomic-operation
  if (!y.atomic || y.scope <= kWorkgroup) return true;
  return x.atomic && x.operation.locations.size_bytes == y.operation.locations.size_bytes &&
         (x.scope == y.scope || (x.scope == kDevice && y.scope < kDevice));
}

}  // namespace

Relation relation_of(const Site& x, const Site& y) {
  auto relation = static_cast<Relation>(settler_of(x, y));
  const auto add = [&](bool holds, Relation what) {
    if (holds) relation = static_cast<Relation>(relation | what);
  };
  add(x.storage == y.storage && (x.non_private || !y.non_private) && (!x.writes || y.writes), kReplaced);
  add(!x.writes && !y.writes && x.atomic == y.atomic && x.non_private == y.non_private && x.storage == y.storage,
      kReadsAlike);
  add(x.non_private, kInGroup);
  add(x.writes || y.writes, kConflicts);
  add(x.writes, kWrote);
  add(x.atomic && y.atomic && x.scope == kDevice && y.scope == kDevice &&
          x.operation.locations.size_bytes == y.operation.locations.size_bytes,
      kMutual);
  add(stands_for(x, y), kStandsFor);
  return relation;
}

bool mutually_ordered(const Places& places, const Site& x, std::uint32_t agent_of_x, const Site& y,
                      std::uint32_t agent_of_y) {
  return x.atomic && y.atomic && x.operation.locations.size_bytes == y.operation.locations.size_bytes &&
         places.same_instance(agent_of_x, agent_of_y, x.scope) &&
         places.same_instance(agent_of_x, agent_of_y, y.scope) && places.both_on_host_or_not(agent_of_x, agent_of_y);
}

// No kernel has these.
bool are_foreign(const Places& places, const Site& x, std::uint32_t agent_of_x, const Site& y,
                 std::uint32_t agent_of_y) {
  return x.operation.storage_class == StorageClass::Output && y.operation.storage_class == StorageClass::Output &&
         places.stage(agent_of_x) == model::Stage::TessellationControl &&
         places.stage(agent_of_y) == model::Stage::TessellationControl;
}

void SiteRelations::add(const Sites& sites) {
  const std::size_t all = std::min<std::size_t>(sites.count() + 1, kMost);
  for (std::size_t x = 1; x < all; ++x) {
    const Site& site = sites[static_cast<SiteId>(x)];
    facts_[x] = {site.class_number, site.operation.storage_class == StorageClass::Workgroup, site.is_link(),
                 site.atomic, site.scope};
    for (std::size_t y = 1; y < all; ++y) relations_[y * kMost + x] = relation_of(site, sites[static_cast<SiteId>(y)]);
  }
  known_ = all;
}

}  // namespace heddle::race
