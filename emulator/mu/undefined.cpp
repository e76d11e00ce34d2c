#include "emulator/mu/judgement.h"

namespace heddle::mu {

//= mu:data-race
void Judgement::find_data_races(std::vector<UndefinedPair>& out) const {
  for (EventIndex a = 0; a < count_; ++a) {
    const Event& first = execution_.events[a];
    if (!first.accesses() || first.is_atomic()) continue;
    for (EventIndex b = a + 1; b < count_; ++b) {
      const Event& second = execution_.events[b];
      if (!second.accesses() || second.is_atomic() || second.location != first.location) continue;
      if (second.thread == first.thread || !(first.stores() || second.stores())) continue;
      if (!happens_before_.has(a, b) && !happens_before_.has(b, a)) out.push_back({Undefined::Race, a, b});
    }
  }
}

// In whatever thread, ordered or not.
//= mu:mixed-accesses
void Judgement::find_mixed_accesses(std::vector<UndefinedPair>& out) const {
  for (EventIndex a = 0; a < count_; ++a)
    for (EventIndex b = a + 1; b < count_; ++b) {
      const Event& first = execution_.events[a];
      const Event& second = execution_.events[b];
      if (first.accesses() && second.accesses() && first.location == second.location &&
          first.is_atomic() != second.is_atomic())
        out.push_back({Undefined::Mixed, a, b});
    }
}

// A swap-stack and a trap are recorded as their unbinding and their binding, in program order.
//= mu:stack-operations
//= mu:unordered-stack-operations
void Judgement::find_stack_conflicts(std::vector<UndefinedPair>& out) const {
  for (EventIndex a = 0; a < count_; ++a) {
    if (!execution_.events[a].binds()) continue;
    for (EventIndex b = a + 1; b < count_; ++b)
      if (execution_.events[b].binds() && execution_.events[b].stack == execution_.events[a].stack &&
          !happens_before_.has(a, b) && !happens_before_.has(b, a))
        out.push_back({Undefined::Stack, a, b});
  }
}

}  // namespace heddle::mu
