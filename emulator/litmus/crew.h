#pragma once

/// \file
/// Many runs of a litmus test on several threads, added up.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace heddle::litmus {

/// Adds the rows of one thread to those of all: counts are summed up, and of first runs the smaller one stays.
template <typename Rows>
void add_rows(const Rows& from, Rows& to) {
  for (const auto& [values, row] : from) {
    const auto [sum, fresh] = to.try_emplace(values, row);
    if (fresh) continue;
    sum->second.count += row.count;
    sum->second.first_run = std::min(sum->second.first_run, row.first_run);
  }
}

/// Gives out runs to threads, each of which has a Worker: made of the test and the request, with `make(number)`, which
/// makes a run, and `add_to(totals, rows)`. `Worker::Totals` has a histogram, and `Worker::Rows` are its rows by their
/// values. The request has `runs`, `jobs`, `cancelled` and `progress`. The totals do not depend on the number of
/// threads, unless the work is cancelled.
template <typename Worker, typename Test, typename Request>
class Crew {
 public:
  using Totals = typename Worker::Totals;

  /// Both must outlive the crew.
  Crew(const Test& test, const Request& request) : test_(test), request_(request) {}

  /// Makes all runs. Throws what a worker throws.
  Totals work() {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    const auto most = std::min<std::uint64_t>(request_.jobs, request_.runs / kRunsAtATime + 1);
    try {
      others.reserve(most);
      for (std::uint64_t i = 1; i < most; ++i) others.emplace_back([this] { work(false); });
    } catch (const std::exception&) {
      // There is no room for another thread: those that there are do the work.
    }
    work(true);
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
    for (auto& [values, row] : rows_) {
      row.values = values;
      totals_.histogram.push_back(std::move(row));
    }
    std::sort(totals_.histogram.begin(), totals_.histogram.end(),
              [](const auto& a, const auto& b) { return a.values < b.values; });
    totals_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(totals_);
  }

 private:
  // Some 100 microseconds: long beside what it takes to get the next ones, short beside Ctrl-C.
  static constexpr std::uint64_t kRunsAtATime = 256;

  bool cancelled() const {
    return stop_.load(std::memory_order_relaxed) ||
           (request_.cancelled && request_.cancelled->load(std::memory_order_relaxed));
  }
  void work(bool tells_progress) {
    try {
      Worker worker(test_, request_);
      while (!cancelled()) {
        const std::uint64_t begin = next_.fetch_add(kRunsAtATime, std::memory_order_relaxed);
        if (begin >= request_.runs) break;
        const std::uint64_t end = std::min(begin + kRunsAtATime, request_.runs);
        for (std::uint64_t number = begin; number < end; ++number) worker.make(number);
        const std::uint64_t made = made_.fetch_add(end - begin, std::memory_order_relaxed) + end - begin;
        if (tells_progress && request_.progress) request_.progress(made);
      }
      const std::lock_guard lock(mutex_);
      worker.add_to(totals_, rows_);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stop_ = true;
    }
  }

  const Test& test_;
  const Request& request_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::uint64_t> made_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  // Below: guarded by mutex_.
  Totals totals_;
  typename Worker::Rows rows_;
  std::exception_ptr failure_;
};

}  // namespace heddle::litmus
