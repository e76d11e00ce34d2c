// The detector for several threads, told in a known order: what its threads know of each other.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "emulator/race/parallel_detector.h"
#include "emulator/trace/recorder.h"
#include "tests/race/agreement.h"

using namespace heddle;
using namespace heddle::race;

namespace {

constexpr std::uint32_t kMostInGroup = 8;
constexpr std::uint32_t kGroups = 2;
constexpr std::size_t kBytes = 16;

/// Takes the operations of a stream, each at a line of its own, as a sequentially consistent memory would:
/// tells a recorder, and the detector's threads, each of its workgroups.
class Parallel final : public trace::Listener {
 public:
  Parallel(trace::Recorder& recorder, const KernelOptions& options, std::uint32_t threads, bool tags)
      : recorder_(recorder), detector_(options, tags) {
    for (std::uint32_t i = 0; i < threads; ++i) detector_.add_thread();
    detector_.dispatch_begins(0, kMostInGroup, kGroups);
    for (std::uint32_t i = 0; i < 2; ++i) histories_.emplace_back(detector_.order());
    for (auto& of_allocation : writers_) of_allocation.fill(model::kInitialValue);
    if (tags) detector_.tags()->on_too_many_sets([this] { too_many_sets_ = true; });
  }

  void agent_begins(AgentId agent, const model::Place& place) override {
    recorder_.agent_begins(agent, place);
    const std::uint32_t first = place.workgroup * kMostInGroup;
    const auto renamed = static_cast<AgentId>(first + begun_[place.workgroup]++);
    renamed_.push_back(renamed);
    groups_.push_back(place.workgroup);
    thread(agent).agents_begin(renamed, 1, place, {});
  }
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId, AgentId) override { FAIL("there is one dispatch"); }

  void operation(model::OperationIndex index, const Operation& operation, model::Value, model::Value,
                 std::span<const trace::Source>) override {
    Operation numbered = operation;
    numbered.where.line = index;
    recorder_.operation(index, operation, 0, 0,
                        operation.reads() ? sources_of(operation.locations) : std::vector<trace::Source>());
    if (operation.atomic && operation.writes()) recorder_.placed(index);
    if (operation.writes()) std::fill_n(writers_of(operation.locations), operation.locations.size_bytes, index);
    DetectorThread& teller = thread(operation.agent);
    numbered.agent = renamed_[static_cast<std::size_t>(operation.agent)];
    if (operation.is_access()) {
      teller.access(numbered, histories_[static_cast<std::size_t>(operation.locations.allocation)]);
    } else if (operation.kind == OperationKind::ControlBarrier) {
      // They are told when they meet.
      meetings_[operation.barrier_instance].push_back(numbered);
      instances_[index] = operation.barrier_instance;
    } else {
      teller.barrier(numbered);
    }
  }
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) override {
    recorder_.passes(arrival, synchronizing);
    const auto met = meetings_.extract(instances_.at(arrival));
    if (!met.empty()) thread_of_renamed(met.mapped().front().agent).meet(met.mapped());
  }
  void placed(model::OperationIndex) override {}

  /// Whether operations had more sets of tags than are told apart.
  bool has_too_many_sets() const { return too_many_sets_; }
  std::vector<model::OperationPair> races() const {
    std::vector<model::OperationPair> found;
    const auto add = [&](const KernelDetector& detector) {
      for (const KernelRace& race : detector.races())
        found.push_back(
            {detector.site(race.first).operation.where.line, detector.site(race.second).operation.where.line});
    };
    for (const DetectorThread& teller : detector_.threads()) add(teller.detector());
    if (detector_.tags()) add(detector_.tags()->found());
    return found;
  }

 private:
  DetectorThread& thread(AgentId agent) { return of_group(groups_[static_cast<std::size_t>(agent)]); }
  DetectorThread& thread_of_renamed(AgentId agent) {
    return of_group(static_cast<std::uint32_t>(agent) / kMostInGroup);
  }
  DetectorThread& of_group(std::uint32_t group) {
    const auto& threads = detector_.threads();
    return const_cast<DetectorThread&>(threads[group % threads.size()]);
  }
  model::OperationIndex* writers_of(const Locations& bytes) {
    return writers_[static_cast<std::size_t>(bytes.allocation)].data() + bytes.offset_bytes;
  }
  std::vector<trace::Source> sources_of(const Locations& bytes) {
    std::vector<trace::Source> sources;
    for (std::uint32_t i = 0; i < bytes.size_bytes; ++i)
      sources.push_back({{bytes.allocation, bytes.offset_bytes + i, 1}, writers_of(bytes)[i]});
    return sources;
  }

  trace::Recorder& recorder_;
  ParallelDetector detector_;
  bool too_many_sets_ = false;
  std::vector<History> histories_;
  std::array<std::array<model::OperationIndex, kBytes>, 2> writers_;
  std::array<std::uint32_t, kGroups> begun_{};
  std::vector<AgentId> renamed_;
  std::vector<std::uint32_t> groups_;
  std::map<std::uint64_t, std::vector<Operation>> meetings_;
  std::map<model::OperationIndex, std::uint64_t> instances_;
};

Verdict compare(std::uint64_t seed, const StreamFeatures& features, const KernelOptions& options) {
  trace::Recorder recorder;
  Parallel parallel(recorder, options, 1 + seed % 3 % 2, features.tags);
  tell_random_stream(seed, features, parallel);
  Verdict known = verdict(recorder.execution(), options.chains, parallel.races());
  // A set too many counts as none, which hides races.
  if (parallel.has_too_many_sets()) known.missed = false;
  return known;
}

Counts count(StreamFeatures features, const KernelOptions& options = {}) {
  features.one_dispatch = true;
  features.workgroup_barriers = true;
  return race::count(features, options, compare);
}

}  // namespace

TEST_CASE("threads of the parallel detector have every racy location of one class and no false alarm", "[nightly]") {
  StreamFeatures features;
  features.plain = true;
  const Counts counts = count(features);
  INFO(counts.first);
  CHECK(counts.racy > executions() / 10);
  CHECK(counts.racy < executions());
  CHECK(counts.alarms == 0);
  CHECK(counts.missed == 0);
}

TEST_CASE("threads of the parallel detector have every racy location of all classes and no false alarm", "[nightly]") {
  const Counts counts = count({});
  INFO(counts.first);
  CHECK(counts.racy > executions() / 10);
  CHECK(counts.racy < executions());
  CHECK(counts.alarms == 0);
  CHECK(counts.missed == 0);
}

//= mmra:happens-before type=test
TEST_CASE("threads of the parallel detector have every racy location of up to eight sets of tags and no false alarm",
          "[nightly]") {
  StreamFeatures features;
  features.tags = true;
  const Counts counts = count(features);
  INFO(counts.first);
  CHECK(counts.racy > executions(features) / 10);
  CHECK(counts.racy < executions(features));
  CHECK(counts.alarms == 0);
  CHECK(counts.missed == 0);
}

// As of the detector that hears everything on one thread.
TEST_CASE("without remembering every access the parallel detector has no false alarm, and misses 1 of 1500 at most",
          "[nightly]") {
  KernelOptions options;
  options.exact_accesses = 0;
  StreamFeatures of_one_class;
  of_one_class.plain = true;
  for (const StreamFeatures& features : {of_one_class, StreamFeatures{}}) {
    const Counts counts = count(features, options);
    INFO(counts.first);
    CHECK(counts.racy > executions() / 10);
    CHECK(counts.alarms == 0);
    CHECK(counts.missed <= 1 + executions() / 1500);
  }
}
