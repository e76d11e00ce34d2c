#include <algorithm>
#include <unordered_set>

#include "emulator/mu/judgement.h"

namespace heddle::mu {
namespace {

/// Looks for the order S, from its beginning. What may come next depends only on the set of what came before:
/// the last SEQ_CST store of a location in S is the one that is last in modification order.
class OrderSearch {
 public:
  explicit OrderSearch(const Judgement& judgement);
  bool find();
  std::vector<EventIndex> order() const { return order_; }

 private:
  const Event& event(EventIndex e) const { return judgement_.execution().events[e]; }
  EventIndex seen(EventIndex load) const { return judgement_.execution().reads_from[load]; }
  bool may_follow(std::size_t candidate) const;
  EventIndex last_store(LocationIndex location) const;
  bool load_fits(EventIndex load) const;
  bool load_respects_fences(EventIndex load) const;
  bool fence_fits(EventIndex fence) const;
  /// Whether the load sees an atomic store that precedes the fence in program order, or something later.
  bool sees_stores_before(EventIndex fence, EventIndex load) const;

  const Judgement& judgement_;
  std::vector<EventIndex> operations_;
  /// For each operation what must precede it in S.
  std::vector<std::vector<std::size_t>> predecessors_;
  std::vector<bool> placed_;
  std::vector<EventIndex> order_;
  std::unordered_set<std::vector<bool>> failed_;
};

OrderSearch::OrderSearch(const Judgement& judgement) : judgement_(judgement) {
  const std::vector<Event>& events = judgement.execution().events;
  for (EventIndex e = 0; e < events.size(); ++e)
    if ((events[e].accesses() || events[e].is_fence()) && is_seq_cst(events[e].order)) operations_.push_back(e);
  placed_.assign(operations_.size(), false);
  predecessors_.resize(operations_.size());
  //= mu:seq-cst-order
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    for (std::size_t j = 0; j < operations_.size(); ++j) {
      const EventIndex a = operations_[i];
      const EventIndex b = operations_[j];
      const bool modified = a != b && events[a].stores() && events[b].stores() &&
                            events[a].location == events[b].location && judgement.position(a) < judgement.position(b);
      if (judgement.happens_before(a, b) || modified) predecessors_[j].push_back(i);
    }
  }
}

EventIndex OrderSearch::last_store(LocationIndex location) const {
  EventIndex last = kInitial;
  for (const EventIndex e : order_)
    if (event(e).stores() && event(e).location == location && judgement_.position(e) > judgement_.position(last))
      last = e;
  return last;
}

//= mu:seq-cst-load
bool OrderSearch::load_fits(EventIndex load) const {
  const EventIndex last = last_store(event(load).location);
  const EventIndex value = seen(load);
  if (last != kInitial && value == last) return true;
  if (value != kInitial && is_seq_cst(event(value).order)) return false;
  if (last == kInitial) return true;
  // The initial value happens before every store.
  return value != kInitial && !judgement_.happens_before(value, last);
}

bool OrderSearch::sees_stores_before(EventIndex fence, EventIndex load) const {
  const std::vector<Event>& events = judgement_.execution().events;
  for (EventIndex a = 0; a < fence; ++a) {
    if (!judgement_.program_order().has(a, fence) || !events[a].stores() || !events[a].is_atomic()) continue;
    if (events[a].location == events[load].location && judgement_.position(seen(load)) < judgement_.position(a))
      return false;
  }
  return true;
}

//= mu:seq-cst-fence-before-operation
bool OrderSearch::load_respects_fences(EventIndex load) const {
  return std::all_of(order_.begin(), order_.end(),
                     [&](EventIndex x) { return !event(x).is_fence() || sees_stores_before(x, load); });
}

bool OrderSearch::fence_fits(EventIndex fence) const {
  const std::vector<Event>& events = judgement_.execution().events;
  for (EventIndex b = fence + 1; b < events.size(); ++b) {
    if (!judgement_.program_order().has(fence, b) || !events[b].loads() || !events[b].is_atomic()) continue;
    //= mu:seq-cst-fence-before-load
    if (judgement_.position(seen(b)) < judgement_.position(last_store(events[b].location))) return false;
    //= mu:seq-cst-fences
    if (!load_respects_fences(b)) return false;
  }
  return true;
}

bool OrderSearch::may_follow(std::size_t candidate) const {
  if (placed_[candidate]) return false;
  const std::vector<std::size_t>& before = predecessors_[candidate];
  if (!std::all_of(before.begin(), before.end(), [&](std::size_t i) { return placed_[i]; })) return false;
  const EventIndex e = operations_[candidate];
  if (event(e).is_fence()) return fence_fits(e);
  return !event(e).loads() || (load_fits(e) && load_respects_fences(e));
}

bool OrderSearch::find() {
  if (order_.size() == operations_.size()) return true;
  if (failed_.count(placed_) != 0) return false;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (!may_follow(i)) continue;
    placed_[i] = true;
    order_.push_back(operations_[i]);
    if (find()) return true;
    order_.pop_back();
    placed_[i] = false;
  }
  failed_.insert(placed_);
  return false;
}

}  // namespace

std::optional<std::vector<EventIndex>> Judgement::sequentially_consistent_order() const {
  OrderSearch search(*this);
  if (!search.find()) return std::nullopt;
  return search.order();
}

//= mu:seq-cst-order
void Judgement::check_sequential_consistency(Report& report) const {
  if (!sequentially_consistent_order()) report.push_back({Rule::SequentiallyConsistentOrder, {}});
}

}  // namespace heddle::mu
