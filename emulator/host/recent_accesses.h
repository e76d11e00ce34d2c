#pragma once

#include <heddle/operation.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "emulator/advice/neighbourhood.h"
#include "emulator/race/site.h"

namespace heddle::detail {

/// The last accesses to some bytes of memory, with what they read and wrote: for reports of races.
class RecentAccesses {
 public:
  explicit RecentAccesses(std::size_t most) : most_(most) {}

  void note(AgentId agent, race::SiteId site, const Locations& bytes, const advice::AccessValues& values);
  struct Known {
    Locations bytes;
    advice::AccessValues values;
  };
  /// `agent`'s last access at `site` to some of `bytes`; nothing if it is forgotten.
  std::optional<Known> last(race::SiteId site, AgentId agent, const Locations& bytes) const;
  void forget();

 private:
  struct Access {
    AgentId agent{};
    race::SiteId site = race::kNoSite;
    std::uint16_t size_bytes = 0;
    AllocationId allocation{};
    std::uint64_t offset_bytes = 0;
    advice::AccessValues values;
  };

  std::size_t most_;
  std::vector<Access> accesses_;
  /// Where the next one goes once there are as many as there may be.
  std::size_t oldest_ = 0;
  bool full_ = false;
};

inline void RecentAccesses::note(AgentId agent, race::SiteId site, const Locations& bytes,
                                 const advice::AccessValues& values) {
  const Access made{agent, site, static_cast<std::uint16_t>(bytes.size_bytes), bytes.allocation,
                    bytes.offset_bytes, values};
  if (!full_) [[unlikely]] {
    accesses_.push_back(made);
    full_ = accesses_.size() == most_;
    return;
  }
  accesses_[oldest_] = made;
  oldest_ = oldest_ + 1 == most_ ? 0 : oldest_ + 1;
}

}  // namespace heddle::detail
