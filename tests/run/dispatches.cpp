#include <catch2/catch.hpp>

#include <stdexcept>

#include "emulator/judge/judgement.h"
#include "emulator/run/instruction_table.h"
#include "emulator/run/memories.h"
#include "emulator/run/races.h"
#include "emulator/run/runner.h"
#include "emulator/trace/fork.h"
#include "emulator/trace/recorder.h"
#include "tests/explore/script.h"

namespace heddle::run {
namespace {

/// Dispatches of two workgroups of one invocation each, with a script for each dispatch.
struct DispatchedScripts {
  Setting setting{Objects(4)};
  explore::Program program;
  InstructionTable table;
  std::vector<explore::Script> scripts;

  DispatchedScripts() { setting.objects.add({"data", StorageClass::StorageBuffer, 8}); }

  explore::Line access(OperationKind kind, std::uint64_t offset_bytes, explore::Value constant) {
    explore::Line line;
    line.operation.kind = kind;
    line.operation.locations = setting.objects.bytes(ObjectId{0}, 0, offset_bytes, 4);
    line.operation.where = table.where(table.add("line", "script", static_cast<std::uint32_t>(table.count() + 1)));
    line.constant = constant;
    return line;
  }
  void dispatch(explore::Script script) {
    scripts.push_back(std::move(script));
    trace::Dispatch extent;
    extent.groups = {2, 1, 1};
    extent.local = {1, 1, 1};
    const std::size_t number = scripts.size() - 1;
    add_dispatch(program, setting, extent, [this, number](const Invocation&) {
      return std::make_unique<explore::ScriptedAgent>(scripts[number]);
    });
  }
};

}  // namespace

TEST_CASE("a dispatch of a stepper reads what the one before it wrote, whatever the memory would hold back") {
  DispatchedScripts of;
  of.dispatch({of.access(OperationKind::Write, 0, 5)});
  of.dispatch({of.access(OperationKind::Read, 0, 0)});
  Races races(of.setting, of.table);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SeededChoice choice(seed);
    const auto make = memory_of(memory_policy("adversarial"));
    const auto memory = make(choice);
    Runner runner(of.program, of.setting, of.table, *memory, choice);
    trace::Recorder recorder;
    trace::Fork both({&recorder, &races});
    races.restart();
    runner.listen(&both);
    REQUIRE(runner.run() == RunEnd::Terminated);
    for (const std::size_t reader : {2, 3}) CHECK(runner.ends()[reader].results == std::vector<explore::Value>{5});
    CHECK(judge::Judgement(recorder.execution(), judge::Options{}).consistent());
  }
  // The two writes of the first dispatch race, and nothing else does.
  REQUIRE(races.found().size() == 1);
  CHECK(races.found()[0].count == 50);
  CHECK(races.found()[0].second.dispatch == 0);
  CHECK(races.found()[0].second.written == "5");
}

TEST_CASE("a dispatch without workgroups ends at once, first, last or in between") {
  DispatchedScripts of;
  const auto dispatch_nothing = [&] {
    trace::Dispatch none;
    none.groups = {0, 1, 1};
    none.local = {1, 1, 1};
    add_dispatch(of.program, of.setting, none, [](const Invocation&) { return nullptr; });
  };
  dispatch_nothing();
  of.dispatch({of.access(OperationKind::Write, 0, 7)});
  dispatch_nothing();
  of.dispatch({of.access(OperationKind::Read, 0, 0)});
  dispatch_nothing();
  SeededChoice choice(1);
  const auto make = memory_of(memory_policy("random"));
  const auto memory = make(choice);
  Runner runner(of.program, of.setting, of.table, *memory, choice);
  for (int time = 0; time < 3; ++time) {
    REQUIRE(runner.run() == RunEnd::Terminated);
    CHECK(runner.ends()[3].results == std::vector<explore::Value>{7});
  }
}

TEST_CASE("a setting whose dispatches do not have all agents of the program is refused") {
  DispatchedScripts of;
  of.dispatch({of.access(OperationKind::Write, 0, 1)});
  of.program.agents.push_back(of.program.agents.front());
  SeededChoice choice(1);
  const auto make = memory_of(memory_policy("sequential"));
  const auto memory = make(choice);
  CHECK_THROWS_AS(Runner(of.program, of.setting, of.table, *memory, choice), std::invalid_argument);
  of.program.agents.pop_back();
  of.program.system_synchronization = {{AgentId{0}, AgentId{1}}};
  CHECK_THROWS_AS(Runner(of.program, of.setting, of.table, *memory, choice), std::invalid_argument);
}

TEST_CASE("those who take part in a barrier of a subgroup are of the lanes that the extent maps to it") {
  const std::vector<std::uint32_t> positions = {2, 0, 3, 1};
  trace::Dispatch dispatch;
  dispatch.first_agent = 8;
  dispatch.groups = {2, 1, 1};
  dispatch.local = {4, 1, 1};
  dispatch.subgroup_size = 2;
  dispatch.positions = positions;
  const Invocation who{static_cast<AgentId>(13), 1, 1, {}};
  const auto agents = [](std::initializer_list<std::uint32_t> numbers) {
    std::vector<AgentId> all;
    for (const std::uint32_t number : numbers) all.push_back(static_cast<AgentId>(number));
    return all;
  };
  CHECK(participants(dispatch, who, Scope::Subgroup) == agents({13, 15}));
  CHECK(participants(dispatch, who, Scope::Workgroup) == agents({12, 13, 14, 15}));
  CHECK(participants(dispatch, who, Scope::Device) == agents({8, 9, 10, 11, 12, 13, 14, 15}));
}

}  // namespace heddle::run
