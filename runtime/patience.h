#pragma once

/// \file
/// When it counts as waiting in vain that invocations poll.

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/admission.h"
#include "runtime/running.h"

namespace heddle::runtime {

/// Notes in which state an invocation polls, if that is to be known. One that nobody knows counts for one that is
/// known.
void look(PollStates& states, const Poll& poll);

/// Whether memory stays as it is while invocations poll. Loops that compute in memory alone come back to a state of
/// their own, but not to the same memory.
class Stillness {
 public:
  /// Whether it is time to look: at first always, and after a look that found changes once it has been twice as long.
  bool is_due(std::uint64_t times) const { return times >= next_; }
  /// Whether memory holds what it held in the look before, since when all invocations must have come back to their
  /// states. `contents` is a number for what it holds now; `times` says how long they have polled, in multiples of the
  /// least time that is waited.
  bool is_still(std::uint64_t contents, std::uint64_t times);

 private:
  std::optional<std::uint64_t> contents_;
  std::uint64_t next_ = 1;
};

/// What one worker sees of progress: it is made where an invocation goes on that waited, or ends, or polls something
/// else than before, or has found or made something else meanwhile; a rotation is a turn of everybody in which nobody
/// could do anything but poll.
class Patience {
 public:
  explicit Patience(const Running& now) : now_(now) {}

  void begin_dispatch() {
    forget_rotations();
    seen_progress_ = 0;
    counted_stale_ = false;
    region_.poll = {};
  }
  void end_dispatch() {
    if (counted_stale_) now_.dispatch->stale.fetch_sub(1);
  }

  void note_progress() { ++progress_; }
  /// How many rotations there were since the last progress.
  std::uint64_t rotations() const { return rotations_; }
  void forget_rotations() {
    rotations_ = 0;
    looks_at_polls_ = false;
    stillness_ = {};
  }
  /// Whether everybody has polled so long without progress that it is to be known in which states they do.
  bool looks_at_polls() const { return looks_at_polls_; }

  /// One more rotation. Whether no worker has made any progress since the last one.
  bool rotate();
  /// After such a rotation: whether the residents have polled for so long that it is in vain, and all other workers see
  /// no progress either.
  bool is_in_vain(const std::vector<Group*>& residents, const Admission& admission);

  /// Waits until another workgroup may become resident; false if none is left. A worker that has nothing to do while
  /// others have as many residents as there may be counts among those that see no progress, so that these can tell when
  /// no worker sees any.
  bool await_admission(const Admission& admission);

  /// An invocation of a kernel in phases polls inside of a region, where no other one of its workgroup goes on: others
  /// get the processor. Ends the dispatch if it has polled the same for long.
  void poll_in_region(const Workgroup& group, std::uint32_t index, const SourceLocation& where, const Poll& poll);

 private:
  /// What the last invocation of a region that polled has polled, since when it is the same, and in which states.
  struct RegionPolls {
    Poll poll;
    uvec3 group;
    std::uint32_t index = 0;
    std::chrono::steady_clock::time_point since;
    PollStates states;
    Stillness stillness;
  };

  void count_stale(bool stale);
  /// Whether all residents come back to states in which they were, and to the same memory, or poll for too long.
  /// `times` says how long they have polled, in multiples of the least time that is waited.
  bool poll_in_vain(const std::vector<Group*>& residents, std::uint64_t times);
  /// Whether the invocation of `region_` comes back to states in which it was, and to the same memory, or has polled
  /// for too long.
  bool polls_in_region_in_vain(const Workgroup& group, const Poll& poll);

  const Running& now_;
  std::uint64_t progress_ = 0;
  std::uint64_t seen_progress_ = 0;
  std::uint64_t rotations_ = 0;
  bool looks_at_polls_ = false;
  Stillness stillness_;
  std::chrono::steady_clock::time_point stale_since_;
  /// Whether this worker is among those of the dispatch that see no progress.
  bool counted_stale_ = false;
  RegionPolls region_;
};

}  // namespace heddle::runtime
