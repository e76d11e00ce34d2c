// The kernel detector against the judge, where dispatches come one behind the other with nothing but an order between.
#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/how_many.h"
#include "tests/race/judged_stream.h"

using namespace heddle;
using namespace heddle::race;

namespace {

/// Hands on streams one behind the other: behind the end of all agents there is an execution dependency. As on a device
/// all agents are of one queue family, no workgroups of two streams are one, and Workgroup memory, which is gone with
/// its workgroup, is none of what they share.
class StreamsInTurn final : public trace::Listener {
 public:
  explicit StreamsInTurn(trace::Listener& to) : to_(to) {}

  void agent_begins(AgentId agent, const model::Place& place) override {
    model::Place own = place;
    own.device = own.queue_family = 0;
    own.workgroup += 1000 * turn_;
    const AgentId shifted = agent_of(agent);
    agents_ = std::max(agents_, static_cast<std::uint32_t>(shifted) + 1);
    living_.insert(shifted);
    to_.agent_begins(shifted, own);
  }
  void agent_ends(AgentId agent) override {
    living_.erase(agent_of(agent));
    to_.agent_ends(agent_of(agent));
  }
  void system_synchronizes(AgentId first, AgentId second) override {
    to_.system_synchronizes(agent_of(first), agent_of(second));
  }
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override {
    Operation own = operation;
    own.agent = agent_of(operation.agent);
    if (own.storage_class == StorageClass::Workgroup) own.storage_class = StorageClass::StorageBuffer;
    if (operation.kind == OperationKind::ControlBarrier) own.barrier_instance += 1000 * turn_;
    std::vector<trace::Source> shifted(sources.begin(), sources.end());
    for (trace::Source& source : shifted)
      if (source.write != model::kInitialValue) source.write += first_operation_;
    operations_ = first_operation_ + index + 1;
    to_.operation(first_operation_ + index, own, read, written, shifted);
  }
  void passes(model::OperationIndex arrival, std::span<const model::OperationIndex> synchronizing) override {
    std::vector<model::OperationIndex> shifted(synchronizing.begin(), synchronizing.end());
    for (model::OperationIndex& one : shifted) one += first_operation_;
    to_.passes(first_operation_ + arrival, shifted);
  }
  void placed(model::OperationIndex write) override { to_.placed(first_operation_ + write); }

  void next() {
    for (const AgentId agent : living_) to_.agent_ends(agent);
    living_.clear();
    to_.dependency(false);
    ++turn_;
    first_agent_ = agents_;
    first_operation_ = operations_;
  }

 private:
  AgentId agent_of(AgentId agent) const {
    return static_cast<AgentId>(first_agent_ + static_cast<std::uint32_t>(agent));
  }

  trace::Listener& to_;
  std::set<AgentId> living_;
  std::uint32_t turn_ = 0;
  std::uint32_t first_agent_ = 0;
  std::uint32_t agents_ = 0;
  model::OperationIndex first_operation_ = 0;
  model::OperationIndex operations_ = 0;
};

/// Compares what two kernels do with an execution dependency in between.
Verdict compare_dependent(std::uint64_t seed, StreamFeatures features, const KernelOptions& options) {
  features.kernel = true;
  features.tessellation = false;
  const auto tell = [&](Both& both) {
    StreamsInTurn streams(both);
    tell_random_stream(seed, features, streams);
    streams.next();
    tell_random_stream(~seed, features, streams);
  };
  return judged(tell, options).verdict;
}

}  // namespace

//= vk:memory-model-system-synchronizes-with type=test
//= vk:memory-model-availability-visibility type=test
TEST_CASE("what became visible in a workgroup is not so in those behind an execution dependency") {
  using enum MemorySemantics;
  const auto races = [](MemorySemantics shown) {
    return agreed_races([&](Both& both) {
      both.agent_begins(AgentId{0}, {});
      Operation update;
      update.kind = OperationKind::ReadModifyWrite;
      update.atomic = true;
      update.storage_class = StorageClass::StorageBuffer;
      update.locations = {AllocationId{}, 0, 4};
      update.scope = Scope::Device;
      update.semantics = AcquireRelease | UniformMemory | MakeAvailable | MakeVisible;
      both.operation(0, update, 0, 0, std::vector{trace::Source{update.locations, model::kInitialValue}});
      both.placed(0);
      both.agent_ends(AgentId{0});
      both.dependency(false);
      model::Place place;
      place.workgroup = 1;
      both.agent_begins(AgentId{1}, place);
      Operation barrier;
      barrier.agent = AgentId{1};
      barrier.kind = OperationKind::MemoryBarrier;
      barrier.scope = Scope::Device;
      barrier.semantics = Acquire | UniformMemory | shown;
      both.operation(1, barrier, 0, 0, {});
      Operation read;
      read.agent = AgentId{1};
      read.kind = OperationKind::Read;
      read.atomic = true;
      read.scope = Scope::Workgroup;
      read.storage_class = StorageClass::StorageBuffer;
      read.locations = update.locations;
      both.operation(2, read, 0, 0, std::vector{trace::Source{read.locations, 0}});
    });
  };
  CHECK(races(MakeVisible) == 0);
  CHECK(races(None) == 1);
}

TEST_CASE("an agent that system-synchronizes with one whose workgroup has ended is refused, and the detector goes on") {
  KernelDetector detector;
  model::Place place;
  for (std::uint32_t agent = 0; agent < 3; ++agent) {
    place.workgroup = agent;
    detector.agent_begins(static_cast<AgentId>(agent), place);
  }
  detector.agent_ends(AgentId{0});
  CHECK_THROWS_AS(detector.system_synchronizes(AgentId{0}, AgentId{2}), std::invalid_argument);
  Operation write;
  write.kind = OperationKind::Write;
  write.storage_class = StorageClass::StorageBuffer;
  write.locations = {AllocationId{}, 0, 4};
  for (std::uint32_t agent = 1; agent < 3; ++agent) {
    write.agent = static_cast<AgentId>(agent);
    detector.operation(agent - 1, write, 0, 0, {});
  }
  CHECK(detector.races().size() == 1);
}

TEST_CASE("behind an execution dependency the kernel detector has every racy location and no false alarm",
          "[nightly]") {
  StreamFeatures features;
  features.one_dispatch = true;
  std::uint64_t racy = 0;
  std::string wrong;
  // The judge takes longer over two kernels than over one.
  const std::uint64_t streams = executions() / 2;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + streams; ++seed) {
    const Verdict verdict = verdict_of(seed, features, {}, compare_dependent);
    racy += verdict.racy ? 1 : 0;
    if (!verdict.text.empty()) wrong += "seed " + std::to_string(seed) + ": " + verdict.text + "\n";
  }
  CHECK(racy > streams / 10);
  CHECK(wrong == "");
}
