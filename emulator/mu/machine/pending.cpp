#include <algorithm>

#include "emulator/mu/machine/memory.h"

// Loads that get their values after operations that follow them in program order (load buffering). Such a load keeps
// the clock of its place in program order. What is decided meanwhile bounds it from above: stores that it happens
// before, and what loads have seen that it happens before.

namespace heddle::mu::machine {

PendingIndex Memory::postpone(const Access& access) {
  if (!is_atomic(access.order) || is_seq_cst(access.order) || access.dependency != kNoClock) return kNotPending;
  if (!chance(policy_.late_reads)) return kNotPending;
  Location& location = locations_[access.location];
  if (fence_floor(location, access.thread) != 0) return kNotPending;
  answer_before(access.thread, access.location);
  Pending pending;
  pending.access = access;
  pending.takes_no_release = acquires(access.order) || consumes(access.order);
  if (pending.takes_no_release) {
    const ClockValue* known = known_.at(access.thread);
    answer_all_before(access.location, known);
    if (release_sequence(location, coherent(location, known), access.thread, false, nullptr, false)) return kNotPending;
  }
  const ClockValue* clock = perform(access.thread);
  pending.number = clock[access.thread];
  pending.access.dependency = dependencies_.add(clock);
  pending_.push_back(pending);
  const auto index = static_cast<PendingIndex>(pending_.size() - 1);
  of_thread_[access.thread].pending.push_back(index);
  return index;
}

PendingIndex Memory::unanswered(ThreadIndex thread) const {
  const std::vector<PendingIndex>& pending = of_thread_[thread].pending;
  return pending.empty() ? kNotPending : pending.front();
}

void Memory::answer_before(ThreadIndex thread, LocationIndex location) {
  std::vector<PendingIndex>& pending = of_thread_[thread].pending;
  for (std::size_t i = 0; i < pending.size();)
    if (pending_[pending[i]].access.location == location)
      answer(pending[i]);
    else
      ++i;
}

/// All postponed loads of the location that happen before an operation of this clock.
void Memory::answer_all_before(LocationIndex location, const ClockValue* clock) {
  for (PendingIndex i = 1; i < pending_.size(); ++i) {
    const Pending& pending = pending_[i];
    if (pending.answered || pending.access.location != location) continue;
    if (clock[pending.access.thread] >= pending.number) answer(i);
  }
}

// What a postponed load sees behind an acquire fence must not synchronize with it any more.
void Memory::answer_before_fence(ThreadIndex thread) {
  std::vector<PendingIndex>& list = of_thread_[thread].pending;
  for (std::size_t i = 0; i < list.size();) {
    const PendingIndex index = list[i];
    const Access access = pending_[index].access;
    if (!pending_[index].takes_no_release) {
      scratch_copy_.assign(dependencies_.at(access.dependency), dependencies_.at(access.dependency) + threads_);
      --scratch_copy_[thread];
      answer_all_before(access.location, scratch_copy_.data());
      Location& location = locations_[access.location];
      const std::uint32_t low = coherent(location, dependencies_.at(access.dependency));
      if (release_sequence(location, low, thread, false, nullptr, false)) {
        answer(index);
        continue;
      }
      pending_[index].takes_no_release = true;
    }
    ++i;
  }
}

void Memory::list_pending(Location& location, const Pending& pending) {
  const ThreadIndex thread = pending.access.thread;
  const std::uint32_t low = coherent(location, dependencies_.at(pending.access.dependency));
  candidates_.clear();
  for (std::uint32_t at = low; at < location.order.size(); ++at) {
    const StoreIndex store = location.order[at];
    if (at != low && happened(store)[thread] >= pending.number) break;
    if (!pending.takes_no_release || !release_sequence(location, at, thread, false, nullptr, false))
      candidates_.push_back(at);
    if (readers(store)[thread] >= pending.number) break;
  }
}

Loaded Memory::answer(PendingIndex index) {
  Pending& pending = pending_[index];
  if (pending.answered) return pending.result;
  pending.answered = true;
  const ThreadIndex thread = pending.access.thread;
  std::vector<PendingIndex>& list = of_thread_[thread].pending;
  list.erase(std::find(list.begin(), list.end(), index));
  Location& location = locations_[pending.access.location];
  list_pending(location, pending);
  const auto count = static_cast<std::uint32_t>(candidates_.size());
  const std::uint32_t at = candidates_[count == 1 ? 0 : choice_.below(count, ChoicePoint::Memory)];
  const StoreIndex store = location.order[at];
  if (!pending.takes_no_release) release_sequence(location, at, thread, false, loose_.at(thread), true);
  note_reader(store, thread, pending.number, dependencies_.at(pending.access.dependency));
  if (recorder_) recorder_->sees(pending.access.event, stores_[store].event, stores_[store].value);
  pending.result = {stores_[store].value, kNoClock};
  return pending.result;
}

}  // namespace heddle::mu::machine
