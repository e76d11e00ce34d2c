#include <catch2/catch.hpp>

#include <utility>
#include <vector>

#include "emulator/model/tags.h"
#include "emulator/race/kernel_detector.h"
#include "tests/how_many.h"
#include "tests/race/agreement.h"
#include "tests/race/idioms.h"
#include "tests/race/judged_stream.h"
#include "tests/race/linearization.h"

using namespace heddle;
using namespace heddle::race;

namespace {

Verdict compare(std::uint64_t seed, const StreamFeatures& features, const KernelOptions& options) {
  return judged([&](Both& both) { tell_random_stream(seed, features, both); }, options).verdict;
}

/// Compares streams with tags.
Verdict compare_tagged(std::uint64_t seed, const StreamFeatures& features, const KernelOptions& options) {
  return judged([&](Both& both) { tell_random_stream(seed, features, both); }, options, true).verdict;
}

/// The verdict on a stream that showed a fault. Streams that are drawn otherwise take the test away: then a seed whose
/// stream shows what the title says is to be found.
Verdict known_verdict(std::uint64_t seed, std::uint64_t expected, const StreamFeatures& features,
                      const KernelOptions& options) {
  INFO("the stream of seed " << seed);
  CHECK(fingerprint(seed, features_of(seed, features)) == expected);
  return verdict_of(seed, features, options, compare);
}

Counts count(const StreamFeatures& features, const KernelOptions& options = {}) {
  return race::count(features, options, compare);
}

/// What the kernel detector and the judge say of kernels of thousands of operations.
struct LongKernels {
  /// Locations that have a race, those of which the detector has none, and pairs that do not race.
  std::uint64_t racy = 0;
  std::uint64_t missed = 0;
  std::uint64_t alarms = 0;
  std::string text;
};

LongKernels long_kernels(std::uint64_t how_many_kernels, std::uint32_t exact_accesses) {
  LongKernels all;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + how_many_kernels; ++seed) {
    IdiomFeatures features;
    features.one_class = seed % 2 == 0;
    KernelOptions options;
    options.exact_accesses = exact_accesses;
    const Verdict verdict = judged([&](Both& both) { tell_idioms(seed, features, both); }, options).verdict;
    all.racy += verdict.racy_locations;
    all.missed += verdict.missed_locations;
    all.alarms += verdict.false_alarm ? 1 : 0;
    all.text += "seed " + std::to_string(seed) + ": " + verdict.text + "\n";
  }
  return all;
}

}  // namespace

TEST_CASE("what comes to a barrier by a chain goes on to an agent that learns nothing else there") {
  // Three come to it, with masks of Workgroup, of Workgroup and Image, and of Image. What the first wrote the second
  // makes available, and for the third, who acquires Image, it is before that.
  CHECK(known_verdict(163645079, 0xb662c638f473d746, {}, {}).text.empty());
  StreamFeatures features;
  features.one_dispatch = true;
  KernelOptions options;
  options.exact_accesses = 0;
  CHECK(!known_verdict(163489799, 0x97af214140f276ea, features, options).false_alarm);
}

TEST_CASE("an arrival at a barrier goes on with the chains that it itself came to") {
  // Only the second of three arrivals has a class with each of the others: what the first made available to the
  // workgroup it makes available to the device, and visible from there to the third.
  StreamFeatures features;
  features.one_dispatch = true;
  CHECK(known_verdict(700564229, 0x4b382d4eaf42348f, features, {}).text.empty());
}

TEST_CASE(
    "a chain goes on from a barrier by an invocation that began after it, in the subgroup of one who came there") {
  StreamFeatures features;
  features.plain = true;
  features.one_instruction_each = true;
  CHECK(known_verdict(182612683, 0x077e6844a2639ae5, features, {}).text.empty());
}

TEST_CASE("what is visible in a subgroup is so in no other one, though its scope has not been used before") {
  // An update shows itself to its subgroup, all meet at a barrier, and an atomic of the scope of another subgroup
  // reads.
  StreamFeatures features;
  features.one_class_each = true;
  features.kernel = true;
  CHECK(known_verdict(7601, 0xaf0b88c9d90f4455, features, {}).text.empty());
}

TEST_CASE("links that were forgotten may have been of another storage class") {
  StreamFeatures features;
  features.one_dispatch = true;
  KernelOptions options;
  options.exact_accesses = 0;
  CHECK(!known_verdict(700335909, 0xfd22f50e8cb2c21d, features, options).false_alarm);
}

