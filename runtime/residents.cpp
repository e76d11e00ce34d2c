#include "runtime/residents.h"

#include <algorithm>

namespace heddle::runtime {

void Residents::remove(Group& g) {
  const auto at = std::find(all_.begin(), all_.end(), &g);
  HEDDLE_CHECK(at != all_.end(), "a workgroup ended that was not resident");
  all_.erase(at);
}

void Residents::turn_to(const Group* g) {
  if (g) turn_ = static_cast<std::size_t>(std::find(all_.begin(), all_.end(), g) - all_.begin());
  if (turn_ >= all_.size()) turn_ = 0;
}

}  // namespace heddle::runtime
