#pragma once

#include <heddle/operation.h>

#include <cstddef>
#include <vector>

#include "emulator/advice/neighbourhood.h"

namespace heddle::detail {

/// The last accesses to some bytes of memory, with what they read and wrote: for reports of races.
class RecentAccesses {
 public:
  explicit RecentAccesses(std::size_t most) : most_(most) {}

  void note(const Operation& access, const advice::AccessValues& values);
  struct Known {
    Locations bytes;
    advice::AccessValues values;
  };
  /// `agent`'s last access with the instruction of `site` to some of `bytes`; null if it is forgotten.
  /// Valid until the next one is noted.
  const Known* last(const Operation& site, AgentId agent, const Locations& bytes) const;
  void forget();

 private:
  struct Access {
    AgentId agent{};
    std::uint32_t line = 0;
    const char* file = nullptr;
    OperationKind kind = OperationKind::Read;
    bool atomic = false;
    Known known;
  };

  std::size_t most_;
  std::vector<Access> accesses_;
  /// Where the next one goes once there are as many as there may be.
  std::size_t oldest_ = 0;
};

inline void RecentAccesses::note(const Operation& access, const advice::AccessValues& values) {
  const Access made{access.agent, access.where.line, access.where.file,
                    access.kind,  access.atomic,     {access.locations, values}};
  if (accesses_.size() < most_) {
    accesses_.push_back(made);
    return;
  }
  accesses_[oldest_] = made;
  oldest_ = oldest_ + 1 == most_ ? 0 : oldest_ + 1;
}

}  // namespace heddle::detail
