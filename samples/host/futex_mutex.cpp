// A mutex and a condition variable on futexes, and a queue with one place that uses both. The mutex
// is the third one of U. Drepper, "Futexes Are Tricky" (2011). The wrong form gives the lock back
// without releasing.

#include "demonstration.h"

using namespace heddle::threads;

namespace {

template <typename M, bool releases>
class Mutex {
 public:
  void lock() {
    std::uint32_t found = kFree;
    if (word_.compare_exchange(found, kTaken, acquire, relaxed)) return;
    if (found != kAwaited) found = word_.exchange(kAwaited, acquire);
    while (found != kFree) {
      M::futex_wait(word_, kAwaited);
      found = word_.exchange(kAwaited, acquire);
    }
  }
  void unlock() {
    std::uint32_t before = 0;
    if constexpr (releases)
      before = word_.exchange(kFree, release);
    else
      before = word_.exchange(kFree, relaxed);
    if (before == kAwaited) M::futex_wake(word_, 1);
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kTaken = 1;
  static constexpr std::uint32_t kAwaited = 2;
  typename M::template Atomic<std::uint32_t> word_{0, "lock"};
};

template <typename M, typename Lock>
class Condition {
 public:
  void wait(Lock& lock) {
    const std::uint32_t seen = signals_.load(relaxed);
    lock.unlock();
    M::futex_wait(signals_, seen);
    lock.lock();
  }
  void signal_all() {
    signals_.fetch_add(1, relaxed);
    M::futex_wake(signals_, 1 << 20);
  }

 private:
  typename M::template Atomic<std::uint32_t> signals_{0, "signals"};
};

template <bool releases>
constexpr auto queue = [](auto host) {
  using M = decltype(host);
  using Lock = Mutex<M, releases>;
  constexpr int kItems = 4;
  Lock lock;
  Condition<M, Lock> changed;
  typename M::template Plain<int> item{0, "item"};
  typename M::template Plain<int> full{0, "full"};
  typename M::Thread producer([&] {
    for (int i = 1; i <= kItems; ++i) {
      lock.lock();
      while (full.read() != 0) changed.wait(lock);
      item.write(i);
      full.write(1);
      changed.signal_all();
      lock.unlock();
    }
  });
  int sum = 0;
  for (int i = 1; i <= kItems; ++i) {
    lock.lock();
    while (full.read() == 0) changed.wait(lock);
    sum += item.read();
    full.write(0);
    changed.signal_all();
    lock.unlock();
  }
  producer.join();
  M::require(sum == kItems * (kItems + 1) / 2, "every item arrives once");
};

}  // namespace

int main(int argc, char** argv) {
  return demonstrate(argc, argv, "mutex and condition variable", queue<true>, queue<false>);
}
