#include "emulator/memory/memory.h"

#include <heddle/detail/in_place.h>

namespace heddle::memory {

emulation::InPlace& Memory::accesses_in_place() {
  static emulation::InPlace none;
  return none;
}

void Memory::meet(const Cohort& cohort, const Operation& barrier) {
  for_each_agent(cohort, barrier, [&](const Operation& of_one) { arrive(of_one); });
  for_each_agent(cohort, barrier, [&](const Operation& of_one) { leave(of_one, {}); });
}

}  // namespace heddle::memory
