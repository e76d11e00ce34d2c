#include <algorithm>

#include "emulator/mu/judgement.h"

namespace heddle::mu {
namespace {

/// Looks for one order of all futex operations that explains every queue. The queue orders and happens-before have no
/// cycle if and only if there is such an order.
class QueueSearch {
 public:
  explicit QueueSearch(const Judgement& judgement);
  bool find();

 private:
  using Queues = std::vector<std::vector<EventIndex>>;

  const Event& event(EventIndex e) const { return judgement_.execution().events[e]; }
  bool search(Queues queues);
  bool perform(EventIndex operation, Queues& queues);
  bool wake(EventIndex operation, Queues& queues);
  bool expire(EventIndex operation, Queues& queues);
  bool loads_fit() const;
  bool load_fits(std::size_t load, const Relation& before) const;

  const Judgement& judgement_;
  std::vector<EventIndex> operations_;
  Relation path_;
  std::vector<bool> placed_;
  /// By location: positions in operations_ in the order found so far.
  std::vector<std::vector<std::size_t>> orders_;
  std::vector<EventIndex> waker_of_wait_;
};

QueueSearch::QueueSearch(const Judgement& judgement) : judgement_(judgement), orders_(judgement.execution().locations) {
  const std::vector<Event>& events = judgement.execution().events;
  waker_of_wait_.assign(events.size(), kNone);
  for (EventIndex e = 0; e < events.size(); ++e) {
    if (events[e].is_futex_operation()) operations_.push_back(e);
    if (events[e].kind == EventKind::FutexResume) waker_of_wait_[events[e].wait] = events[e].waker;
  }
  placed_.assign(operations_.size(), false);
  if (operations_.empty()) return;
  path_ = judgement.happens_before();
  path_.close();
}

bool QueueSearch::find() {
  return operations_.empty() || search(Queues(judgement_.execution().locations));
}

bool QueueSearch::search(Queues queues) {
  if (std::all_of(placed_.begin(), placed_.end(), [](bool done) { return done; })) return loads_fit();
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    bool next = !placed_[i];
    for (std::size_t j = 0; next && j < operations_.size(); ++j)
      next = placed_[j] || j == i || !path_.has(operations_[j], operations_[i]);
    if (!next) continue;
    Queues after = queues;
    std::vector<std::vector<std::size_t>> before = orders_;
    if (perform(static_cast<EventIndex>(i), after)) {
      placed_[i] = true;
      if (search(std::move(after))) return true;
      placed_[i] = false;
    }
    orders_ = std::move(before);
  }
  return false;
}

bool QueueSearch::perform(EventIndex i, Queues& queues) {
  const Event& operation = event(operations_[i]);
  if (operation.kind == EventKind::FutexExpire) return expire(i, queues);
  orders_[operation.location].push_back(i);
  if (operation.kind == EventKind::FutexWait) {
    if (operation.performed) queues[operation.location].push_back(operations_[i]);
    return true;
  }
  if (operation.kind == EventKind::FutexRequeue && !operation.performed) return true;
  if (!wake(i, queues)) return false;
  if (operation.kind == EventKind::FutexRequeue && operation.target != operation.location) {
    orders_[operation.target].push_back(i);
    std::vector<EventIndex> rest = std::move(queues[operation.location]);
    queues[operation.location].clear();
    queues[operation.target].insert(queues[operation.target].end(), rest.begin(), rest.end());
  }
  return true;
}

bool QueueSearch::expire(EventIndex i, Queues& queues) {
  for (LocationIndex location = 0; location < queues.size(); ++location) {
    auto& queue = queues[location];
    const auto at = std::find(queue.begin(), queue.end(), event(operations_[i]).wait);
    if (at == queue.end()) continue;
    queue.erase(at);
    orders_[location].push_back(i);
    return true;
  }
  return false;
}

bool QueueSearch::wake(EventIndex i, Queues& queues) {
  const Event& operation = event(operations_[i]);
  auto& queue = queues[operation.location];
  const std::int64_t due =
      std::min<std::int64_t>(std::max<std::int64_t>(operation.limit, 0), static_cast<std::int64_t>(queue.size()));
  const auto taken = std::remove_if(queue.begin(), queue.end(),
                                    [&](EventIndex wait) { return waker_of_wait_[wait] == operations_[i]; });
  const auto count = queue.end() - taken;
  queue.erase(taken, queue.end());
  return count == due && count == static_cast<std::int64_t>(operation.woken);
}

bool QueueSearch::loads_fit() const {
  Relation before(operations_.size());
  for (std::size_t i = 0; i < operations_.size(); ++i)
    for (std::size_t j = 0; j < operations_.size(); ++j)
      if (judgement_.happens_before(operations_[i], operations_[j]))
        before.add(static_cast<EventIndex>(i), static_cast<EventIndex>(j));
  for (const std::vector<std::size_t>& order : orders_)
    for (std::size_t i = 0; i + 1 < order.size(); ++i)
      before.add(static_cast<EventIndex>(order[i]), static_cast<EventIndex>(order[i + 1]));
  before.close();
  for (std::size_t i = 0; i < operations_.size(); ++i)
    if (event(operations_[i]).loads() && !load_fits(i, before)) return false;
  return true;
}

// No wake is lost: a load behind an operation in the queues sees what was stored before that operation.
bool QueueSearch::load_fits(std::size_t load, const Relation& before) const {
  const Execution& execution = judgement_.execution();
  const EventIndex l = operations_[load];
  const EventIndex seen = execution.reads_from[l];
  for (std::size_t g = 0; g < operations_.size(); ++g) {
    const bool behind = before.has(static_cast<EventIndex>(g), static_cast<EventIndex>(load));
    const bool ahead = before.has(static_cast<EventIndex>(load), static_cast<EventIndex>(g));
    for (EventIndex x = 0; x < execution.events.size(); ++x) {
      if (!event(x).stores() || event(x).location != event(l).location) continue;
      const bool precedes = judgement_.position(seen) < judgement_.position(x);
      if (behind && judgement_.happens_before(x, operations_[g]) && precedes) return false;
      if (ahead && judgement_.happens_before(operations_[g], x) && !precedes) return false;
    }
  }
  return true;
}

}  // namespace

// The loads are atomic (RELAXED): Event::is_atomic. What queues do is decision 9 of the format's description.
//= mu:futex
void Judgement::check_futexes(Report& report) const {
  if (!QueueSearch(*this).find()) report.push_back({Rule::FutexQueues, {}});
}

}  // namespace heddle::mu
