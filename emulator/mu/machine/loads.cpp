#include <algorithm>

#include "emulator/mu/machine/memory.h"

namespace heddle::mu::machine {

//= mu:visible-sequence
Loaded Memory::load(const Access& access) {
  answer_before(access.thread, access.location);
  const ClockValue* clock = perform(access.thread, access.dependency);
  Location& location = locations_[access.location];
  if (!is_atomic(access.order)) return load_plain(location, access);
  if (policy_.sequential) return see(location, static_cast<std::uint32_t>(location.order.size() - 1), access);
  list_loads(location, access, coherent(location, clock));
  return see(location, choose(access.thread), access);
}

// Positions that the load may take.
void Memory::list_loads(const Location& location, const Access& access, std::uint32_t low) {
  candidates_.clear();
  low = from_rank(location, low, fence_floor(location, access.thread));
  const auto count = static_cast<std::uint32_t>(location.order.size());
  if (!is_seq_cst(access.order)) {
    for (std::uint32_t at = low; at < count; ++at) candidates_.push_back(at);
    return;
  }
  //= mu:seq-cst-fence-before-operation
  if (!location.fenced.empty()) low = from_rank(location, low, location.fenced.back().rank);
  //= mu:seq-cst-load
  const StoreIndex last = location.last_seq_cst;
  for (std::uint32_t at = low; at < count; ++at) {
    const StoreIndex store = location.order[at];
    if (store != last) {
      if (stores_[store].seq_cst) continue;
      if (last != kNone && happens_before(stores_[store], happened(last))) continue;
    }
    candidates_.push_back(at);
  }
}

/// One of `candidates_`, which are in modification order.
std::uint32_t Memory::choose(ThreadIndex thread) {
  const auto count = static_cast<std::uint32_t>(candidates_.size());
  Thread& own = of_thread_[thread];
  if (count == 1) return candidates_.front();
  if (policy_.sequential || own.stale_loads >= policy_.most_stale || !chance(policy_.stale)) {
    own.stale_loads = 0;
    return candidates_.back();
  }
  ++own.stale_loads;
  if (policy_.oldest) return candidates_.front();
  return candidates_[choice_.below(count - 1, ChoicePoint::Memory)];
}

// A non-atomic load sees a store that happens before it and that no other such store hides.
//= mu:non-atomic-load
Loaded Memory::load_plain(Location& location, const Access& access) {
  candidates_.clear();
  for (auto at = static_cast<std::uint32_t>(location.order.size()); at-- > 0;) {
    const Store& store = stores_[location.order[at]];
    if (!happens_before(store, now_)) continue;
    const bool hidden = std::any_of(candidates_.begin(), candidates_.end(), [&](std::uint32_t other) {
      return happens_before(store, happened(location.order[other]));
    });
    if (!hidden) candidates_.push_back(at);
  }
  std::uint32_t at = 0;
  if (!candidates_.empty())
    at = candidates_[candidates_.size() == 1
                         ? 0
                         : choice_.below(static_cast<std::uint32_t>(candidates_.size()), ChoicePoint::Memory)];
  const Store& store = stores_[location.order[at]];
  if (recorder_) recorder_->sees(access.event, store.event, store.value);
  return {store.value, kNoClock, store.event};
}

/// Joins what a load of this store synchronizes with if it acquires: what the heads of the release sequences that it
/// is in have released. Returns whether there is any; with `operations`, of release operations of other threads
/// alone. With `glue` nothing will come between members that matter.
//= mu:release-sequence
bool Memory::release_sequence(Location& location, std::uint32_t position, ThreadIndex reader, bool operations,
                              ClockValue* into, bool glue) {
  bool any = false;
  // A later member that is no read-modify-write belongs to the thread of the head.
  ThreadIndex owner = kNone;
  for (std::uint32_t at = position;; --at) {
    const Store& store = stores_[location.order[at]];
    if (!store.atomic) break;
    const bool heads = operations ? store.releases && store.thread != reader : store.heads;
    if (heads && (owner == kNone || owner == store.thread)) {
      any = true;
      if (into) join(into, released(location.order[at]), threads_);
      if (glue)
        for (std::uint32_t member = at + 1; member <= position; ++member) stores_[location.order[member]].glued = true;
    }
    if (!store.modifies) {
      if (owner != kNone && owner != store.thread) break;
      owner = store.thread;
    }
    if (at == 0) break;
  }
  return any;
}

void Memory::note_reader(StoreIndex store, ThreadIndex thread, ClockValue number, const ClockValue* clock) {
  ClockValue& first = first_read(store)[thread];
  first = std::min(first, number);
  if (policy_.late_reads != 0) join(readers(store), clock, threads_);
}

/// The load takes the store at this position: what follows from its order.
Loaded Memory::see(Location& location, std::uint32_t position, const Access& access) {
  const StoreIndex store = location.order[position];
  const ThreadIndex thread = access.thread;
  Loaded out{stores_[store].value, kNoClock, stores_[store].event};
  ClockValue* loose = loose_.at(thread);
  const bool any = any_release_ && release_sequence(location, position, thread, false, loose, true);
  if (any && acquires(access.order)) {
    //= mu:synchronizes-with-operations
    //= mu:synchronizes-with-release-fence
    ClockValue* released = scratch_.data() + threads_;
    std::fill_n(released, threads_, 0);
    release_sequence(location, position, thread, false, released, false);
    synchronize(thread, released);
    if (now_ == scratch_.data()) join(scratch_.data(), released, threads_);
  } else if (any && consumes(access.order)) {
    //= mu:dependency-ordered-before
    ClockValue* released = scratch_.data() + threads_;
    std::fill_n(released, threads_, 0);
    if (release_sequence(location, position, thread, true, released, false)) {
      out.consumed = dependencies_.add(released);
      join(handed_on_.at(thread), released, threads_);
      if (now_ != scratch_.data()) std::copy_n(now_, threads_, scratch_.begin());
      join(scratch_.data(), released, threads_);
      now_ = scratch_.data();
    }
  }
  note_reader(store, thread, known_.at(thread)[thread], now_);
  if (recorder_) recorder_->sees(access.event, stores_[store].event, out.value);
  return out;
}

// `perform` has been called.
//= mu:futex
Loaded Memory::load_for_futex(const Access& access, const ClockValue* queue) {
  Location& location = locations_[access.location];
  std::uint32_t low = coherent(location, now_);
  for (auto at = static_cast<std::uint32_t>(location.order.size()); at-- > low;) {
    const Store& store = stores_[location.order[at]];
    if (store.thread == kNone || queue[store.thread] < store.number) continue;
    low = at;
    break;
  }
  list_loads(location, access, low);
  const std::uint32_t at = choose(access.thread);
  location.futex_saw = std::max(location.futex_saw, stores_[location.order[at]].rank);
  return see(location, at, access);
}

}  // namespace heddle::mu::machine
