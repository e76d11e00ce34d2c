#pragma once

#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "emulator/advice/orderings.h"
#include "emulator/advice/segment.h"
#include "emulator/report/collector.h"

namespace heddle::detail {

/// What is known of orderings, of one device or of all of a program. Thread-safe.
class KnownOrderings {
 public:
  /// What the execution told; nothing if enough has been judged.
  advice::Orderings::Answer judge(const model::Execution& execution);

 private:
  std::mutex mutex_;
  advice::Orderings orderings_;
  std::size_t judged_operations_ = 0;
};

/// Looks for orderings that are stronger than the runs of one device needed.
class OrderingWatch {
 public:
  /// `known` must outlive it.
  explicit OrderingWatch(KnownOrderings& known);

  trace::Listener& listener() { return segments_; }

  const std::vector<report::OrderingUse>& uses() const { return uses_; }
  const report::RecordedRuns& recorded() const { return recorded_; }

 private:
  void look_at(const model::Execution* execution);

  KnownOrderings& known_;
  advice::Segments segments_;
  std::vector<report::OrderingUse> uses_;
  std::map<std::tuple<std::string, std::uint32_t, std::string, std::string>, std::size_t> index_;
  report::RecordedRuns recorded_;
};

}  // namespace heddle::detail
