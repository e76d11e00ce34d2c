#include "emulator/host/recent_accesses.h"

namespace heddle::detail {

std::optional<RecentAccesses::Known> RecentAccesses::last(race::SiteId site, AgentId agent,
                                                          const Locations& bytes) const {
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    // Backwards from the youngest.
    const Access& access = accesses_[(oldest_ + 2 * accesses_.size() - 1 - i) % accesses_.size()];
    if (access.agent != agent || access.site != site) continue;
    const Locations accessed{access.allocation, access.offset_bytes, access.size_bytes};
    if (accessed.overlaps(bytes)) return Known{accessed, access.values};
  }
  return std::nullopt;
}

void RecentAccesses::forget() {
  accesses_.clear();
  oldest_ = 0;
  full_ = false;
}

}  // namespace heddle::detail
