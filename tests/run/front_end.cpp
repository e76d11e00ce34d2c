#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <set>

#include "emulator/explore/explore.h"
#include "emulator/run/memories.h"
#include "emulator/run/races.h"
#include "emulator/run/runner.h"
#include "emulator/trace/file_reader.h"
#include "emulator/trace/file_writer.h"
#include "emulator/trace/recorder.h"
#include "tests/run/toy.h"
#include "tests/temporary_file.h"

// What a front end whose agents are asked for their next step gets, shown by a toy (toy.h).

namespace heddle::toy {
namespace {

using Results = std::vector<std::vector<explore::Value>>;

const char* const kMessage =
    "groups 2\n"
    "buffer data 1\n"
    "buffer flag 1\n"
    "unless group 0 reader\n"
    "store data 0 1\n"
    "release flag 0 1\n"
    "jump end\n"
    "label reader\n"
    "acquire r0 flag 0\n"
    "unless r0 1 end\n"
    "load r1 data 0\n"
    "label end\n";

const char* const kStoreBuffering =
    "groups 2\n"
    "buffer x 1\n"
    "buffer y 1\n"
    "unless group 0 other\n"
    "add r7 x 0 1\n"
    "acquire r0 y 0\n"
    "jump end\n"
    "label other\n"
    "add r7 y 0 1\n"
    "acquire r0 x 0\n"
    "label end\n";

std::string without(std::string text, const std::string& words, const std::string& instead) {
  text.replace(text.find(words), words.size(), instead);
  return text;
}

/// All that one run of a kernel on a memory comes to.
struct Ran {
  run::RunEnd end = run::RunEnd::Blocked;
  std::vector<Finding> findings;
  Results results;
};

Ran run_once(Kernel& kernel, std::string_view policy_name, std::uint64_t seed, trace::Listener* listener = nullptr) {
  const explore::Program program = kernel.program(true);
  SeededChoice choice(seed);
  const auto make_memory = run::memory_of(memory_policy(policy_name));
  const auto memory = make_memory(choice);
  run::Runner runner(program, kernel.setting(), kernel.instructions(), *memory, choice);
  runner.listen(listener);
  Ran ran;
  ran.end = runner.run();
  ran.findings = runner.findings();
  for (const explore::AgentEnd& end : runner.ends()) ran.results.push_back(end.results);
  return ran;
}

/// All races of some runs, each pair of instructions once.
std::vector<DataRace> races_of(Kernel& kernel, std::string_view policy, std::uint64_t runs) {
  kernel.program(true);
  run::Races races(kernel.setting(), kernel.instructions());
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    races.restart();
    run_once(kernel, policy, seed, &races);
  }
  return races.found();
}

/// The registers of all invocations in all executions that end, and whether one of them has a data race.
std::pair<std::set<Results>, bool> all_executions(Kernel& kernel) {
  std::set<Results> outcomes;
  bool racy = false;
  explore::Options options;
  options.model.chains = true;
  explore::explore(kernel.program(false), options, [&](const explore::Found& found) {
    racy = racy || found.judgement.racy();
    Results results;
    for (const explore::AgentEnd& end : found.ends) results.push_back(end.results);
    if (found.terminated()) outcomes.insert(results);
    return true;
  });
  return {outcomes, racy};
}

}  // namespace

TEST_CASE("an access behind the end of a buffer ends the run of a stepper") {
  Kernel kernel("local 4\nbuffer data 4\nplus r0 me\nplus r0 1\nstore data r0 7\n");
  const Ran ran = run_once(kernel, "sequential", 1);
  CHECK(ran.end == run::RunEnd::Blocked);
  REQUIRE(ran.findings.size() == 1);
  const Finding& finding = ran.findings[0];
  CHECK(finding.kind == FindingKind::OutOfBounds);
  CHECK(finding.message == "bytes 16 to 19 of StorageBuffer 'data', which has 16 bytes");
  CHECK(finding.object == "data");
  CHECK(finding.index == 4);
  CHECK(finding.where.line == 5);
  CHECK(std::string_view(finding.where.file) == "kernel.toy");
  CHECK(std::string_view(finding.where.function) == "store data r0 7");
  CHECK(finding.invocation.local.x == 3);
}

