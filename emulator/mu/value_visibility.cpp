#include <algorithm>

#include "emulator/mu/judgement.h"

namespace heddle::mu {

//= mu:visible-store
EventIndex Judgement::last_visible_store(EventIndex load) const {
  EventIndex last = kInitial;
  const std::vector<EventIndex>& stores = stores_[execution_.events[load].location];
  for (const EventIndex a : stores) {
    if (a == load || !happens_before_.has(a, load)) continue;
    const bool hidden = std::any_of(stores.begin(), stores.end(), [&](EventIndex x) {
      return x != load && happens_before_.has(a, x) && happens_before_.has(x, load);
    });
    if (!hidden && (last == kInitial || positions_[a] > positions_[last])) last = a;
  }
  return last;
}

bool Judgement::lies_behind(EventIndex load, EventIndex store) const {
  if (store == kInitial) return false;
  const std::vector<EventIndex>& stores = stores_[execution_.events[load].location];
  return std::any_of(stores.begin(), stores.end(),
                     [&](EventIndex y) { return positions_[y] <= positions_[store] && happens_before_.has(load, y); });
}

void Judgement::check_visibility(Report& report) const {
  for (EventIndex load = 0; load < count_; ++load) {
    if (!execution_.events[load].loads()) continue;
    if (execution_.events[load].is_atomic())
      check_atomic_load(load, report);
    else
      check_non_atomic_load(load, report);
  }
}

//= mu:non-atomic-load
void Judgement::check_non_atomic_load(EventIndex load, Report& report) const {
  const std::vector<EventIndex>& stores = stores_[execution_.events[load].location];
  const EventIndex seen = execution_.reads_from[load];
  const bool before = seen == kInitial || happens_before_.has(seen, load);
  const bool hidden = std::any_of(stores.begin(), stores.end(), [&](EventIndex x) {
    return (seen == kInitial || happens_before_.has(seen, x)) && happens_before_.has(x, load);
  });
  if (!before || hidden) report.push_back({Rule::NonAtomicLoadSeesVisibleStore, {load}});
}

// Where several stores are visible the sequence begins at the last of them in modification order; it ends before the
// first store that the load happens before.
//= mu:visible-sequence
void Judgement::check_atomic_load(EventIndex load, Report& report) const {
  const EventIndex seen = execution_.reads_from[load];
  if (position(seen) < position(last_visible_store(load)) || lies_behind(load, seen))
    report.push_back({Rule::AtomicLoadSeesVisibleSequence, {load}});
}

//= mu:read-read-coherence
void Judgement::check_read_read_coherence(Report& report) const {
  for (EventIndex a = 0; a < count_; ++a) {
    const Event& first = execution_.events[a];
    if (!first.loads() || !first.is_atomic()) continue;
    for (EventIndex b = 0; b < count_; ++b) {
      const Event& second = execution_.events[b];
      if (b == a || !second.loads() || !second.is_atomic() || second.location != first.location) continue;
      if (happens_before_.has(a, b) && position(execution_.reads_from[b]) < position(execution_.reads_from[a]))
        report.push_back({Rule::ReadReadCoherence, {a, b}});
    }
  }
}

}  // namespace heddle::mu