//= vk:memory-model-availability-visibility type=test
TEST_CASE("a chain goes on from a barrier by an atomic of an agent that came there as well") {
  // What the second invocation wrote it makes available to the queue family, the barrier of the first one, of another
  // class, from there to the device, and the first one's update, which is no operation in bulk, shows it to the third.
  using enum MemorySemantics;
  constexpr auto kBoth = UniformMemory | ImageMemory | MakeAvailable | MakeVisible | AcquireRelease;
  const auto tell = [](Both& both) {
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
  };
  CHECK(judged(tell).verdict.text.empty());
}

//= vk:memory-model-availability-visibility type=test
TEST_CASE("a write that no set of classes relates to others is shown by its own invocation") {
  // An update of Private memory, which has no class, acquires Image memory. Its write is made visible by the update's
  // own operation in bulk, which is behind it in program order alone; at a barrier the other invocation learns of that.
  using enum MemorySemantics;
  const auto races = [](MemorySemantics shown) {
    return agreed_races([&](Both& both) {
      for (std::uint32_t agent = 0; agent < 2; ++agent) both.agent_begins(static_cast<AgentId>(agent), {});
      Operation update;
      update.kind = OperationKind::ReadModifyWrite;
      update.atomic = true;
      update.storage_class = StorageClass::Private;
      update.locations = {AllocationId{}, 0, 4};
      update.scope = Scope::QueueFamily;
      update.semantics = Acquire | ImageMemory | shown;
      const std::vector<trace::Source> initial{{update.locations, model::kInitialValue}};
      both.operation(0, update, 0, 0, initial);
      both.placed(0);
      for (std::uint32_t agent = 0; agent < 2; ++agent) {
        Operation barrier;
        barrier.agent = static_cast<AgentId>(agent);
        barrier.kind = OperationKind::ControlBarrier;
        barrier.scope = barrier.execution_scope = Scope::Workgroup;
        barrier.semantics = AcquireRelease | ImageMemory | MakeVisible;
        both.operation(1 + agent, barrier, 0, 0, {});
      }
      both.passes(1, {});
      both.passes(2, {});
      Operation read;
      read.agent = AgentId{1};
      read.kind = OperationKind::Read;
      read.storage_class = StorageClass::Image;
      read.operands = MemoryOperands::NonPrivatePointer;
      read.locations = update.locations;
      both.operation(3, read, 0, 0, initial);
    });
  };
  CHECK(races(MakeVisible) == 0);
  CHECK(races(None) == 1);
}

//= vk:memory-model-system-synchronizes-with type=test
//= vk:memory-model-availability-visibility type=test
TEST_CASE("what system-synchronizes with an arrival at a barrier is shown by the class of another arrival there") {
  // The update is of Output memory. The first arrival, after it, is of Uniform memory, as the second one is, which also
  // shows a class of its own.
  using enum MemorySemantics;
  const auto races = [](MemorySemantics shown) {
    return agreed_races([&](Both& both) {
      for (std::uint32_t agent = 0; agent < 3; ++agent) {
        model::Place place;
        place.subgroup = agent;
        both.agent_begins(static_cast<AgentId>(agent), place);
      }
      both.system_synchronizes(AgentId{0}, AgentId{1});
      Operation update;
      update.kind = OperationKind::ReadModifyWrite;
      update.atomic = true;
      update.storage_class = StorageClass::Output;
      update.locations = {AllocationId{}, 0, 4};
      update.scope = Scope::QueueFamily;
      const std::vector<trace::Source> initial{{update.locations, model::kInitialValue}};
      both.operation(0, update, 0, 0, initial);
      both.placed(0);
      for (std::uint32_t agent = 1; agent < 3; ++agent) {
        Operation barrier;
        barrier.agent = static_cast<AgentId>(agent);
        barrier.kind = OperationKind::ControlBarrier;
        barrier.scope = barrier.execution_scope = Scope::Workgroup;
        barrier.semantics = AcquireRelease | UniformMemory | MakeVisible | (agent == 2 ? shown : None);
        both.operation(agent, barrier, 0, 0, {});
      }
      both.passes(1, {});
      both.passes(2, {});
      Operation read;
      read.agent = AgentId{2};
      read.kind = OperationKind::Read;
      read.storage_class = StorageClass::Output;
      read.operands = MemoryOperands::NonPrivatePointer;
      read.locations = update.locations;
      both.operation(3, read, 0, 0, initial);
    });
  };
  CHECK(races(OutputMemory) == 0);
  CHECK(races(ImageMemory) == 1);
}

