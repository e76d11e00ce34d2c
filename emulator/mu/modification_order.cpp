#include "emulator/mu/judgement.h"

namespace heddle::mu {

//= mu:modification-order
void Judgement::order_modifications() {
  for (const std::vector<EventIndex>& order : execution_.modification_order)
    for (std::uint32_t i = 0; i < order.size(); ++i) positions_[order[i]] = i + 1;
}

//= mu:modification-order
void Judgement::check_modification_order(Report& report) const {
  for (const std::vector<EventIndex>& order : execution_.modification_order)
    for (std::size_t later = 0; later < order.size(); ++later)
      for (std::size_t earlier = 0; earlier < later; ++earlier)
        if (happens_before_.has(order[later], order[earlier]))
          report.push_back({Rule::ModificationOrderFollowsHappensBefore, {order[later], order[earlier]}});
}

//= mu:release-sequence
void Judgement::find_release_sequences() {
  for (LocationIndex location = 0; location < execution_.locations; ++location) {
    for (const EventIndex head : stores_[location])
      if (execution_.events[head].is_atomic()) release_sequence_.add(head, head);
    if (location >= execution_.modification_order.size()) continue;
    const std::vector<EventIndex>& order = execution_.modification_order[location];
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (!execution_.events[order[i]].is_atomic()) continue;
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        const Event& next = execution_.events[order[j]];
        const bool own = next.thread == execution_.events[order[i]].thread;
        if (!next.is_atomic() || !(own || next.kind == EventKind::ReadModifyWrite)) break;
        release_sequence_.add(order[i], order[j]);
      }
    }
  }
  if (!execution_.modification_order.empty()) return;
  // In a part of an execution a read-modify-write stands right behind what it reads, whatever else comes. Another store
  // of the same thread need not: a store of another thread may come between.
  for (EventIndex e = 0; e < count_; ++e) {
    if (execution_.events[e].kind != EventKind::ReadModifyWrite) continue;
    for (EventIndex at = execution_.reads_from[e]; at < count_; at = execution_.reads_from[at]) {
      // An exchange may see one that sees it: no modification order agrees, but that is found elsewhere.
      if (!execution_.events[at].is_atomic() || release_sequence_.has(at, e)) break;
      release_sequence_.add(at, e);
      if (execution_.events[at].kind != EventKind::ReadModifyWrite) break;
    }
  }
}

//= mu:read-modify-write
void Judgement::check_read_modify_writes(Report& report) const {
  for (EventIndex e = 0; e < count_; ++e) {
    if (execution_.events[e].kind != EventKind::ReadModifyWrite) continue;
    if (position(execution_.reads_from[e]) + 1 != positions_[e])
      report.push_back({Rule::ReadModifyWriteSeesLastStore, {e}});
  }
}

}  // namespace heddle::mu
