// Buffers that are made and freed one after the other: what is remembered of them does not grow, and what is said of
// one is not said of another, although devices use their numbers again.

#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <map>
#include <string>

#include "emulator/host/device_state.h"
#include "emulator/trace/file_reader.h"
#include "emulator/watch/parallel_races.h"
#include "tests/temporary_file.h"

using namespace heddle;

namespace {

constexpr auto increment = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  (void)inv;
  sum[0] = sum[0] + 1u;
};

/// A variable, an access and an atomic.
constexpr auto use = [](auto& inv, StorageBuffer<std::uint32_t> auto sum) {
  auto own = inv.template workgroup<std::uint32_t>("own");
  own = sum[1];
  inv.atomic_i_increment(sum[0], Scope::Device, kBufferBarrier);
};

/// A device of each kind, by name.
std::map<std::string, DeviceOptions> devices() {
  DeviceOptions emulated;
  emulated.mode = Mode::Emulated;
  emulated.seed = 1;
  emulated.races = emulated.races_parallel = false;
  emulated.memory = memory_policy("sequential");
  std::map<std::string, DeviceOptions> made{{"sequential", emulated}};
  made["checked"] = made["parallel"] = emulated;
  made["checked"].races = true;
  made["parallel"].races = made["parallel"].races_parallel = true;
  // So that what comes is always the same.
  made["parallel"].workers = 1;
  made["weak"] = made["checked"];
  made["weak"].memory = memory_policy("random");
  return made;
}

using detail::DeviceState;

std::uint32_t numbers_used(DeviceState& state) {
  return static_cast<std::uint32_t>(state.new_allocation_id());
}

void use_one(Device& device, const std::string& name) {
  auto sum = device.buffer({0u, 0u}, name);
  device.dispatch(use, 2, 1, sum);
}

/// What the objects of a trace are called.
class Names final : public trace::Listener {
 public:
  std::map<AllocationId, std::string> of;
  void named(const trace::NamedBytes& bytes) override {
    CHECK(of.emplace(bytes.allocation, bytes.name).first->second == bytes.name);
  }
  void agent_begins(AgentId, const model::Place&) override {}
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void operation(trace::OperationIndex, const Operation&, trace::Value, trace::Value,
                 std::span<const trace::Source>) override {}
  void passes(trace::OperationIndex, std::span<const trace::OperationIndex>) override {}
  void placed(trace::OperationIndex) override {}
};

}  // namespace

TEST_CASE("buffers that are made and freed need no more numbers than those that are here at once") {
  for (const auto& [name, options] : devices()) {
    CAPTURE(name);
    auto state = std::make_shared<DeviceState>(options);
    Device device(new detail::DeviceHandle{state});
    // The Workgroup memory of all workgroups, too.
    for (int i = 0; i < 10; ++i) use_one(device, "sum");
    const std::uint32_t of_few = numbers_used(*state);
    for (int i = 0; i < 200; ++i) {
      use_one(device, "sum");
      // No dispatch.
      device.buffer({0u});
    }
    CHECK(numbers_used(*state) <= of_few + 2);
    CHECK(device.races().empty());
  }
}

TEST_CASE("a buffer that is freed in a submission keeps its number until that ends") {
  for (const auto& [name, options] : devices()) {
    CAPTURE(name);
    auto state = std::make_shared<DeviceState>(options);
    Device device(new detail::DeviceHandle{state});
    // No memory dependency between the two: what is told of the first is remembered.
    const auto submit = [&] {
      std::uint32_t needed = 0;
      device.submit([&](Commands& commands) {
        const std::uint32_t before = numbers_used(*state);
        for (int i = 0; i < 3; ++i) {
          auto sum = device.buffer({0u}, "sum");
          commands.dispatch(increment, 1, 1, sum);
        }
        needed = numbers_used(*state) - before - 1;
      });
      return needed;
    };
    CHECK(submit() >= 3);
    CHECK(submit() == 0);
    CHECK(device.races().empty());
  }
}

TEST_CASE("races on buffers of one number after each other are told of each, by its name and as often as they came") {
  for (const auto& [name, options] : devices()) {
    if (!*options.races) continue;
    CAPTURE(name);
    auto state = std::make_shared<DeviceState>(options);
    Device device(new detail::DeviceHandle{state});
    std::map<std::string, std::uint64_t> counts;
    std::uint32_t numbers = 0;
    for (const char* object : {"first", "second", "third"}) {
      auto sum = device.buffer({0u}, object);
      device.dispatch(increment, 2, 1, sum);
      if (numbers == 0) numbers = numbers_used(*state);
    }
    CHECK(numbers_used(*state) == numbers + 1);
    for (const DataRace& race : device.races()) {
      counts[race.object] += race.count;
      for (const RacedObject& other : race.other_objects) {
        counts[race.object] -= other.count;
        counts[other.name] += other.count;
      }
    }
    CHECK(counts.size() == 3);
    CHECK(counts["first"] != 0);
    CHECK(counts["first"] == counts["second"]);
    CHECK(counts["first"] == counts["third"]);
  }
}

TEST_CASE("with workgroups on all cores dispatches are remembered until the next memory dependency") {
  auto state = std::make_shared<DeviceState>(devices().at("parallel"));
  Device device(new detail::DeviceHandle{state});
  for (int i = 0; i < 3; ++i) use_one(device, "sum");
  const watch::ParallelRaces& races = *state->watchers.parallel_races();
  CHECK(races.remembered_dispatches() == 0);
  auto sum = device.buffer({0u, 0u}, "sum");
  device.submit([&](Commands& commands) {
    commands.dispatch(use, 2, 1, sum);
    commands.execution_barrier();
    commands.dispatch(use, 2, 1, sum);
    CHECK(races.remembered_dispatches() == 2);
    commands.memory_barrier();
    CHECK(races.remembered_dispatches() == 0);
  });
}

TEST_CASE("a trace tells buffers of one number after each other apart") {
  const TemporaryFile file;
  {
    DeviceOptions options = devices().at("checked");
    options.trace = file.path();
    Device device(options);
    for (const char* object : {"first", "second", "third"}) use_one(device, object);
  }
  Names names;
  trace::read_trace_file(file.path(), names);
  std::map<std::string, std::size_t> numbers;
  for (const auto& [allocation, object] : names.of) ++numbers[object];
  CHECK(numbers["first"] == 1);
  CHECK(numbers["second"] == 1);
  CHECK(numbers["third"] == 1);
}

TEST_CASE("buffers without a name are called by how many allocations were before them") {
  auto state = std::make_shared<DeviceState>(devices().at("checked"));
  for (const char* name : {"buffer 0", "buffer 1", "buffer 2"}) {
    const auto made = state->allocate(1, 4, "");
    CHECK(made->name == name);
    state->free(*made);
  }
}

TEST_CASE("small buffers that were freed are named where they are used again, but not for ever") {
  auto state = std::make_shared<DeviceState>(devices().at("sequential"));
  const auto free_one = [&](const char* name) {
    const auto made = state->allocate(1, 4, name);
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(made->bytes));
    state->free(*made);
    return address;
  };
  const auto is_known = [&](std::uint64_t address) {
    const auto found = state->at(address);
    return found && found->name == "first";
  };
  const std::uint64_t first = free_one("first");
  for (int i = 0; i < 1000; ++i) free_one("other");
  CHECK(is_known(first));
  for (int i = 0; i < 300'000; ++i) free_one("other");
  CHECK_FALSE(is_known(first));
}
