#include "emulator/host/recent_accesses.h"

namespace heddle::detail {

const RecentAccesses::Known* RecentAccesses::last(const Operation& site, AgentId agent,
                                                  const Locations& bytes) const {
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    // Backwards from the youngest.
    const Access& access = accesses_[(oldest_ + 2 * accesses_.size() - 1 - i) % accesses_.size()];
    if (access.agent == agent && access.line == site.where.line && access.file == site.where.file &&
        access.kind == site.kind && access.atomic == site.atomic &&
        access.known.bytes.overlaps(bytes))
      return &access.known;
  }
  return nullptr;
}

void RecentAccesses::forget() {
  accesses_.clear();
  oldest_ = 0;
}

}  // namespace heddle::detail
