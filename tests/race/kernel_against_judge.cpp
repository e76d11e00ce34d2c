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
class LinePerOperation final : public trace::Listener {
 public:
  explicit LinePerOperation(trace::Listener& to) : to_(to) {}
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

std::vector<model::OperationPair> pairs_of(const KernelDetector& detector) {
  std::vector<model::OperationPair> found;
  for (const KernelRace& race : detector.races())
    found.push_back({detector.site(race.first).operation.where.line, race.operation});
  return found;
}

Verdict compare(std::uint64_t seed, const StreamFeatures& features, const KernelOptions& options) {
  trace::Recorder recorder;
  KernelDetector detector(options);
  LinePerOperation numbered(detector);
  Both both(recorder, numbered);
  tell_random_stream(seed, features, both);
  return verdict(recorder.execution(), options.chains, pairs_of(detector));
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

TEST_CASE("a chain goes on from a barrier by an invocation that began after it, in the subgroup of one who came there") {
  StreamFeatures features;
  features.plain = true;
  features.one_instruction_each = true;
  CHECK(verdict_of(182612683, features, {}, compare).text.empty());
}

TEST_CASE("links that were forgotten may have been of another storage class") {
  StreamFeatures features;
  features.one_dispatch = true;
  KernelOptions options;
  options.exact_accesses = 0;
  CHECK(!verdict_of(700335909, features, options, compare).false_alarm);
}

//= vk:memory-model-availability-visibility type=test
TEST_CASE("a chain goes on from a barrier by an atomic of whoever came there as well") {
  // What the second invocation wrote it makes available to the queue family, the barrier of the first one, of another
  // class, from there to the device, and the first one's update, which is no operation in bulk, shows it to the third.
  using enum MemorySemantics;
  constexpr auto kBoth = UniformMemory | ImageMemory | MakeAvailable | MakeVisible | AcquireRelease;
  trace::Recorder recorder;
  KernelDetector detector;
  LinePerOperation numbered(detector);
  Both both(recorder, numbered);
  model::OperationIndex next = 0;
  for (std::uint32_t agent = 0; agent < 3; ++agent) {
    model::Place place;
    place.workgroup = agent / 2;
    both.agent_begins(static_cast<AgentId>(agent), place);
  }
  const auto atomic = [&](std::uint32_t agent, OperationKind kind, Scope scope, MemorySemantics semantics,
                          model::OperationIndex from) {
    Operation op;
    op.agent = static_cast<AgentId>(agent);
    op.kind = kind;
    op.atomic = true;
    op.storage_class = StorageClass::StorageBuffer;
    op.locations = {AllocationId{}, 0, 4};
    op.scope = scope;
    op.semantics = semantics;
    std::vector<trace::Source> sources;
    if (op.reads()) sources.push_back({op.locations, from});
    both.operation(next, op, 0, 0, sources);
    if (op.writes()) both.placed(next);
    return next++;
  };
  const auto first = atomic(1, OperationKind::ReadModifyWrite, Scope::Workgroup, Relaxed, model::kInitialValue);
  const auto second = atomic(1, OperationKind::ReadModifyWrite, Scope::QueueFamily, kBoth, first);
  for (std::uint32_t agent = 0; agent < 2; ++agent) {
    Operation barrier;
    barrier.agent = static_cast<AgentId>(agent);
    barrier.kind = OperationKind::ControlBarrier;
    barrier.scope = Scope::Device;
    barrier.execution_scope = Scope::Workgroup;
    barrier.semantics = AcquireRelease | ImageMemory | MakeAvailable | MakeVisible;
    both.operation(next++, barrier, 0, 0, {});
  }
  both.passes(second + 1, {});
  both.passes(second + 2, {});
  const auto own = atomic(0, OperationKind::Write, Scope::Device, Relaxed, model::kInitialValue);
  const auto third = atomic(0, OperationKind::ReadModifyWrite, Scope::Device, Release | UniformMemory, own);
  atomic(2, OperationKind::Read, Scope::QueueFamily, Acquire | UniformMemory | MakeVisible, third);
  CHECK(verdict(recorder.execution(), true, pairs_of(detector)).text.empty());
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
// was forgotten for an access that others follow in orders of their own. Measured over 200,000 streams of
// each kind: none with a false alarm, 45 and 19 with a racy location missed.
TEST_CASE("without remembering every access it has no false alarm either, and misses 1 of 2500 at most", "[nightly]") {
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
      CHECK(counts.missed <= 1 + executions() / 2500);
    }
  }
}
