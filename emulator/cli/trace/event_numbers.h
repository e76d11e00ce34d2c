#pragma once

/// \file
/// The numbers of the events of a trace, which are the same wherever a trace is shown.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/trace/listener.h"

namespace heddle::cli {

/// Counts events as they are told, from 0: a dispatch, an operation, a movement between caches, an invocation that
/// passes a barrier, a step of the host's side. Keeps nothing of operations that follow one another without anything in
/// between.
class EventNumbers {
 public:
  /// The number of an event that is no operation.
  std::uint64_t other() { return operations_ + others_++; }
  /// The number of the next event, whatever it is.
  std::uint64_t next() const { return operations_ + others_; }
  /// The number of the operation that is told now.
  std::uint64_t operation(trace::OperationIndex index) {
    operations_ = std::uint64_t{index} + 1;
    if (runs_.empty() || runs_.back().others != others_) runs_.push_back({index, others_});
    return index + others_;
  }
  /// The number of an operation that was told.
  std::uint64_t of(trace::OperationIndex index) const {
    const auto behind = std::upper_bound(runs_.begin(), runs_.end(), index,
                                         [](trace::OperationIndex one, const Run& run) { return one < run.first; });
    return behind == runs_.begin() ? index : index + std::prev(behind)->others;
  }

 private:
  /// Operations from `first` on, with so many other events in front of them.
  struct Run {
    trace::OperationIndex first = 0;
    std::uint64_t others = 0;
  };

  std::uint64_t operations_ = 0;
  std::uint64_t others_ = 0;
  std::vector<Run> runs_;
};

}  // namespace heddle::cli
