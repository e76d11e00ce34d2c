#pragma once

/// \file
/// Which workgroups a worker takes from those that a dispatch has left, and when there is a place for one more.

#include "runtime/dispatch.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace heddle::runtime {

/// One worker's part in handing out the workgroups of a dispatch. It takes several numbers from the shared counter at
/// once (a chunk), and keeps what it has not yet run: its tickets.
class Admission {
 public:
  void begin(Dispatch& dispatch) {
    dispatch_ = &dispatch;
    launch_ = dispatch.launch;
    chunk_ = 1;
    tickets_left_ = tickets_end_ = 0;
    reserved_ = false;
    most_residents_ = launch_->resident_workgroups;
  }
  /// Makes a place for one more workgroup, whatever the launch says.
  void add_place() { ++most_residents_; }
  std::uint32_t places() const { return most_residents_; }
  /// So many of the places are not there; one is left.
  void take_away(std::uint32_t places) { most_residents_ -= places; }

  /// Whether any workgroup has not begun.
  bool groups_left() const {
    return tickets_left_ != 0 || (!dispatch_->failed.load(std::memory_order_relaxed) &&
                                  dispatch_->next_group.load(std::memory_order_relaxed) < dispatch_->groups);
  }
  /// Whether one of them may become resident now.
  bool can_admit() const {
    return (reserved_ || dispatch_->resident.load(std::memory_order_relaxed) < most_residents_) && groups_left();
  }

  /// Takes one of the places for resident workgroups; false if all are taken.
  bool reserve();
  /// Where there is one worker and a place: takes it, and the number of the workgroup that begins next.
  std::uint64_t take_alone();

  /// Takes the numbers of the workgroups that follow, if this worker has none left.
  void fill();
  /// The number of the next workgroup of those. There is one.
  std::uint64_t take() { return tickets_end_ - tickets_left_--; }
  bool has_tickets() const { return tickets_left_ != 0; }
  /// How many there are: a kernel that waits for nothing runs them one after the other, and counts down.
  std::uint64_t& tickets_left() { return tickets_left_; }
  void drop_tickets() { tickets_left_ = 0; }
  /// A workgroup ended, the last one of its chunk if none is left: decides how many are taken next. `long_waits`: its
  /// invocations waited, and not in step, so that it may be that other workgroups wait for it.
  void note_run(bool long_waits);

  /// A workgroup has ended: its place is free, or is kept for the first of the tickets.
  void leave_place() {
    if (tickets_left_ != 0 && !reserved_) [[unlikely]] {
      reserved_ = true;
    } else {
      free_place();
    }
  }
  /// Whether a place was kept, which now is the caller's.
  bool take_kept_place() {
    const bool kept = reserved_;
    reserved_ = false;
    return kept;
  }
  void free_place() { dispatch_->subtract(dispatch_->resident, 1); }

 private:
  /// Where there is one worker.
  void count_resident();
  [[gnu::noinline]] bool reserve_among_many();

  using Clock = std::chrono::steady_clock;
  // A worker takes ever more workgroups at once while they do not wait: at least so many, and then as
  // long as all of them together take less than this time. Long enough that taking them (some 50 ns)
  // costs nothing, short enough to notice that the dispatch has failed, or that only one worker has
  // work left.
  static constexpr std::uint64_t kFreeChunk = 64;
  static constexpr std::chrono::microseconds kLongChunk{100};

  Dispatch* dispatch_ = nullptr;
  const Launch* launch_ = nullptr;
  std::uint32_t most_residents_ = 0;
  /// Workgroups that this worker took from the shared counter at once, and not yet ran.
  std::uint64_t tickets_left_ = 0;
  std::uint64_t tickets_end_ = 0;
  /// A place for a resident workgroup that this worker keeps for the first of those.
  bool reserved_ = false;
  std::uint64_t chunk_ = 1;
  Clock::time_point chunk_begun_;
};

inline bool Admission::reserve() {
  if (reserved_) {
    reserved_ = false;
    return true;
  }
  if (!dispatch_->alone) return reserve_among_many();
  if (dispatch_->resident.load(std::memory_order_relaxed) >= launch_->resident_workgroups) return false;
  count_resident();
  return true;
}

inline void Admission::count_resident() {
  Dispatch& dispatch = *dispatch_;
  const std::uint32_t resident = dispatch.resident.load(std::memory_order_relaxed) + 1;
  dispatch.resident.store(resident, std::memory_order_relaxed);
  if (resident > dispatch.resident_peak.load(std::memory_order_relaxed))
    dispatch.resident_peak.store(resident, std::memory_order_relaxed);
}

inline std::uint64_t Admission::take_alone() {
  count_resident();
  const std::uint64_t next = dispatch_->add(dispatch_->next_group, 1);
  const auto& order = launch_->first_groups;
  return next < order.size() ? order[next] : next;
}

inline void Admission::fill() {
  if (tickets_left_ != 0) return;
  const std::uint64_t first = dispatch_->add(dispatch_->next_group, chunk_);
  tickets_end_ = std::min(first + chunk_, dispatch_->groups);
  if (first < tickets_end_) tickets_left_ = tickets_end_ - first;
  if (chunk_ >= kFreeChunk) chunk_begun_ = Clock::now();
}

inline void Admission::note_run(bool long_waits) {
  if (long_waits) {
    chunk_ = 1;
  } else if (tickets_left_ == 0) {
    const std::uint64_t left = dispatch_->groups - std::min(dispatch_->groups, tickets_end_);
    const bool long_enough = chunk_ >= kFreeChunk && Clock::now() - chunk_begun_ > kLongChunk;
    chunk_ = std::clamp<std::uint64_t>(left / (8 * launch_->workers), 1, long_enough ? chunk_ : 2 * chunk_);
  }
}

}  // namespace heddle::runtime
