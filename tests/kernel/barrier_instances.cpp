// Which dynamic instance of which barrier an invocation was in: what the records of control
// barriers say, and the memory model builds synchronization on.

#include "emulator/host/device_state.h"
#include "emulator/memory/sequential.h"

#include <heddle/host.h>
#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace heddle;

namespace {

/// Sequential memory that keeps the records of control barriers.
class RecordingMemory final : public memory::Memory {
 public:
  explicit RecordingMemory(std::vector<Operation>& barriers) : barriers_(barriers) {}
  void listen(trace::Listener*) override {}
  void begin(const memory::Cohort&) override {}
  void end(const memory::Cohort&) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void depend(memory::Dependency) override {}
  void settle() override {}
  void restart() override {}
  void add(AllocationId allocation, std::span<std::byte> storage) override { memory_.add(allocation, storage); }
  void remove(AllocationId allocation) override { memory_.remove(allocation); }
  void read(const Operation& operation, void* value) override { memory_.read(operation, value); }
  void write(const Operation& operation, const void* value) override { memory_.write(operation, value); }
  void read_modify_write(const Operation& operation, MemorySemantics unequal, memory::Modify modify,
                         void* context) override {
    memory_.read_modify_write(operation, unequal, modify, context);
  }
  void barrier(const Operation&) override {}
  void arrive(const Operation& operation) override { barriers_.push_back(operation); }
  void leave(const Operation& operation, std::span<const AgentId>) override { barriers_.push_back(operation); }

 private:
  memory::SequentialMemory memory_;
  std::vector<Operation>& barriers_;
};

using Meeting = std::set<std::uint32_t>;

/// Who met whom at the barriers of a dispatch: the agents of each instance that was recorded.
/// Checks that each agent is recorded twice in an instance, and all of them come before one leaves.
template <typename Kernel>
std::multiset<Meeting> meetings(const Kernel& kernel, Extent groups, Extent local, std::uint32_t subgroup_size,
                                std::uint64_t seed = 1, LaneMapping mapping = LaneMapping::Linear) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.seed = seed;
  options.subgroup_size = subgroup_size;
  options.lane_mapping = mapping;
  options.operations_between_switches = 1;
  auto state = std::make_shared<detail::DeviceState>(options);
  std::vector<Operation> barriers;
  state->memory = std::make_unique<RecordingMemory>(barriers);
  Device device(new detail::DeviceHandle{state});
  device.dispatch(kernel, groups, local);
  std::map<std::uint64_t, Meeting> came;
  std::map<std::uint64_t, Meeting> left;
  for (const Operation& barrier : barriers) {
    const auto agent = static_cast<std::uint32_t>(barrier.agent);
    const std::uint64_t instance = barrier.barrier_instance;
    if (came[instance].insert(agent).second) {
      CHECK(left[instance].empty());
    } else {
      CHECK(left[instance].insert(agent).second);
    }
  }
  CHECK(came == left);
  std::multiset<Meeting> all;
  for (const auto& [instance, agents] : came) all.insert(agents);
  return all;
}

Meeting agents(std::uint32_t first, std::uint32_t count) {
  Meeting made;
  for (std::uint32_t i = 0; i < count; ++i) made.insert(first + i);
  return made;
}

std::multiset<Meeting> times(std::size_t n, const std::multiset<Meeting>& each) {
  std::multiset<Meeting> all;
  for (std::size_t i = 0; i < n; ++i) all.insert(each.begin(), each.end());
  return all;
}

const auto workgroup_barrier = [](auto& inv) {
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
};
const auto subgroup_barrier = [](auto& inv) {
  inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kWorkgroupBarrier);
};

}  // namespace

TEST_CASE("each passing of a workgroup barrier is an instance of its own in each workgroup") {
  const auto kernel = [](auto& inv) {
    for (int i = 0; i < 3; ++i) workgroup_barrier(inv);
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CHECK(meetings(kernel, {2}, {6}, 4, seed) == times(3, {agents(0, 6), agents(6, 6)}));
  }
}

TEST_CASE("a subgroup barrier is met by the lanes of one subgroup, a workgroup barrier by all") {
  CHECK(meetings(subgroup_barrier, {1}, {8}, 4) == std::multiset<Meeting>{agents(0, 4), agents(4, 4)});
  CHECK(meetings(workgroup_barrier, {1}, {8}, 4) == std::multiset<Meeting>{agents(0, 8)});
}

