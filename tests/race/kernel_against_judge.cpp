#include <catch2/catch.hpp>

#include <vector>

#include "emulator/race/kernel_detector.h"
#include "emulator/trace/recorder.h"
#include "tests/race/agreement.h"
#include "tests/race/linearization.h"

using namespace heddle;
using namespace heddle::race;

namespace {

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

Verdict compare(std::uint64_t seed, const StreamFeatures& features, const KernelOptions& options) {
  trace::Recorder recorder;
  KernelDetector detector(options);
  Numbered numbered(detector);
  Both both(recorder, numbered);
  tell_random_stream(seed, features, both);
  std::vector<model::OperationPair> found;
  for (const KernelRace& race : detector.races())
    found.push_back({detector.site(race.first).operation.where.line, race.operation});
  return verdict(recorder.execution(), options.chains, found);
}

Counts count(const StreamFeatures& features, const KernelOptions& options = {}) {
  return race::count(features, options, compare);
}

}  // namespace

TEST_CASE("what comes to a barrier by a chain goes on to whoever learns nothing else there") {
  // Three come to it, with masks of Workgroup, of Workgroup and Image, and of Image. What the first wrote the second makes
  // available, and for the third, who acquires Image, it is before that.
  CHECK(verdict_of(163645079, {}, {}, compare).text.empty());
  StreamFeatures features;
  features.one_dispatch = true;
  KernelOptions options;
  options.exact_accesses = 0;
  CHECK(!verdict_of(163489799, features, options, compare).false_alarm);
}

TEST_CASE("an arrival at a barrier goes on with the chains that it itself came to") {
  // Of three arrivals only the second has a class with each of the others: what the first made available to the
  // workgroup it makes available to the device, and visible from there to the third.
  StreamFeatures features;
  features.one_dispatch = true;
  CHECK(verdict_of(700564229, features, {}, compare).text.empty());
}

TEST_CASE("links that were forgotten may have been of another storage class") {
  StreamFeatures features;
  features.one_dispatch = true;
  KernelOptions options;
  options.exact_accesses = 0;
  CHECK(!verdict_of(700335909, features, options, compare).false_alarm);
}

TEST_CASE("of one class the kernel detector has every racy location and no false alarm", "[nightly]") {
  StreamFeatures features;
  features.plain = true;
  const Counts counts = count(features);
  INFO(counts.first);
  CHECK(counts.racy > executions() / 10);
  CHECK(counts.alarms == 0);
  CHECK(counts.missed == 0);
}

TEST_CASE("of all classes and references the kernel detector has every racy location and no false alarm", "[nightly]") {
  const Counts counts = count({});
  INFO(counts.first);
  CHECK(counts.racy > executions() / 10);
  CHECK(counts.alarms == 0);
  CHECK(counts.missed == 0);
}

// What runs of any length get once the accesses that are remembered one by one are used up: what it misses
// was forgotten for an access that others follow in orders of their own. Measured over 100,000 streams of
// each kind: none with a false alarm, 8 and 2 with a racy location missed.
TEST_CASE("without remembering every access it has no false alarm either, and misses 1 of 5000 at most", "[nightly]") {
  KernelOptions options;
  StreamFeatures of_one_class;
  of_one_class.plain = true;
  // None of them, and the first few.
  for (options.exact_accesses = 0; options.exact_accesses <= 6; options.exact_accesses += 6) {
    for (StreamFeatures features : {of_one_class, StreamFeatures{}}) {
      features.one_dispatch = true;
      const Counts counts = count(features, options);
      INFO(counts.first);
      CHECK(counts.racy > executions() / 10);
      CHECK(counts.alarms == 0);
      CHECK(counts.missed <= 1 + executions() / 5000);
    }
  }
}
