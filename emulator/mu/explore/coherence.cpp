#include "emulator/mu/explore/coherence.h"

#include <algorithm>
#include <map>

namespace heddle::mu::explore {
namespace {

/// Collects which store precedes which.
class Forcing {
 public:
  Forcing(const Judgement& part, LocationIndex location);
  bool force();
  ForcedOrder take() { return std::move(order_); }

 private:
  const Event& event(EventIndex e) const { return events_[e]; }
  EventIndex seen(EventIndex load) const { return part_.execution().reads_from[load]; }
  /// `a` precedes `b`; the initial value precedes everything. False if that cannot be.
  bool add(EventIndex a, EventIndex b);
  bool force_by_load(EventIndex load);
  bool force_by_updates();

  const Judgement& part_;
  const std::vector<Event>& events_;
  std::vector<EventIndex> loads_;
  std::vector<std::uint32_t> place_;
  ForcedOrder order_;
};

Forcing::Forcing(const Judgement& part, LocationIndex location)
    : part_(part), events_(part.execution().events), place_(events_.size(), kNone) {
  for (EventIndex e = 0; e < events_.size(); ++e) {
    if (event(e).location != location) continue;
    if (event(e).stores()) {
      place_[e] = static_cast<std::uint32_t>(order_.stores.size());
      order_.stores.push_back(e);
    }
    if (event(e).loads() && event(e).is_atomic() && seen(e) != kUnresolved) loads_.push_back(e);
  }
  order_.before = Relation(order_.stores.size());
}

bool Forcing::add(EventIndex a, EventIndex b) {
  if (a == b || b == kInitial) return false;
  if (a != kInitial) order_.before.add(place_[a], place_[b]);
  return true;
}

bool Forcing::force_by_load(EventIndex b) {
  const EventIndex w = seen(b);
  for (const EventIndex y : order_.stores) {
    if (y != b && y != w && part_.happens_before(y, b) && !add(y, w)) return false;
    if (part_.happens_before(b, y) && !add(w, y)) return false;
  }
  for (const EventIndex a : loads_)
    if (seen(a) != w && a != b && part_.happens_before(a, b) && !add(seen(a), w)) return false;
  return event(b).kind != EventKind::ReadModifyWrite || add(w, b);
}

// Nothing stands between a read-modify-write and what it reads.
bool Forcing::force_by_updates() {
  order_.before.close();
  bool grew = false;
  for (const EventIndex u : loads_) {
    if (event(u).kind != EventKind::ReadModifyWrite) continue;
    const EventIndex w = seen(u);
    for (const EventIndex y : order_.stores) {
      if (y == u || y == w) continue;
      const bool behind_w = w == kInitial || order_.before.has(place_[w], place_[y]);
      if (behind_w && !order_.before.has(place_[u], place_[y])) {
        order_.before.add(place_[u], place_[y]);
        grew = true;
      }
      if (!order_.before.has(place_[y], place_[u]) || w == kInitial || order_.before.has(place_[y], place_[w]))
        continue;
      order_.before.add(place_[y], place_[w]);
      grew = true;
    }
  }
  return grew;
}

bool Forcing::force() {
  for (const EventIndex a : order_.stores)
    for (const EventIndex b : order_.stores)
      if (part_.happens_before(a, b) && !add(a, b)) return false;
  if (!std::all_of(loads_.begin(), loads_.end(), [&](EventIndex load) { return force_by_load(load); })) return false;
  while (force_by_updates())
    if (!order_.before.acyclic()) return false;
  return order_.before.acyclic();
}

bool plain_load_may_be(const Judgement& part, EventIndex load, const std::vector<EventIndex>& stores) {
  const EventIndex seen = part.execution().reads_from[load];
  if (seen != kInitial && part.happens_before(load, seen)) return false;
  return std::none_of(stores.begin(), stores.end(), [&](EventIndex x) {
    return x != seen && (seen == kInitial || part.happens_before(seen, x)) && part.happens_before(x, load);
  });
}

void extend(const Execution& execution, const ForcedOrder& forced, std::vector<EventIndex>& order,
            std::vector<bool>& placed, std::vector<std::vector<EventIndex>>& out) {
  if (order.size() == forced.stores.size()) return out.push_back(order);
  for (std::uint32_t i = 0; i < forced.stores.size(); ++i) {
    if (placed[i]) continue;
    const EventIndex store = forced.stores[i];
    bool next = execution.events[store].kind != EventKind::ReadModifyWrite ||
                execution.reads_from[store] == (order.empty() ? kInitial : order.back());
    for (std::uint32_t j = 0; next && j < forced.stores.size(); ++j) next = placed[j] || !forced.before.has(j, i);
    if (!next) continue;
    placed[i] = true;
    order.push_back(store);
    extend(execution, forced, order, placed, out);
    order.pop_back();
    placed[i] = false;
  }
}

}  // namespace

std::optional<ForcedOrder> forced_order(const Judgement& part, LocationIndex location) {
  Forcing forcing(part, location);
  if (!forcing.force()) return std::nullopt;
  return forcing.take();
}

bool may_grow(const Judgement& part) {
  const Execution& execution = part.execution();
  if (!part.happens_before().acyclic()) return false;
  std::map<LocationIndex, std::vector<EventIndex>> stores;
  for (EventIndex e = 0; e < execution.events.size(); ++e)
    if (execution.events[e].stores()) stores[execution.events[e].location].push_back(e);
  for (EventIndex e = 0; e < execution.events.size(); ++e) {
    const Event& event = execution.events[e];
    if (event.loads() && execution.reads_from[e] != kUnresolved && !event.is_atomic() &&
        !plain_load_may_be(part, e, stores[event.location]))
      return false;
  }
  const std::vector<LocationIndex> atomic = execution.atomic_locations();
  return std::all_of(atomic.begin(), atomic.end(),
                     [&](LocationIndex location) { return forced_order(part, location).has_value(); });
}

std::vector<std::vector<EventIndex>> modification_orders(const Execution& execution, const ForcedOrder& forced) {
  std::vector<std::vector<EventIndex>> out;
  std::vector<EventIndex> order;
  std::vector<bool> placed(forced.stores.size(), false);
  extend(execution, forced, order, placed, out);
  return out;
}

}  // namespace heddle::mu::explore