//= mmra:happens-before type=test
//= vk:memory-model-location-ordered type=test
TEST_CASE("an atomic makes an earlier one of its agent available only if their tags fit, though it acquires from it") {
  using enum MemorySemantics;
  const auto races = [](const char* tag) {
    const auto tell = [&](Both& both) {
      for (std::uint32_t agent = 0; agent < 2; ++agent) both.agent_begins(static_cast<AgentId>(agent), {});
      Operation update;
      update.kind = OperationKind::ReadModifyWrite;
      update.atomic = true;
      update.storage_class = StorageClass::StorageBuffer;
      update.locations = {AllocationId{}, 0, 4};
      update.semantics = AcquireRelease | ImageMemory | MakeAvailable | MakeVisible;
      const auto add = [&](model::OperationIndex index, AgentId agent, Scope scope, const char* of, auto from) {
        model::TagSet tags;
        tags.add(*model::Tag::parse(of));
        update.agent = agent;
        update.scope = scope;
        update.tags = model::intern(tags);
        const std::vector<trace::Source> sources{{update.locations, from}};
        both.operation(index, update, 0, 0, sources);
        both.placed(index);
      };
      add(0, AgentId{0}, Scope::Invocation, "foo:a", model::kInitialValue);
      add(1, AgentId{0}, Scope::Workgroup, tag, model::OperationIndex{0});
      add(2, AgentId{1}, Scope::Workgroup, "foo:a", model::OperationIndex{1});
    };
    return agreed_races(tell, true);
  };
  CHECK(races("foo:a") == 0);
  CHECK(races("foo:b") == 1);
}

//= vk:memory-model-scope type=test
TEST_CASE("what is available to a subgroup is so to those of its invocations that are of another stage") {
  // The first, of another stage, makes its write available to the subgroup; a barrier of the second shows that to it.
  using enum MemorySemantics;
  const auto races = [](std::uint32_t subgroup) {
    return agreed_races([&](Both& both) {
      model::Place place;
      both.agent_begins(AgentId{0}, place);
      place.stage = model::Stage::TessellationControl;
      place.subgroup = subgroup;
      both.agent_begins(AgentId{1}, place);
      both.system_synchronizes(AgentId{0}, AgentId{1});
      Operation write;
      write.kind = OperationKind::Write;
      write.storage_class = StorageClass::Output;
      write.locations = {AllocationId{}, 0, 4};
      write.operands = MemoryOperands::MakePointerAvailable | MemoryOperands::NonPrivatePointer;
      write.available_scope = Scope::Subgroup;
      both.operation(0, write, 0, 0, {});
      Operation barrier;
      barrier.agent = AgentId{1};
      barrier.kind = OperationKind::MemoryBarrier;
      barrier.scope = Scope::Device;
      barrier.semantics = AcquireRelease | OutputMemory | MakeAvailable | MakeVisible;
      both.operation(1, barrier, 0, 0, {});
      Operation read = write;
      read.agent = AgentId{1};
      read.kind = OperationKind::Read;
      read.operands = MemoryOperands::NonPrivatePointer;
      both.operation(2, read, 0, 0, std::vector{trace::Source{read.locations, 0}});
    });
  };
  CHECK(races(0) == 0);
  CHECK(races(1) == 1);
}

