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

/// Gives every operation a line of its own, so that a site is an operation.
class LinePerOperation final : public trace::Listener {
 public:
  explicit LinePerOperation(trace::Listener& to) : to_(to) {}
  void agent_begins(AgentId agent, const model::Place& place) override { to_.agent_begins(agent, place); }
  void agent_ends(AgentId agent) override { to_.agent_ends(agent); }
  void system_synchronizes(AgentId first, AgentId second) override { to_.system_synchronizes(first, second); }
  void dependency(bool memory) override { to_.dependency(memory); }
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override {
    Operation numbered = operation;
    numbered.where.line = index;
    to_.operation(index, numbered, read, written, sources);
  }
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) override {
    to_.passes(arrival, synchronizing);
  }
  void placed(model::OperationIndex write) override { to_.placed(write); }

 private:
  trace::Listener& to_;
};

/// The races that the detector found, of operations that LinePerOperation told it.
std::vector<model::OperationPair> pairs_of(const KernelDetector& detector);

/// How many streams with these features are told, those with tags, which take longer, a quarter as often:
/// HEDDLE_RACE_EXECUTIONS.
std::uint64_t executions(const StreamFeatures& features = {});

struct Verdict {
  std::string text;
  bool false_alarm = false;
  bool missed = false;
  bool racy = false;
  /// Locations that have a race, and those of them of which none was found.
  std::uint64_t racy_locations = 0;
  std::uint64_t missed_locations = 0;
};

/// Each pair of operations that the detector found must be a race, and each location that has a
/// race must have one of them.
Verdict verdict(const model::Execution& execution, bool chains, const std::vector<model::OperationPair>& found);

struct Counts {
  std::uint64_t racy = 0;
  std::uint64_t alarms = 0;
  std::uint64_t missed = 0;
  /// The first stream of which they disagree.
  std::string first;
};

using Compare = std::function<Verdict(std::uint64_t seed, const StreamFeatures&, const KernelOptions&)>;

/// How many operations the stream of a seed has: few mostly, for some seeds 40.
std::uint32_t most_operations(std::uint64_t seed);

/// Those of the stream of a seed: of its length, and updates read what they do in consistent executions.
StreamFeatures features_of(std::uint64_t seed, StreamFeatures features);

/// The verdict on one stream, with chains or without.
Verdict verdict_of(std::uint64_t seed, const StreamFeatures& features, KernelOptions options, const Compare& compare);

/// The verdicts on as many streams as `executions` says.
Counts count(const StreamFeatures& features, const KernelOptions& options, const Compare& compare);

/// Whether two detectors found the same races, as often, with the same reasons.
bool same_races(const KernelDetector& a, const KernelDetector& b);

}  // namespace heddle::race
