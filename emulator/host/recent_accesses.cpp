#include "emulator/host/recent_accesses.h"

#include <algorithm>

namespace heddle::detail {

std::optional<RecentAccesses::Known> RecentAccesses::last(race::SiteId site, AgentId agent,
                                                          const Locations& bytes) const {
  for (std::size_t i = 1; i <= std::min(noted_, accesses_.size()); ++i) {
    const Access& access = accesses_[(noted_ - i) & place_mask_];
    if (access.agent != agent || access.site != site) continue;
    const Locations accessed{access.allocation, access.offset_bytes, access.size_bytes};
    if (accessed.overlaps(bytes)) return Known{accessed, access.values};
  }
  return std::nullopt;
}

}  // namespace heddle::detail