TEST_CASE("subgroups that run ahead do not mix the instances of their barriers") {
  const auto kernel = [](auto& inv) {
    const std::uint32_t rounds = 1 + 2 * inv.subgroup_id();
    for (std::uint32_t i = 0; i < rounds; ++i) subgroup_barrier(inv);
    workgroup_barrier(inv);
  };
  const std::multiset<Meeting> expected{agents(0, 4), agents(4, 4), agents(4, 4), agents(4, 4), agents(0, 8)};
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CHECK(meetings(kernel, {1}, {8}, 4, seed) == expected);
  }
}

TEST_CASE("a subgroup barrier in a branch is met by the lanes in that branch only") {
  const auto kernel = [](auto& inv) {
    if (inv.subgroup_local_invocation_id() < 1) {
      subgroup_barrier(inv);
    } else {
      inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kWorkgroupBarrier);
    }
  };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CHECK(meetings(kernel, {1}, {8}, 4, seed) ==
          std::multiset<Meeting>{agents(0, 1), agents(1, 3), agents(4, 1), agents(5, 3)});
  }
}

TEST_CASE("lanes that have left a loop are in no more instances of the barrier inside") {
  const auto kernel = [](auto& inv) {
    for (std::uint32_t i = 0; i <= inv.subgroup_local_invocation_id(); ++i) subgroup_barrier(inv);
  };
  CHECK(meetings(kernel, {1}, {3}, 4) == std::multiset<Meeting>{agents(0, 3), agents(1, 2), agents(2, 1)});
}

TEST_CASE("the members of a subgroup barrier are those of the mapping") {
  for (const Meeting& met : meetings(subgroup_barrier, {1}, {64}, 16, 3, LaneMapping::Shuffled)) {
    CHECK(met.size() == 16);
    CHECK(met != agents(*met.begin(), 16));
  }
}

TEST_CASE("two named barriers are met by those that named them") {
  const auto kernel = [](auto& inv) {
    const NamedBarrier even = inv.named_barrier_initialize(2);
    const NamedBarrier odd = inv.named_barrier_initialize(2);
    const bool is_odd = inv.subgroup_id() % 2 != 0;
    for (int i = 0; i < 2; ++i) {
      inv.memory_named_barrier(is_odd ? odd : even, Scope::Workgroup, kWorkgroupBarrier);
    }
  };
  Meeting even = agents(0, 2);
  even.merge(agents(4, 2));
  Meeting odd = agents(2, 2);
  odd.merge(agents(6, 2));
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    CHECK(meetings(kernel, {1}, {8}, 2, seed) == times(2, {even, odd}));
  }
}

TEST_CASE("a named barrier for fewer subgroups than come is met in whole subgroups") {
  const auto kernel = [](auto& inv) {
    const NamedBarrier two = inv.named_barrier_initialize(2);
    inv.memory_named_barrier(two, Scope::Workgroup, kWorkgroupBarrier);
  };
  std::set<std::multiset<Meeting>> seen;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto all = meetings(kernel, {1}, {8}, 2, seed);
    REQUIRE(all.size() == 2);
    for (const Meeting& met : all) {
      CHECK(met.size() == 4);
      for (const std::uint32_t agent : met) CHECK(met.count(agent ^ 1) == 1);
    }
    seen.insert(all);
  }
  // Which ones meet is up to the seed.
  CHECK(seen.size() > 1);
}

TEST_CASE("an invocation that is alone in a scope instance passes its barriers, each an instance") {
  const auto kernel = [](auto& inv) {
    workgroup_barrier(inv);
    subgroup_barrier(inv);
  };
  CHECK(meetings(kernel, {2}, {1}, 4) == times(2, {agents(0, 1), agents(1, 1)}));
}

TEST_CASE("a subgroup operation between barriers takes no number of theirs") {
  const auto kernel = [](auto& inv) {
    subgroup_barrier(inv);
    inv.group_non_uniform_all(true);
    subgroup_barrier(inv);
  };
  CHECK(meetings(kernel, {1}, {4}, 4) == times(2, {agents(0, 4)}));
}
