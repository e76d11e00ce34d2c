#include "emulator/host/model_fairness.h"

namespace heddle::detail {

// A dispatch is one queue family: what its device guarantees of those makes no difference.
bool ModelFairness::guarantees(runtime::FairnessLevel level, const runtime::Standing& standing) const {
  constexpr std::size_t kQueueFamily = 1;
  return progress::guarantees(models_[kQueueFamily + static_cast<std::size_t>(level)], standing.begun, standing.lowest,
                              standing.below_begun);
}

}  // namespace heddle::detail
