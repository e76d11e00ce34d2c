#include "emulator/cli/in_order.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace heddle::cli {
namespace {

class Queue {
 public:
  Queue(std::size_t count, const std::function<void(std::size_t)>& work, const std::function<void(std::size_t)>& done,
        const std::function<bool()>& stop)
      : work_(work), done_(done), stop_(stop), finished_(count, false) {}

  void run();
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::function<void(std::size_t)>& work_;
  const std::function<void(std::size_t)>& done_;
  const std::function<bool()>& stop_;
  std::mutex mutex_;
  // All below are guarded by mutex_.
  std::vector<bool> finished_;
  std::size_t next_ = 0;
  std::size_t reported_ = 0;
  std::exception_ptr failure_;
};

void Queue::run() {
  while (true) {
    std::size_t mine = 0;
    {
      const std::lock_guard lock(mutex_);
      if (failure_ || next_ == finished_.size() || stop_()) return;
      mine = next_++;
    }
    try {
      work_(mine);
      const std::lock_guard lock(mutex_);
      finished_[mine] = true;
      // Work is given out in ascending order, so what was worked on has no gaps in the end.
      while (reported_ < finished_.size() && finished_[reported_]) done_(reported_++);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      return;
    }
  }
}

}  // namespace

void in_order(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work,
              const std::function<void(std::size_t)>& done, const std::function<bool()>& stop) {
  Queue queue(count, work, done, stop);
  const std::size_t others = std::min<std::size_t>(std::max(threads, 1U), std::max<std::size_t>(count, 1)) - 1;
  std::vector<std::thread> pool;
  try {
    pool.reserve(others);
    for (std::size_t i = 0; i < others; ++i) pool.emplace_back([&] { queue.run(); });
  } catch (const std::exception&) {
    // There is no room for another thread: those that there are do the work.
  }
  queue.run();
  for (std::thread& thread : pool) thread.join();
  queue.rethrow();
}

}  // namespace heddle::cli