TEST_CASE("a read of what no invocation wrote is found, and the run of a stepper goes on") {
  Kernel kernel("local 2\nworkgroup tile 2\nstore tile me 1\nload r0 tile 0\nload r1 tile 1\n");
  std::set<std::string> messages;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Ran ran = run_once(kernel, "sequential", seed);
    CHECK(ran.end == run::RunEnd::Terminated);
    for (const Finding& finding : ran.findings) {
      CHECK(finding.kind == FindingKind::UninitializedRead);
      messages.insert(finding.message.substr(0, finding.message.find(" until")));
    }
  }
  CHECK(messages == std::set<std::string>{"byte 0 of element 0 of Workgroup 'tile' was never written",
                                          "byte 0 of element 1 of Workgroup 'tile' was never written"});
  Kernel with_barrier("local 2\nworkgroup tile 2\nstore tile me 1\nbarrier\nload r0 tile 0\nload r1 tile 1\n");
  for (std::uint64_t seed = 1; seed <= 40; ++seed) CHECK(run_once(with_barrier, "random", seed).findings.empty());
}

TEST_CASE("a barrier to which not all invocations of a workgroup come is found, with who waits where") {
  Kernel kernel("groups 2\nlocal 3\nunless local 0 end\nbarrier\nlabel end\n");
  const Ran ran = run_once(kernel, "sequential", 3);
  CHECK(ran.end == run::RunEnd::Blocked);
  REQUIRE(ran.findings.size() == 1);
  CHECK(ran.findings[0].kind == FindingKind::BarrierDivergence);
  CHECK(ran.findings[0].where.line == 4);
  CHECK(ran.findings[0].message ==
        "the invocations of workgroup (0,0,0) do not all come to the same barrier: 1 invocation waits at kernel.toy:4; "
        "2 invocations finished.");
}

TEST_CASE("a stepper that waits for what no invocation will write makes no progress") {
  Kernel kernel("local 2\nbuffer flag 1\nlabel again\nacquire r0 flag 0\nunless r0 1 again\n");
  const Ran ran = run_once(kernel, "random", 1);
  CHECK(ran.end == run::RunEnd::Blocked);
  REQUIRE(ran.findings.size() == 1);
  CHECK(ran.findings[0].kind == FindingKind::NoProgress);
  CHECK(ran.findings[0].message.find("2 invocations spin at kernel.toy:4") != std::string::npos);
}

TEST_CASE("a race of a stepper is told once, with the missing link and a change that mends it") {
  Kernel kernel(without(kMessage, "release flag 0 1", "add r7 flag 0 1"));
  const std::vector<DataRace> races = races_of(kernel, "random", 60);
  REQUIRE(races.size() == 1);
  const DataRace& race = races[0];
  CHECK(race.object == "data");
  CHECK(race.missing == "synchronization");
  CHECK(!race.reason.empty());
  CHECK(race.count > 1);
  std::set<std::uint32_t> lines = {race.first.where.line, race.second.where.line};
  CHECK(lines == std::set<std::uint32_t>{5, 11});
  REQUIRE(!race.changes.empty());
  CHECK(race.changes[0].find("Release") != std::string::npos);
  CHECK(std::set<std::uint32_t>{race.first.invocation.workgroup.x, race.second.invocation.workgroup.x} ==
        std::set<std::uint32_t>{0, 1});
  Kernel right(kMessage);
  CHECK(races_of(right, "random", 60).empty());
}

TEST_CASE("a race of a stepper in Workgroup memory is one race, whatever workgroup has it") {
  Kernel kernel(
      "groups 3\nlocal 2\nworkgroup tile 1\nunless local 0 read\nstore tile 0 1\njump end\nlabel read\n"
      "load r0 tile 0\nlabel end\n");
  const std::vector<DataRace> races = races_of(kernel, "sequential", 20);
  REQUIRE(races.size() == 1);
  CHECK(races[0].object == "tile");
  CHECK(races[0].count == 60);
  CHECK(races[0].runs == 20);
}

