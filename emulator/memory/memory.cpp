#include "emulator/memory/memory.h"

namespace heddle::memory {

void Memory::meet(const Cohort& cohort, const Operation& barrier) {
  for_each_agent(cohort, barrier, [&](const Operation& of_one) { arrive(of_one); });
  for_each_agent(cohort, barrier, [&](const Operation& of_one) { leave(of_one, {}); });
}

}  // namespace heddle::memory
