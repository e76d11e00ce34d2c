#include "emulator/mu/machine/futexes.h"

#include <algorithm>

namespace heddle::mu::machine {

void Futexes::restart() {
  for (Queue& queue : queues_) {
    queue.waiters.clear();
    std::fill(queue.clock.begin(), queue.clock.end(), 0);
  }
  used_ = 0;
}

Futexes::Queue& Futexes::queue(LocationIndex location) {
  while (queues_.size() <= location) queues_.push_back({{}, std::vector<ClockValue>(threads_)});
  return queues_[location];
}

void Futexes::come_behind(LocationIndex location) {
  const ClockValue* now = memory_.now();
  clock_.assign(now, now + threads_);
  join(clock_.data(), queue(location).clock.data(), threads_);
  for (std::size_t i = 0; i < used_; ++i)
    if (now[operations_[i].thread] >= operations_[i].number) join(clock_.data(), operations_[i].clock.data(), threads_);
}

void Futexes::stand_in(ThreadIndex thread, LocationIndex location) {
  join(queue(location).clock.data(), clock_.data(), threads_);
  if (used_ == operations_.size()) operations_.emplace_back();
  Operation& operation = operations_[used_++];
  operation.thread = thread;
  operation.number = memory_.performed(thread);
  operation.clock = clock_;
  // A later operation of a thread knows all that an earlier one does: taking it for both asks for more.
  constexpr std::size_t kMany = 256;
  if (used_ < kMany) return;
  for (std::size_t later = 1; later < used_; ++later) {
    if (operations_[later].thread != operations_.front().thread) continue;
    operations_.front().clock.swap(operations_[later].clock);
    std::rotate(operations_.begin(), operations_.begin() + 1, operations_.begin() + static_cast<std::ptrdiff_t>(used_));
    std::rotate(operations_.begin() + static_cast<std::ptrdiff_t>(later) - 1,
                operations_.begin() + static_cast<std::ptrdiff_t>(later),
                operations_.begin() + static_cast<std::ptrdiff_t>(used_));
    break;
  }
  --used_;
}

Futexes::Wait Futexes::wait(const Access& access, Value expected) {
  while (const PendingIndex late = memory_.unanswered(access.thread)) memory_.answer(late);
  memory_.perform(access.thread, access.dependency);
  come_behind(access.location);
  Wait out;
  out.seen = memory_.load_for_futex(access, clock_.data());
  out.waits = out.seen.value == expected;
  stand_in(access.thread, access.location);
  if (out.waits) queue(access.location).waiters.push_back({access.thread, access.event});
  return out;
}

EventIndex Futexes::expire(ThreadIndex thread) {
  memory_.perform(thread);
  for (LocationIndex location = 0; location < queues_.size(); ++location) {
    std::vector<Waiter>& waiters = queues_[location].waiters;
    const auto at =
        std::find_if(waiters.begin(), waiters.end(), [&](const Waiter& one) { return one.thread == thread; });
    if (at == waiters.end()) continue;
    const EventIndex wait = at->wait;
    waiters.erase(at);
    come_behind(location);
    stand_in(thread, location);
    return wait;
  }
  return kNone;
}

void Futexes::take(ThreadIndex waker, LocationIndex location, std::int64_t limit) {
  std::vector<Waiter>& waiters = queue(location).waiters;
  woken_.clear();
  for (; limit > 0 && !waiters.empty(); --limit) {
    const auto count = static_cast<std::uint32_t>(waiters.size());
    const std::uint32_t which = count == 1 ? 0 : choice_.below(count, ChoicePoint::Invocation);
    woken_.push_back(waiters[which]);
    waiters.erase(waiters.begin() + which);
    //= mu:synchronizes-with-futex-wake
    memory_.synchronize(woken_.back().thread, memory_.handed_on(waker));
  }
}

const std::vector<Waiter>& Futexes::wake(const Access& access, std::int64_t limit) {
  memory_.perform(access.thread, access.dependency);
  come_behind(access.location);
  stand_in(access.thread, access.location);
  take(access.thread, access.location, limit);
  return woken_;
}

Futexes::Requeue Futexes::requeue(const Access& access, LocationIndex target, Value expected, std::int64_t limit) {
  while (const PendingIndex late = memory_.unanswered(access.thread)) memory_.answer(late);
  memory_.perform(access.thread, access.dependency);
  come_behind(access.location);
  Requeue out;
  out.seen = memory_.load_for_futex(access, clock_.data());
  out.performed = out.seen.value == expected;
  woken_.clear();
  if (out.performed && target != access.location) join(clock_.data(), queue(target).clock.data(), threads_);
  stand_in(access.thread, access.location);
  if (!out.performed) return out;
  take(access.thread, access.location, limit);
  if (target == access.location) return out;
  Queue& to = queue(target);
  join(to.clock.data(), clock_.data(), threads_);
  std::vector<Waiter>& rest = queue(access.location).waiters;
  to.waiters.insert(to.waiters.end(), rest.begin(), rest.end());
  rest.clear();
  return out;
}

}  // namespace heddle::mu::machine