TEST_CASE("a stepper on the weak machine has outcomes that no interleaving has, by seed") {
  Kernel kernel(kStoreBuffering);
  const auto both_read_zero = [](const Ran& ran) { return ran.results[0][0] == 0 && ran.results[1][0] == 0; };
  std::uint64_t weak = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Ran ran = run_once(kernel, "random", seed);
    if (!both_read_zero(ran)) continue;
    ++weak;
    CHECK(both_read_zero(run_once(kernel, "random", seed)));
  }
  CHECK(weak > 0);
  for (std::uint64_t seed = 1; seed <= 300; ++seed) CHECK(!both_read_zero(run_once(kernel, "sequential", seed)));
}

TEST_CASE("every outcome of a stepper's runs is an outcome of one of its executions") {
  for (const char* const text : {kMessage, kStoreBuffering}) {
    Kernel kernel(text);
    const auto [outcomes, racy] = all_executions(kernel);
    CHECK(!racy);
    std::set<Results> met;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) met.insert(run_once(kernel, "random", seed).results);
    CHECK(std::includes(outcomes.begin(), outcomes.end(), met.begin(), met.end()));
    CHECK(met.size() > 1);
  }
  Kernel wrong(without(kMessage, "release flag 0 1", "add r7 flag 0 1"));
  CHECK(all_executions(wrong).second);
}

TEST_CASE("the explorer finds each order in which two invocations of a stepper add") {
  Kernel kernel("local 2\nbuffer sum 1\nadd r0 sum 0 1\n");
  const auto [outcomes, racy] = all_executions(kernel);
  CHECK(!racy);
  CHECK(outcomes.size() == 2);
}

TEST_CASE("a trace of a stepper has its dispatch, its objects and its instructions") {
  Kernel kernel(
      "groups 2\nlocal 2\nbuffer out 4\nworkgroup tile 2\nstore tile local me\nbarrier\nload r0 tile 0\n"
      "store out me r0\n");
  const TemporaryFile file;
  {
    trace::FileWriter writer(file.path());
    run_once(kernel, "random", 5, &writer);
    writer.close();
  }
  struct Heard final : trace::Listener {
    void agent_begins(AgentId, const model::Place&) override {}
    void agent_ends(AgentId) override {}
    void system_synchronizes(AgentId, AgentId) override {}
    void operation(trace::OperationIndex, const Operation& operation, trace::Value, trace::Value,
                   std::span<const trace::Source>) override {
      instructions.insert(operation.where.function);
    }
    void passes(trace::OperationIndex, std::span<const trace::OperationIndex>) override {}
    void placed(trace::OperationIndex) override {}
    void named(const trace::NamedBytes& bytes) override { names.insert(std::string(bytes.name)); }
    std::set<std::string> instructions;
    std::multiset<std::string> names;
  } heard;
  const trace::TraceSummary summary = trace::read_trace_file(file.path(), heard);
  CHECK(summary.dispatches == 1);
  CHECK(summary.agents == 4);
  CHECK(summary.operations == 16);
  CHECK(heard.names == std::multiset<std::string>{"out", "tile", "tile"});
  CHECK(heard.instructions ==
        std::set<std::string>{"store tile local me", "barrier", "load r0 tile 0", "store out me r0"});
}

TEST_CASE("workgroups of a stepper begin when there is room, and any of them may be the last") {
  Kernel kernel("groups 4\nbuffer turn 1\nadd r0 turn 0 1\n");
  kernel.setting().resident_workgroups = 1;
  std::set<std::size_t> last;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Ran ran = run_once(kernel, "sequential", seed);
    REQUIRE(ran.end == run::RunEnd::Terminated);
    for (std::size_t group = 0; group < 4; ++group)
      if (ran.results[group][0] == 3) last.insert(group);
  }
  CHECK(last == std::set<std::size_t>{0, 1, 2, 3});
}

TEST_CASE("a workgroup that waits for one that cannot become resident makes no progress") {
  Kernel kernel("groups 2\nbuffer met 1\nadd r0 met 0 1\nlabel again\nacquire r0 met 0\nunless r0 2 again\n");
  CHECK(run_once(kernel, "random", 1).end == run::RunEnd::Terminated);
  kernel.setting().resident_workgroups = 1;
  const Ran ran = run_once(kernel, "random", 1);
  CHECK(ran.end == run::RunEnd::Blocked);
  REQUIRE(ran.findings.size() == 1);
  CHECK(ran.findings[0].kind == FindingKind::NoProgress);
}

}  // namespace heddle::toy
