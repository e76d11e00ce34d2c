#include "emulator/judge/relation.h"

#include <algorithm>
#include <bit>
#include <deque>

namespace heddle::judge {

bool Relation::relates(EventIndex a) const {
  const auto row = bits_.begin() + static_cast<std::ptrdiff_t>(a * stride_);
  return std::any_of(row, row + static_cast<std::ptrdiff_t>(stride_), [](std::uint64_t word) { return word != 0; });
}

Relation Relation::then(const Relation& next) const {
  Relation result(events_);
  // Most relations relate few events to others.
  EventSet leads_on(events_);
  for (EventIndex b = 0; b < events_; ++b)
    if (next.relates(b)) leads_on.add(b);
  for (EventIndex a = 0; a < events_; ++a) {
    EventSet on = leads_on;
    on &= successors(a);
    on.for_each([&](EventIndex b) { result.add_row(a, next, b); });
  }
  return result;
}

void Relation::resize(std::size_t events) {
  const std::size_t stride = (events + 63) / 64;
  if (stride != stride_) {
    std::vector<std::uint64_t> bits(events * stride, 0);
    for (std::size_t a = 0; a < events && a < events_; ++a)
      for (std::size_t i = 0; i < stride && i < stride_; ++i) bits[a * stride + i] = bits_[a * stride_ + i];
    bits_ = std::move(bits);
    stride_ = stride;
  } else {
    bits_.resize(events * stride, 0);
  }
  if (events < events_ && events % 64 != 0)
    for (std::size_t a = 0; a < events; ++a) bits_[a * stride + stride - 1] &= (std::uint64_t{1} << (events % 64)) - 1;
  events_ = events;
}

void Relation::close() {
  if (stride_ == 1) {
    // A row of up to 64 events is a word.
    std::uint64_t* const rows = bits_.data();
    for (EventIndex through = 0; through < events_; ++through) {
      const std::uint64_t row = rows[through];
      if (row == 0) continue;
      for (EventIndex a = 0; a < events_; ++a) rows[a] |= row & -((rows[a] >> through) & 1);
    }
    return;
  }
  for (EventIndex through = 0; through < events_; ++through) {
    if (!relates(through)) continue;
    for (EventIndex a = 0; a < events_; ++a)
      if (has(a, through)) add_row(a, *this, through);
  }
}

bool Relation::acyclic() const {
  // Takes away events that lead to nothing that is left; what never goes is on or before a cycle.
  if (stride_ == 1) {
    std::uint64_t left = 0;
    for (EventIndex e = 0; e < events_; ++e)
      if (bits_[e] != 0) left |= std::uint64_t{1} << e;
    for (std::uint64_t before = 0; before != left;) {
      before = left;
      for (std::uint64_t w = left; w; w &= w - 1)
        if ((bits_[static_cast<std::size_t>(std::countr_zero(w))] & left) == 0) left &= ~(w & -w);
    }
    return left == 0;
  }
  EventSet left(events_);
  for (EventIndex e = 0; e < events_; ++e) left.add(e);
  // What comes later mostly has a higher number: so most go at once.
  for (bool progress = true; progress;) {
    progress = false;
    for (auto e = static_cast<EventIndex>(events_); e-- > 0;) {
      if (!left.has(e) || row_meets(e, left)) continue;
      left.remove(e);
      progress = true;
    }
  }
  return left.empty();
}

std::vector<EventIndex> Relation::shortest_path(EventIndex a, EventIndex b) const {
  constexpr EventIndex kUnseen = ~EventIndex{0};
  std::vector<EventIndex> before(events_, kUnseen);
  std::deque<EventIndex> queue{a};
  while (!queue.empty()) {
    const EventIndex at = queue.front();
    queue.pop_front();
    for_each_successor(at, [&](EventIndex next) {
      if (before[next] != kUnseen) return;
      before[next] = at;
      queue.push_back(next);
    });
    if (before[b] == kUnseen) continue;
    std::vector<EventIndex> path{b};
    do path.push_back(before[path.back()]);
    while (path.back() != a);
    std::reverse(path.begin(), path.end());
    return path;
  }
  return {};
}

std::vector<EventIndex> Relation::shortest_cycle() const {
  std::vector<EventIndex> shortest;
  for (EventIndex e = 0; e < events_; ++e) {
    std::vector<EventIndex> path = shortest_path(e, e);
    if (path.empty()) continue;
    path.pop_back();
    if (shortest.empty() || path.size() < shortest.size()) shortest = std::move(path);
  }
  return shortest;
}

}  // namespace heddle::judge
