#include "emulator/lab/played_policy.h"

#include "emulator/run/memories.h"

namespace heddle::lab {

MemoryPolicy played_policy() {
  MemoryPolicy policy;
  policy.name = "played";
  policy.description = "moves nothing of its own accord, and asks for every answer";
  policy.delay = 256;
  policy.rest = 256;
  policy.stale = 256;
  policy.late_reads = 128;
  policy.record_all = true;
  policy.longest_wait = run::kLongestWait;
  return policy;
}

}  // namespace heddle::lab
