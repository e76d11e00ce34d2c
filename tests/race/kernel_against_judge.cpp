#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "emulator/judge/judgement.h"
#include "emulator/race/kernel_detector.h"
#include "emulator/trace/recorder.h"
#include "tests/race/linearization.h"
#include "tests/race/random_stream.h"

using namespace heddle;
using namespace heddle::race;

namespace {

std::uint64_t executions() {
  const char* more = std::getenv("HEDDLE_RACE_EXECUTIONS");
  return more ? std::strtoull(more, nullptr, 10) : 20000;
}

/// Gives every operation a line of its own, so that a site is an operation.
class Numbered final : public trace::Listener {
 public:
  explicit Numbered(trace::Listener& to) : to_(to) {}
  void agent_begins(AgentId agent, const model::Place& place) override {
    to_.agent_begins(agent, place);
  }
  void agent_ends(AgentId agent) override { to_.agent_ends(agent); }
  void system_synchronizes(AgentId first, AgentId second) override {
    to_.system_synchronizes(first, second);
  }
  void operation(model::OperationIndex index, const Operation& operation, model::Value read,
                 model::Value written, std::span<const trace::Source> sources) override {
    Operation numbered = operation;
    numbered.where.line = index;
    to_.operation(index, numbered, read, written, sources);
  }
  void passes(model::OperationIndex arrival,
              std::span<const model::OperationIndex> synchronizing) override {
    to_.passes(arrival, synchronizing);
  }
  void placed(model::OperationIndex write) override { to_.placed(write); }

 private:
  trace::Listener& to_;
};

struct Verdict {
  std::string text;
  bool false_alarm = false;
  bool missed = false;
  bool racy = false;
};

Verdict compare(std::uint64_t seed, const StreamFeatures& features, KernelOptions options) {
  trace::Recorder recorder;
  KernelDetector detector(options);
  Numbered numbered(detector);
  Both both(recorder, numbered);
  tell_random_stream(seed, features, both);
  const model::Execution execution = recorder.execution();
  judge::Options judge_options;
  judge_options.chains = options.chains;
  const judge::Judgement judgement(execution, judge_options);
  const std::vector<judge::Race> judged = judgement.races();

  Verdict verdict;
  verdict.racy = !judged.empty();
  std::vector<model::OperationPair> found;
  for (const KernelRace& race : detector.races())
    found.push_back({detector.site(race.first).operation.where.line, race.operation});
  for (const model::OperationPair& pair : found) {
    const model::OperationIndex x = pair.first;
    const model::OperationIndex y = pair.second;
    const bool known = std::any_of(judged.begin(), judged.end(), [&](const judge::Race& r) {
      return r.first == x && r.second == y;
    });
    if (known) continue;
    verdict.false_alarm = true;
    verdict.text += "alarm " + std::to_string(x) + "-" + std::to_string(y) + " ";
  }
  for (const judge::Race& race : judged) {
    const bool here = std::any_of(found.begin(), found.end(), [&](const auto& pair) {
      return execution.operations[pair.first].locations.overlaps(race.bytes) &&
             execution.operations[pair.second].locations.overlaps(race.bytes);
    });
    if (here) continue;
    verdict.missed = true;
    verdict.text += "missed " + std::to_string(race.first) + "-" + std::to_string(race.second) + " ";
  }
  return verdict;
}

struct Counts {
  std::uint64_t racy = 0;
  std::uint64_t alarms = 0;
  std::uint64_t missed = 0;
  std::string first;
};

Counts count(StreamFeatures features, KernelOptions options = {}) {
  features.atomic_updates = true;
  Counts counts;
  for (std::uint64_t seed = 0; seed < executions(); ++seed) {
    features.most_operations = seed % 10 == 9 ? 40 : 4 + static_cast<std::uint32_t>(seed % 12);
    options.chains = seed % 4 != 0;
    const Verdict verdict = compare(seed, features, options);
    counts.racy += verdict.racy ? 1 : 0;
    counts.alarms += verdict.false_alarm ? 1 : 0;
    counts.missed += verdict.missed ? 1 : 0;
    if (counts.first.empty() && !verdict.text.empty())
      counts.first = "seed " + std::to_string(seed) + ": " + verdict.text;
  }
  return counts;
}

}  // namespace

TEST_CASE("of one class the kernel detector has every racy location and no false alarm") {
  StreamFeatures features;
  features.plain = true;
  const Counts counts = count(features);
  INFO(counts.first);
  CHECK(counts.racy > executions() / 10);
  CHECK(counts.alarms == 0);
  CHECK(counts.missed == 0);
}

TEST_CASE("of all classes and references the kernel detector has every racy location and no false alarm") {
  const Counts counts = count({});
  INFO(counts.first);
  CHECK(counts.racy > executions() / 10);
  CHECK(counts.alarms == 0);
  CHECK(counts.missed == 0);
}

// What runs of any length get once the accesses that are remembered one by one are used up: what it misses
// was forgotten for an access that others follow in orders of their own. Measured over 100,000 streams of
// each kind: none with a false alarm, 8 and 2 with a racy location missed.
TEST_CASE("without remembering every access it has no false alarm either, and misses 1 of 5000 at most") {
  KernelOptions options;
  options.exact_accesses = 0;
  StreamFeatures of_one_class;
  of_one_class.plain = true;
  for (StreamFeatures features : {of_one_class, StreamFeatures{}}) {
    features.one_dispatch = true;
    const Counts counts = count(features, options);
    INFO(counts.first);
    CHECK(counts.racy > executions() / 10);
    CHECK(counts.alarms == 0);
    CHECK(counts.missed <= 1 + executions() / 5000);
  }
}
