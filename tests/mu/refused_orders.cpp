// Not compiled: each line has an order that its operation must not have.
#include <heddle/host_thread.h>

using namespace heddle::threads;

void refused(Emulated::Atomic<int>& emulated, Native::Atomic<int>& native) {
  int expected = 0;
  emulated.load(release);
  native.store(1, acquire);
  native.fetch_add(1, consume);
  emulated.compare_exchange(expected, 1, not_atomic, relaxed);
  native.compare_exchange(expected, 1, acq_rel, release);
  Native::fence(relaxed);
}