//= vk:memory-model-tessellation-output-ordering type=test
TEST_CASE("no race is told of outputs of a tessellation control shader, and one is of other stages and memory") {
  using model::Stage;
  const auto races = [](bool tags, Stage first, Stage second, StorageClass memory) {
    const Judged found = judged(
        [&](Both& both) {
          for (std::uint32_t agent = 0; agent < 2; ++agent) {
            model::Place place;
            place.stage = agent == 0 ? first : second;
            both.agent_begins(static_cast<AgentId>(agent), place);
          }
          Operation write;
          write.kind = OperationKind::Write;
          write.storage_class = memory;
          write.locations = {AllocationId{}, 0, 4};
          if (tags) write.tags = model::intern(*model::TagSet::parse("foo:a"));
          both.operation(0, write, 0, 0, {});
          write.agent = AgentId{1};
          both.operation(1, write, 0, 0, {});
        },
        {}, tags);
    CHECK_FALSE(found.verdict.false_alarm);
    return found.races != 0;
  };
  for (const bool tags : {false, true}) {
    INFO((tags ? "with tags" : "without tags"));
    CHECK_FALSE(races(tags, Stage::TessellationControl, Stage::TessellationControl, StorageClass::Output));
    CHECK(races(tags, Stage::TessellationControl, Stage::TessellationControl, StorageClass::StorageBuffer));
    CHECK(races(tags, Stage::TessellationControl, Stage::Compute, StorageClass::Output));
    CHECK(races(tags, Stage::Compute, Stage::TessellationControl, StorageClass::Output));
  }
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

TEST_CASE("where what updates release is taken up together every racy location is found, without a false alarm",
          "[nightly]") {
  const std::size_t usual = std::exchange(many_heads, 1);
  StreamFeatures features;
  features.plain = true;
  const Counts counts = count(features);
  many_heads = usual;
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

//= mmra:happens-before type=test
TEST_CASE("with up to eight sets of tags every racy location is found, and there is no false alarm", "[nightly]") {
  StreamFeatures features;
  features.tags = true;
  const Counts counts = race::count(features, {}, compare_tagged);
  INFO(counts.first);
  CHECK(counts.racy > executions(features) / 10);
  CHECK(counts.alarms == 0);
  CHECK(counts.missed == 0);
}

// Where accesses are not remembered one by one what ChainClocks lists is cut, and of each four bytes 32 accesses stay.
//= mmra:happens-before type=test
TEST_CASE("with tags, without remembering every access, there is no false alarm, and 1 of 500 is missed at most",
          "[nightly]") {
  StreamFeatures features;
  features.tags = true;
  features.one_dispatch = true;
  KernelOptions options;
  options.exact_accesses = 0;
  const Counts counts = race::count(features, options, compare_tagged);
  INFO(counts.first);
  CHECK(counts.racy > executions(features) / 10);
  CHECK(counts.alarms == 0);
  CHECK(counts.missed <= 1 + executions(features) / 500);
}

// What runs of any length get once the accesses that are remembered one by one are used up: what it misses
// was forgotten for an access that others follow in orders of their own. Measured over 12,000 streams of
// each kind: none with a false alarm, 5 and 2 with a racy location missed.
TEST_CASE("without remembering every access it has no false alarm either, and misses 1 of 1500 at most", "[nightly]") {
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
      CHECK(counts.missed <= 1 + executions() / 1500);
    }
  }
}

// What devices promise: of two classes no fact is kept then, and of sets of two classes few.
TEST_CASE("where each allocation has one storage class, as promised, it has every racy location and no false alarm",
          "[nightly]") {
  KernelOptions options;
  options.one_class_each = true;
  StreamFeatures features;
  features.one_class_each = true;
  const Counts exact = count(features, options);
  INFO(exact.first);
  CHECK(exact.racy > executions() / 10);
  CHECK(exact.alarms == 0);
  CHECK(exact.missed == 0);
  options.exact_accesses = 0;
  features.one_dispatch = true;
  const Counts cut = count(features, options);
  INFO(cut.first);
  CHECK(cut.racy > executions() / 10);
  CHECK(cut.alarms == 0);
  CHECK(cut.missed <= 1 + executions() / 1500);
}

// Kernels of real length: locks, messages, polling, fences and barriers, of which one in 20 has a mistake.
TEST_CASE("in kernels of thousands of operations, all remembered, it has every racy location, and no false alarm",
          "[nightly]") {
  const LongKernels kernels = long_kernels(how_many("HEDDLE_LONG_KERNELS", 1, 300), 1'000'000);
  INFO(kernels.text);
  CHECK(kernels.racy > 0);
  CHECK(kernels.alarms == 0);
  CHECK(kernels.missed == 0);
}

// Measured over 24 kernels from seed 0: 9 of 506 racy locations are missed.
TEST_CASE("in kernels of thousands of operations it misses 1 of 15 racy locations at most, and has no false alarm",
          "[nightly]") {
  const LongKernels kernels = long_kernels(how_many("HEDDLE_LONG_KERNELS", 2, 300), 256);
  INFO(kernels.text);
  CHECK(kernels.racy > 0);
  CHECK(kernels.alarms == 0);
  CHECK(kernels.missed <= 1 + kernels.racy / 15);
}
