// What memories keep of agents, one by one: where each may not go back to, what waits for it, which copies its
// workgroup has; and the numbers of what they tell.

#include <catch2/catch.hpp>

#include <array>
#include <vector>

#include "emulator/memory/machine.h"
#include "emulator/memory/sequential.h"
#include "emulator/model/tags.h"

using namespace heddle;
using namespace heddle::memory;

namespace {

constexpr std::uint32_t kWords = 4;

/// A memory of some words, and workgroups of one invocation each.
template <typename Kind>
class Words {
 public:
  template <typename... Arguments>
  explicit Words(std::uint32_t workgroups, Arguments&&... arguments) : memory(std::forward<Arguments>(arguments)...) {
    memory.add(AllocationId{0}, std::as_writable_bytes(std::span(words_)));
    for (std::uint32_t i = 0; i < workgroups; ++i) {
      Cohort cohort{static_cast<AgentId>(i), 1, {}, {}};
      cohort.place.workgroup = i;
      memory.begin(cohort);
    }
  }

  void write(std::uint32_t agent, std::uint32_t word, TagSetId tags = {}) {
    memory.write(access(OperationKind::Write, agent, word, tags), &value_);
  }
  std::uint64_t read(std::uint32_t agent, std::uint32_t word, TagSetId tags = {}) {
    std::uint64_t value = 0;
    memory.read(access(OperationKind::Read, agent, word, tags), &value);
    return value;
  }
  /// A visibility operation for the whole device.
  void look_anew(std::uint32_t agent) {
    Operation barrier;
    barrier.kind = OperationKind::MemoryBarrier;
    barrier.agent = static_cast<AgentId>(agent);
    barrier.scope = Scope::Device;
    barrier.semantics = MemorySemantics::Acquire | MemorySemantics::UniformMemory | MemorySemantics::MakeVisible;
    memory.barrier(barrier);
  }

 private:
  static Operation access(OperationKind kind, std::uint32_t agent, std::uint32_t word, TagSetId tags) {
    Operation operation;
    operation.kind = kind;
    operation.agent = static_cast<AgentId>(agent);
    operation.storage_class = StorageClass::StorageBuffer;
    operation.locations = {AllocationId{0}, word * sizeof(std::uint64_t), sizeof(std::uint64_t)};
    operation.operands = MemoryOperands::NonPrivatePointer;
    operation.tags = tags;
    return operation;
  }

  std::array<std::uint64_t, kWords> words_{};
  std::uint64_t value_ = 1;

 public:
  Kind memory;
};

struct HasChoice {
  SeededChoice choice{1};
};

class Machines : private HasChoice, public Words<Machine> {
 public:
  Machines(std::uint32_t workgroups, const MemoryPolicy& policy) : Words(workgroups, policy, choice) {}
};

/// The numbers of operations, and of what whole workgroups meet at.
class Numbers final : public trace::Listener {
 public:
  void agent_begins(AgentId, const model::Place&) override {}
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void dependency(bool) override {}
  void operation(trace::OperationIndex index, const Operation&, trace::Value, trace::Value,
                 std::span<const trace::Source>) override {
    operations.push_back(index);
  }
  void passes(trace::OperationIndex, std::span<const trace::OperationIndex>) override {}
  void placed(trace::OperationIndex) override {}
  void meets(trace::OperationIndex first, const Operation& barrier, std::uint32_t count) override {
    met.push_back({first, static_cast<std::uint32_t>(barrier.agent), count});
  }

  std::vector<trace::OperationIndex> operations;
  /// The first arrival, its agent, and how many these are.
  std::vector<std::array<std::uint32_t, 3>> met;
};

}  // namespace

TEST_CASE("each agent's floor of a granule is found, whoever asked or came in between, and no other agent has one") {
  Floors floors;
  const auto floor_of = [&](std::uint32_t agent) {
    const Floor* const found = floors.find(static_cast<AgentId>(agent), ReferenceId{0});
    return found ? found->stamp : 0;
  };
  for (const std::uint32_t agent : {3u, 5u, 70u}) floors.add({static_cast<AgentId>(agent), ReferenceId{0}, agent});
  for (const std::uint32_t agent : {3u, 70u, 5u, 3u, 5u}) CHECK(floor_of(agent) == agent);
  CHECK(floor_of(6) == 0);
  // Its number ends as that of the last one does.
  CHECK(floor_of(6 + 64) == 70);
  CHECK(floor_of(5 + 64) == 0);
  CHECK(floors.find(AgentId{5}, ReferenceId{1}) == nullptr);
  CHECK(floors.highest() == 70);
  floors.remove_up_to(5);
  CHECK(floor_of(3) == 0);
  CHECK(floor_of(5) == 0);
  CHECK(floor_of(70) == 70);
  floors.clear();
  CHECK(floor_of(70) == 0);
}

TEST_CASE("a visibility operation gives up each copy that its workgroup has fetched since the last one, once") {
  MemoryPolicy policy;
  policy.shared_copies = policy.record_all = true;
  policy.stale = 256;
  Machines machines(3, policy);
  for (std::uint32_t word = 0; word < 2; ++word) machines.write(0, word);
  const auto given_up = [&] {
    const std::uint64_t before = machines.memory.report().given_up;
    machines.look_anew(1);
    return machines.memory.report().given_up - before;
  };
  CHECK(given_up() == 0);
  // A copy that is there is fetched anew once it is given up.
  for (int round = 0; round < 3; ++round) {
    for (const std::uint32_t word : {0u, 0u, 1u, 0u}) machines.read(1, word);
    machines.read(2, 0);
    CHECK(given_up() == 2);
    CHECK(given_up() == 0);
  }
}

