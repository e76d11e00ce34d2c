#pragma once

/// \file
/// Whether a kernel detector and the judge say the same of random streams.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "emulator/model/execution.h"
#include "emulator/race/kernel_detector.h"
#include "tests/race/random_stream.h"

namespace heddle::race {

/// How many streams are told: HEDDLE_RACE_EXECUTIONS.
std::uint64_t executions();

struct Verdict {
  std::string text;
  bool false_alarm = false;
  bool missed = false;
  bool racy = false;
};

/// Of the pairs of operations that the detector found: each must be a race, and each location that has a
/// race must have one of them.
Verdict verdict(const model::Execution& execution, bool chains,
                const std::vector<model::OperationPair>& found);

struct Counts {
  std::uint64_t racy = 0;
  std::uint64_t alarms = 0;
  std::uint64_t missed = 0;
  /// The first stream of which they disagree.
  std::string first;
};

using Compare =
    std::function<Verdict(std::uint64_t seed, const StreamFeatures&, const KernelOptions&)>;

/// Of the stream of a seed: few mostly, of some 40.
std::uint32_t most_operations(std::uint64_t seed);

/// Of one stream, with chains or without.
Verdict verdict_of(std::uint64_t seed, StreamFeatures features, KernelOptions options, const Compare& compare);

/// Of as many as `executions` says.
Counts count(const StreamFeatures& features, const KernelOptions& options, const Compare& compare);

/// Whether two detectors found the same races, as often, with the same reasons.
bool same_races(const KernelDetector& a, const KernelDetector& b);

}  // namespace heddle::race
