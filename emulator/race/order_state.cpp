#include "emulator/race/order_state.h"

namespace heddle::race {

bool SyncLog::leads_past(Classes storage) const {
  const unsigned masks = masks_.load(std::memory_order_relaxed);
  const unsigned on = on_.load(std::memory_order_relaxed);
  for (Classes mask = 1; mask < 16; ++mask) {
    if (((masks >> mask) & 1) == 0 || (mask & storage) != 0) continue;
    for (Classes other = 1; other < 16; ++other)
      if (((on >> other) & 1) != 0 && (other & storage) != 0 && (other & mask) != 0) return true;
  }
  return false;
}

}  // namespace heddle::race
