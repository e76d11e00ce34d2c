// What is remembered around a race is the same whether the memory says who read from whom or it is found out.
#include <catch2/catch.hpp>

#include <array>
#include <cstring>
#include <random>

#include "emulator/advice/neighbourhood.h"
#include "emulator/memory/sequential.h"
#include "tests/how_many.h"

using namespace heddle;
using namespace heddle::advice;

namespace {

constexpr std::uint32_t kAgents = 4;
constexpr std::uint64_t kBytes = 16;

model::Place place(AgentId agent) {
  model::Place place;
  place.workgroup = static_cast<std::uint32_t>(agent) / 2;
  return place;
}

/// Remembers what a sequential memory tells, once as that tells it and once without what it says of sources.
class RememberedTwice final : public trace::Listener {
 public:
  RememberedTwice()
      : told_(1000, Recent::Hears::AnyMemory, known()), found_(1000, Recent::Hears::SequentialMemory, known()) {}

  void agent_begins(AgentId, const model::Place&) override {}
  void agent_ends(AgentId) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void dependency(bool memory) override {
    if (!memory) return;
    told_.forget();
    found_.forget();
    operations_.clear();
  }
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources) override {
    told_.operation(index, operation, read, written, sources);
    found_.operation(index, operation, read, written, {});
    operations_.emplace_back(index, operation);
  }
  void passes(model::OperationIndex, std::span<const model::OperationIndex>) override {}
  void placed(model::OperationIndex write) override {
    told_.placed(write);
    found_.placed(write);
  }

  /// Compares one that was told, and an earlier one of another agent. Returns whether anything is remembered of them.
  bool agree_around(std::mt19937_64& random) {
    const auto any = [&] { return operations_[random() % operations_.size()]; };
    const auto [earlier, first] = any();
    const auto [later, second] = any();
    if (earlier >= later || first.agent == second.agent) return false;
    const auto told = told_.around(first, first.agent, later, 1000);
    const auto found = found_.around(first, first.agent, later, 1000);
    REQUIRE(told.has_value() == found.has_value());
    if (!told) return false;
    REQUIRE(found->agents == told->agents);
    REQUIRE(found->first == told->first);
    REQUIRE(found->second == told->second);
    REQUIRE(found->execution.operations.size() == told->execution.operations.size());
    REQUIRE(found->execution.reads_from == told->execution.reads_from);
    REQUIRE(found->execution.modification_order == told->execution.modification_order);
    return !told->execution.reads_from.empty();
  }

 private:
  static Recent::Known known() {
    return {[](std::uint32_t) -> const Operation& { throw std::logic_error("no access was remembered in short"); },
            place};
  }

  Recent told_;
  Recent found_;
  std::vector<std::pair<model::OperationIndex, Operation>> operations_;
};

Operation random_access(std::mt19937_64& random) {
  Operation access;
  access.kind = static_cast<OperationKind>(random() % 3);
  access.atomic = access.kind == OperationKind::ReadModifyWrite || random() % 2 == 0;
  access.agent = static_cast<AgentId>(random() % kAgents);
  access.scope = Scope::Device;
  access.locations.allocation = static_cast<AllocationId>(random() % 2);
  access.locations.size_bytes = std::uint32_t{1} << random() % 4;
  access.locations.offset_bytes = random() % (kBytes / access.locations.size_bytes) * access.locations.size_bytes;
  access.where.line = static_cast<std::uint32_t>(random() % 8);
  return access;
}

/// Adds one to what is even.
bool add_to_even(void*, const void* old, void* fresh) {
  std::uint8_t value = 0;
  std::memcpy(&value, old, 1);
  std::memset(fresh, value + 1, 8);
  return value % 2 == 0;
}

void execute(memory::SequentialMemory& memory, const Operation& access) {
  std::uint64_t value = 1;
  if (access.kind == OperationKind::Read) memory.read(access, &value);
  if (access.kind == OperationKind::Write) memory.write(access, &value);
  if (access.kind == OperationKind::ReadModifyWrite)
    memory.read_modify_write(access, access.semantics, add_to_even, nullptr);
}

}  // namespace

TEST_CASE("on sequential memory who read from whom is found out as the memory would tell it", "[nightly]") {
  std::size_t related = 0;
  const std::uint64_t runs = how_many("HEDDLE_NEIGHBOURHOODS", 200, 20000);
  for (std::uint64_t seed = first_seed(); seed < first_seed() + runs; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    std::array<std::array<std::byte, kBytes>, 2> storage{};
    memory::SequentialMemory memory;
    RememberedTwice remembered;
    memory.listen(&remembered);
    for (std::uint32_t i = 0; i < storage.size(); ++i) memory.add(static_cast<AllocationId>(i), storage[i]);
    for (int phase = 0; phase < 2; ++phase) {
      for (int step = 0; step < 40; ++step) execute(memory, random_access(random));
      for (int pair = 0; pair < 10; ++pair) related += remembered.agree_around(random) ? 1 : 0;
      for (int step = 0; step < 40; ++step) execute(memory, random_access(random));
      for (int pair = 0; pair < 10; ++pair) related += remembered.agree_around(random) ? 1 : 0;
      memory.depend(memory::Dependency::Memory);
    }
  }
  REQUIRE(related > runs);
}
