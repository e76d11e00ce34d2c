#include "runtime/admission.h"

namespace heddle::runtime {

bool Admission::reserve_among_many() {
  std::uint32_t resident = dispatch_->resident.load(std::memory_order_relaxed);
  std::uint32_t peak = dispatch_->resident_peak.load(std::memory_order_relaxed);
  do {
    if (resident >= launch_->resident_workgroups) return false;
  } while (!dispatch_->resident.compare_exchange_weak(resident, resident + 1, std::memory_order_relaxed));
  while (peak < resident + 1 &&
         !dispatch_->resident_peak.compare_exchange_weak(peak, resident + 1, std::memory_order_relaxed)) {
  }
  return true;
}

}  // namespace heddle::runtime
