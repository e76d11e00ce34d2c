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
  /// Remembers so many, at least one.
  explicit RecentAccesses(std::size_t most) : accesses_(most) { forget(); }
  RecentAccesses(const RecentAccesses&) = delete;
  RecentAccesses& operator=(const RecentAccesses&) = delete;

  [[gnu::always_inline]] void note(AgentId agent, race::SiteId site, const Locations& bytes,
                                   const advice::AccessValues& values) {
    Access& oldest = *next_;
    if (++next_ == end_) [[unlikely]] {
      next_ = accesses_.data();
      full_ = true;
    }
    oldest.agent = agent;
    oldest.site = site;
    oldest.size_bytes = static_cast<std::uint16_t>(bytes.size_bytes);
    oldest.allocation = bytes.allocation;
    oldest.offset_bytes = bytes.offset_bytes;
    oldest.values = values;
  }
  struct Known {
    Locations bytes;
    advice::AccessValues values;
  };
  /// `agent`'s last access at `site` to some of `bytes`; nothing if it is forgotten.
  std::optional<Known> last(race::SiteId site, AgentId agent, const Locations& bytes) const;
  void forget() {
    next_ = accesses_.data();
    end_ = next_ + accesses_.size();
    full_ = false;
  }

 private:
  struct Access {
    AgentId agent{};
    race::SiteId site = race::kNoSite;
    std::uint16_t size_bytes = 0;
    AllocationId allocation{};
    std::uint64_t offset_bytes = 0;
    advice::AccessValues values;
  };

  /// Each one stands where the one before it was that many accesses ago.
  std::vector<Access> accesses_;
  /// Where the next one goes, and where there is no more room.
  Access* next_ = nullptr;
  Access* end_ = nullptr;
  /// Whether there is one at and behind next_.
  bool full_ = false;
};

}  // namespace heddle::detail