TEST_CASE("a write that waits goes on where its agent reads it with other tags than before, and only there") {
  MemoryPolicy policy;
  policy.delay = 256;
  policy.record_all = true;
  Machines machines(2, policy);
  const TagSetId here = model::intern(*model::TagSet::parse("foo:here"));
  const TagSetId there = model::intern(*model::TagSet::parse("foo:there"));
  const auto waiting = [&] {
    std::size_t count = 0;
    for (const HeldWrite& write : machines.memory.held_writes())
      count += write.level == trace::CacheLevel::Agent ? 1 : 0;
    return count;
  };
  machines.write(0, 0, here);
  machines.write(0, 1, here);
  CHECK(waiting() == 2);
  for (int i = 0; i < 2; ++i) machines.read(0, 0, here);
  machines.read(0, 1, there);
  CHECK(waiting() == 2);
  machines.read(0, 0, there);
  CHECK(waiting() == 1);
  machines.read(0, 1, there);
  CHECK(waiting() == 1);
}

TEST_CASE("a barrier that a workgroup meets at is told on sequential memory with the numbers of all arrivals") {
  Words<SequentialMemory> words(3);
  Numbers numbers;
  words.memory.listen(&numbers);
  words.write(0, 0);
  Operation barrier;
  barrier.kind = OperationKind::ControlBarrier;
  words.memory.meet({AgentId{1}, 2, {}, {}}, barrier);
  words.write(0, 0);
  words.memory.meet({AgentId{0}, 3, {}, {}}, barrier);
  words.read(2, 0);
  CHECK(numbers.operations == std::vector<trace::OperationIndex>{0, 3, 7});
  CHECK(numbers.met == std::vector<std::array<std::uint32_t, 3>>{{1, 1, 2}, {4, 0, 3}});
}

// Clocks have a slot for each of the first fifteen agents, and one for all others.
//= vk:memory-model-synchronizes-with type=test
TEST_CASE("of agents without a clock of their own those of another queue family stand for nobody at a barrier") {
  const auto read_behind = [](std::uint32_t writers_family) {
    constexpr std::uint32_t kReader = 0, kOther = 15, kWriter = 16;
    Machines machines(kOther, memory_policy("adversarial"));
    for (std::uint32_t agent = 0; agent < kOther; ++agent) machines.look_anew(agent);
    for (const std::uint32_t agent : {kOther, kWriter}) {
      Cohort cohort{static_cast<AgentId>(agent), 1, {}, {}};
      cohort.place.workgroup = agent;
      cohort.place.queue_family = agent == kOther ? 1 : writers_family;
      machines.memory.begin(cohort);
    }
    machines.write(kWriter, 0);
    Operation barrier;
    barrier.kind = OperationKind::ControlBarrier;
    barrier.scope = Scope::QueueFamily;
    barrier.semantics = MemorySemantics::AcquireRelease | MemorySemantics::UniformMemory |
                        MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;
    for (const std::uint32_t agent : {kOther, kWriter, kReader}) {
      barrier.agent = static_cast<AgentId>(agent);
      machines.memory.arrive(barrier);
    }
    machines.memory.leave(barrier, {});
    return machines.read(kReader, 0);
  };
  CHECK(read_behind(0) == 1);
  CHECK(read_behind(1) == 0);
}

// A write comes to a second agent by one control barrier, and to a third one by another, of tags that do not fit the
// first: what the second agent does between joins the two, or does not.
//= mmra:happens-before type=test
TEST_CASE("an access between an acquire and a release joins them if it fits both, and does not if it fits neither") {
  const auto tags = [](const char* text) { return model::intern(*model::TagSet::parse(text)); };
  const auto read_behind = [&](TagSetId between) {
    Machines machines(3, memory_policy("adversarial"));
    Operation access;
    access.storage_class = StorageClass::StorageBuffer;
    access.locations = {AllocationId{0}, 0, sizeof(std::uint64_t)};
    access.operands = MemoryOperands::NonPrivatePointer;
    const auto meet = [&](std::uint32_t instance, std::uint32_t first, TagSetId of_first, TagSetId of_second) {
      std::array<Operation, 2> barriers;
      for (Operation& barrier : barriers) {
        barrier.kind = OperationKind::ControlBarrier;
        barrier.barrier_instance = instance;
        barrier.scope = Scope::Device;
      }
      barriers[0].semantics = MemorySemantics::Release | MemorySemantics::UniformMemory;
      barriers[1].semantics = MemorySemantics::Acquire | MemorySemantics::UniformMemory;
      barriers[0].agent = static_cast<AgentId>(first);
      barriers[0].tags = of_first;
      barriers[1].agent = static_cast<AgentId>(first + 1);
      barriers[1].tags = of_second;
      for (const Operation& barrier : barriers) machines.memory.arrive(barrier);
      for (const Operation& barrier : barriers) machines.memory.leave(barrier, {});
    };
    access.kind = OperationKind::Write;
    access.operands = access.operands | MemoryOperands::MakePointerAvailable;
    access.available_scope = Scope::Device;
    const std::uint64_t written = 1;
    machines.memory.write(access, &written);
    meet(1, 0, TagSetId::Empty, tags("foo:a"));
    machines.write(1, 1, between);
    meet(2, 1, tags("foo:b"), TagSetId::Empty);
    access.kind = OperationKind::Read;
    access.agent = AgentId{2};
    access.operands = MemoryOperands::NonPrivatePointer | MemoryOperands::MakePointerVisible;
    access.visible_scope = Scope::Device;
    std::uint64_t value = 0;
    machines.memory.read(access, &value);
    return value;
  };
  CHECK(read_behind(TagSetId::Empty) == 1);
  CHECK(read_behind(tags("foo:a, foo:b")) == 1);
  CHECK(read_behind(tags("foo:c")) == 0);
}
