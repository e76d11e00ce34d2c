#pragma once

/// \file
/// Whether two agents do the same.

#include "emulator/explore/trace_tree.h"

namespace heddle::explore {

/// Whether two agents do the same whatever they read of all that either was seen to read. The agents that take part in
/// control barriers, and the instances of these, may differ as the two agents do.
bool do_the_same(TraceTree& a, TraceTree& b);

}  // namespace heddle::explore
