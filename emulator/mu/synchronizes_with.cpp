#include "emulator/mu/judgement.h"

namespace heddle::mu {
namespace {

bool is_release_store(const Event& event) {
  return event.stores() && releases(event.order);
}
bool is_acquire_load(const Event& event) {
  return event.loads() && acquires(event.order);
}
bool is_release_fence(const Event& event) {
  return event.is_fence() && releases(event.order);
}
bool is_acquire_fence(const Event& event) {
  return event.is_fence() && acquires(event.order);
}

}  // namespace

// First case: a release operation and an acquire operation.
//= mu:synchronizes-with-operations
void Judgement::synchronize_accesses() {
  for (EventIndex b = 0; b < count_; ++b) {
    const EventIndex seen = execution_.reads_from[b];
    if (!is_acquire_load(execution_.events[b]) || seen >= count_) continue;
    for (const EventIndex a : stores_[execution_.events[b].location])
      if (is_release_store(execution_.events[a]) && release_sequence_.has(a, seen)) synchronizes_with_.add(a, b);
  }
}

// Second to fourth case. `y` is an atomic operation that sees a store of a sequence that `x` heads or would head.
// What releases is `x`, or a fence before it; what acquires is `y`, or a fence behind it.
void Judgement::synchronize_fences() {
  const auto fences_around = [&](EventIndex x, EventIndex y) {
    for (EventIndex a = 0; a < x; ++a) {
      if (!is_release_fence(execution_.events[a]) || !program_order_.has(a, x)) continue;
      //= mu:synchronizes-with-release-fence
      if (is_acquire_load(execution_.events[y])) synchronizes_with_.add(a, y);
      //= mu:synchronizes-with-fences
      for (EventIndex b = y + 1; b < count_; ++b)
        if (is_acquire_fence(execution_.events[b]) && program_order_.has(y, b)) synchronizes_with_.add(a, b);
    }
    //= mu:synchronizes-with-acquire-fence
    if (!is_release_store(execution_.events[x])) return;
    for (EventIndex b = y + 1; b < count_; ++b)
      if (is_acquire_fence(execution_.events[b]) && program_order_.has(y, b)) synchronizes_with_.add(x, b);
  };
  for (EventIndex y = 0; y < count_; ++y) {
    const Event& load = execution_.events[y];
    const EventIndex seen = execution_.reads_from[y];
    if (!load.loads() || !load.is_atomic() || seen >= count_) continue;
    for (const EventIndex x : stores_[load.location])
      if (release_sequence_.has(x, seen)) fences_around(x, y);
  }
}

void Judgement::synchronize_threads() {
  for (EventIndex b = 0; b < count_; ++b) {
    const Event& event = execution_.events[b];
    //= mu:synchronizes-with-thread-creation
    if (event.kind == EventKind::ThreadBegin) {
      for (EventIndex a = 0; a < count_; ++a)
        if (execution_.events[a].kind == EventKind::NewThread && execution_.events[a].created == event.thread)
          synchronizes_with_.add(a, b);
    }
    //= mu:synchronizes-with-futex-wake
    if (event.kind == EventKind::FutexResume && event.waker < count_) synchronizes_with_.add(event.waker, b);
  }
}

}  // namespace heddle::mu
