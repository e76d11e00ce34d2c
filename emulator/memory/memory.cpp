#include "emulator/memory/memory.h"

namespace heddle::memory {

void Memory::meet(const Cohort& cohort, const Operation& barrier) {
  Operation of_one = barrier;
  for (std::uint32_t i = 0; i < cohort.count; ++i) {
    of_one.agent = cohort.agent(i);
    arrive(of_one);
  }
  for (std::uint32_t i = 0; i < cohort.count; ++i) {
    of_one.agent = cohort.agent(i);
    leave(of_one, {});
  }
}

}  // namespace heddle::memory
