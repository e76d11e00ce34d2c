#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include "emulator/explore/explore.h"
#include "tests/explore/script.h"
#include "tests/how_many.h"

using namespace heddle;
using namespace heddle::explore;

namespace {

using Results = std::vector<std::vector<Value>>;

Line atomic(OperationKind kind, std::uint32_t variable, Value constant = 0) {
  Line line;
  line.operation.kind = kind;
  line.operation.atomic = true;
  line.operation.scope = Scope::Device;
  line.operation.locations = {static_cast<AllocationId>(variable), 0, 4};
  line.operation.reference = static_cast<ReferenceId>(variable);
  line.constant = constant;
  return line;
}
Line load(std::uint32_t variable) {
  return atomic(OperationKind::Read, variable);
}
Line store(std::uint32_t variable, Value value) {
  return atomic(OperationKind::Write, variable, value);
}
Line copy(std::uint32_t variable) {
  Line line = store(variable, 0);
  line.copies = true;
  return line;
}
Line add(std::uint32_t variable, Value value) {
  return atomic(OperationKind::ReadModifyWrite, variable, value);
}
Line ending_on_zero(Line line) {
  line.ends_on_zero = true;
  return line;
}
Line arrive(std::vector<AgentId> participants, std::uint32_t quorum = 0) {
  Line line;
  line.operation.kind = OperationKind::ControlBarrier;
  line.operation.scope = Scope::Device;
  line.operation.execution_scope = Scope::Device;
  line.operation.barrier_instance = 1;
  line.participants = std::move(participants);
  line.quorum = quorum;
  return line;
}

ScriptedProgram in_one_workgroup(std::vector<Script> scripts) {
  ScriptedProgram program;
  program.places.resize(scripts.size());
  program.scripts = std::move(scripts);
  return program;
}

struct Summary {
  std::set<Results> outcomes;
  Statistics statistics;
  std::uint64_t waiting = 0;
};

Summary summary(const ScriptedProgram& scripts, const Options& options = {}, std::vector<Value> thin_air = {}) {
  Program program = scripts.program();
  program.thin_air_values = std::move(thin_air);
  Summary result;
  result.statistics = heddle::explore::explore(program, options, [&](const Found& found) {
    Results results;
    for (const AgentEnd& end : found.ends) {
      results.push_back(end.results);
      if (end.state == EndState::Waiting) ++result.waiting;
    }
    if (found.terminated()) result.outcomes.insert(results);
    return true;
  });
  return result;
}

std::set<Value> reads_of_first(std::vector<Script> scripts) {
  std::set<Value> reads;
  for (const Results& results : summary(in_one_workgroup(std::move(scripts))).outcomes) reads.insert(results[0][0]);
  return reads;
}

}  // namespace

TEST_CASE("store buffering has four executions, with all four outcomes") {
  const auto found = summary(in_one_workgroup({{store(0, 1), load(1)}, {store(1, 1), load(0)}}));
  CHECK(found.statistics.executions == 4);
  CHECK(found.outcomes == std::set<Results>{{{0}, {0}}, {{0}, {1}}, {{1}, {0}}, {{1}, {1}}});
}

TEST_CASE("load buffering is found") {
  const auto found = summary(in_one_workgroup({{load(0), store(1, 1)}, {load(1), store(0, 1)}}));
  CHECK(found.statistics.executions == 4);
  CHECK(found.outcomes.count({{1}, {1}}) == 1);
}

TEST_CASE("load buffering is found where the value is copied on one side") {
  const auto found = summary(in_one_workgroup({{load(0), copy(1)}, {load(1), store(0, 7)}}));
  CHECK(found.outcomes.count({{7}, {7}}) == 1);
}

TEST_CASE(
    "atomics of the host and of a device are in one order if the two have atomics that are atomic to each other") {
  const auto found = [](const std::vector<Script>& scripts, bool first_is_host, bool second_is_host, bool concurrent) {
    ScriptedProgram program = in_one_workgroup(scripts);
    for (const std::size_t agent : {0u, 1u}) {
      if (agent == 0 ? first_is_host : second_is_host) program.places[agent] = model::Place::host();
      program.scripts[agent][0].operation.scope = first_is_host || second_is_host ? Scope::CrossDevice : Scope::Device;
    }
    Options options;
    options.model.concurrent_host_device_atomics = concurrent;
    return summary(program, options);
  };
  const std::set<Results> in_order{{{0}, {1}}, {{1}, {0}}};
  const std::set<Results> any{{{0}, {0}}, {{0}, {1}}, {{1}, {0}}};
  for (const bool concurrent : {false, true})
    for (const bool first : {false, true})
      for (const bool second : {false, true}) {
        CAPTURE(concurrent, first, second);
        const bool ordered = first == second || concurrent;
        const Summary updates = found({{add(0, 1)}, {add(0, 1)}}, first, second, concurrent);
        CHECK(updates.outcomes == (ordered ? in_order : any));
        CHECK(updates.statistics.executions == updates.outcomes.size());
        const Summary stores = found({{store(0, 1)}, {store(0, 2)}}, first, second, concurrent);
        CHECK(stores.statistics.executions == (ordered ? 2 : 1));
      }
}

TEST_CASE("values out of thin air are not generated unless asked for") {
  const auto program = in_one_workgroup({{load(0), copy(1)}, {load(1), copy(0)}});
  CHECK(summary(program).outcomes == std::set<Results>{{{0}, {0}}});
  Options thin_air;
  thin_air.thin_air = true;
  CHECK(summary(program, thin_air, {0, 9}).outcomes == std::set<Results>{{{0}, {0}}, {{9}, {9}}});
  CHECK(summary(program, {}, {0, 9}).outcomes == std::set<Results>{{{0}, {0}}});
}

TEST_CASE("a value is not out of thin air if some write needs itself not to bring it about") {
  Line counting = copy(1);
  counting.constant = 1;
  const Script up{load(0), copy(1)};
  const Script down{load(1), copy(0)};
  // 0 + 1 is derived, and the other two may hold it up; 1 + 1 would need the first write twice.
  CHECK(reads_of_first({{load(0), counting}, down, up}) == std::set<Value>{0, 1});
  CHECK(reads_of_first({{load(0), store(1, 2)}, down, up}) == std::set<Value>{0, 2});
  // Another agent that counts brings the next value about.
  CHECK(reads_of_first({{load(0), counting}, {load(1), counting}, down, up}) == std::set<Value>{0, 1, 2});
}

TEST_CASE(
    "with values out of thin air a write that needs itself to bring a value about brings it about no more than "
    "without") {
  const Script update{add(1, 1), copy(0)};
  const Script up{load(0), copy(1)};
  const auto second_words = [&](std::vector<Value> given) {
    Options options;
    options.thin_air = true;
    std::set<Value> out;
    for (const Results& results : summary(in_one_workgroup({{load(1), copy(0)}, update, up}), options, given).outcomes)
      out.insert(results[0].at(0));
    return out;
  };
  // The update makes 4 of the 3 that is given, and would need itself to make 5 of that 4 when the others hand it back.
  CHECK(second_words({0, 3}) == std::set<Value>{0, 1, 3, 4});
  CHECK(second_words({0, 3, 4}) == std::set<Value>{0, 1, 3, 4, 5});
}

TEST_CASE("a value may be derived from what an agent itself writes later") {
  const Script down{load(1), copy(0)};
  // The first agent may read its own 1 on the way to another 1, which the second one then holds up.
  CHECK(reads_of_first({{load(0), copy(1), store(0, 1)}, down}) == std::set<Value>{0, 1});
  CHECK(reads_of_first({{load(0), copy(1), store(2, 1)}, down}) == std::set<Value>{0});
  // So may a read-modify-write, on the way to what is written behind it.
  CHECK(reads_of_first({{add(0, 1), copy(1)}, down}) == std::set<Value>{0, 1});
  CHECK(reads_of_first({{load(0), copy(1)}, down}) == std::set<Value>{0});
}

TEST_CASE("graphs alone show what agents do that read what another one only writes in vain") {
  Line other_reference = ending_on_zero(load(0));
  other_reference.operation.atomic = false;
  other_reference.operation.reference = ReferenceId{10};
  ScriptedProgram program = in_one_workgroup({{other_reference, store(0, 1)}, {store(0, 1)}});
  // The second agent's 1 comes too late for the first one, which may read its own.
  program.system_synchronization.emplace_back(AgentId{0}, AgentId{1});
  Options from_graphs;
  from_graphs.learned_steps = 0;
  CHECK(summary(program).outcomes == std::set<Results>{{{0}, {}}, {{1}, {}}});
  CHECK(summary(program, from_graphs).outcomes == std::set<Results>{{{0}, {}}, {{1}, {}}});
  // Without it 1 is out of thin air.
  program.scripts[1].clear();
  CHECK(summary(program).outcomes == std::set<Results>{{{0}, {}}});
}

TEST_CASE("what no agent has steps to derive is promised to none, and the exploration is incomplete") {
  const auto program = in_one_workgroup({{load(0), store(1, 1)}, {load(1), store(0, 1)}});
  Options options;
  options.derivation_steps = 0;
  options.learned_steps = 0;
  const auto found = summary(program, options);
  CHECK(found.outcomes.count({{1}, {1}}) == 0);
  CHECK_FALSE(found.statistics.complete);
  options.derivation_steps = 100;
  CHECK(summary(program, options).outcomes.count({{1}, {1}}) == 1);
  CHECK(summary(program, options).statistics.complete);
}

TEST_CASE("an exploration that says it is complete has found all, however few steps it has to derive values") {
  std::uint32_t fewer = 0;
  const auto compare = [&](std::uint64_t seed, const Program& program) {
    const auto explored = [&](std::size_t steps) {
      Options options;
      options.derivation_steps = steps;
      return explore::explore(program, options, [](const Found&) { return true; });
    };
    const Statistics all = explored(Options().derivation_steps);
    for (const std::size_t steps : {50, 500}) {
      const Statistics found = explored(steps);
      CAPTURE(seed, steps);
      if (all.complete && found.complete) CHECK(found.executions == all.executions);
      fewer += found.executions < all.executions ? 1 : 0;
    }
  };
  const std::uint64_t programs = how_many("HEDDLE_RANDOM_PROGRAMS", 2000, 2000);
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    ScriptedProgram scripts = random_program(seed, 8);
    compare(seed, scripts.program());
    compare(seed, scripts.telling_program());
  }
  CHECK(fewer > 0);
}

TEST_CASE("conditions take no values out of thin air either") {
  const auto found =
      summary(in_one_workgroup({{ending_on_zero(load(0)), store(1, 1)}, {ending_on_zero(load(1)), store(0, 1)}}));
  CHECK(found.outcomes == std::set<Results>{{{0}, {0}}});
}

TEST_CASE("no agent passes a control barrier thanks to a value that is only written behind it") {
  const std::vector<AgentId> both{AgentId{0}, AgentId{1}};
  const auto found = summary(in_one_workgroup({{ending_on_zero(load(0)), arrive(both)}, {arrive(both), store(0, 1)}}));
  CHECK(found.outcomes.empty());
  CHECK(found.statistics.executions == 1);
  CHECK(found.statistics.blocked == 1);
  // Without the condition a relaxed load may see a store behind the barrier, which orders no memory.
  const auto unconditional = summary(in_one_workgroup({{load(0), arrive(both)}, {arrive(both), store(0, 1)}}));
  CHECK(unconditional.outcomes == std::set<Results>{{{0}, {}}, {{1}, {}}});
}

TEST_CASE("read-modify-writes that count never count twice the same") {
  const auto found = summary(in_one_workgroup({{add(0, 1)}, {add(0, 1)}, {add(0, 1)}}));
  CHECK(found.statistics.executions == 6);
  for (const Results& results : found.outcomes) {
    std::set<Value> seen;
    for (const auto& reads : results) seen.insert(reads[0]);
    CHECK(seen == std::set<Value>{0, 1, 2});
  }
}

namespace {

// One agent adds to x and stores 5; of two in another workgroup one stores 7 and one adds to what the first one added.
// Both adds have this scope. Whether the last add may come after the 7, and the 7 after the 5.
bool adds_behind_both_stores(Scope scope) {
  ScriptedProgram scripts = in_one_workgroup({{add(0, 2), store(0, 5)}, {store(0, 7)}, {add(0, 1)}});
  scripts.places[2].workgroup = scripts.places[1].workgroup = 1;
  scripts.scripts[0][0].operation.scope = scripts.scripts[2][0].operation.scope = scope;
  bool may = false;
  heddle::explore::explore(scripts.program(), {}, [&](const Found& found) {
    std::vector<std::pair<Value, Value>> order;
    for (const auto& [earlier, later] : found.execution.modification_order)
      order.emplace_back(found.execution.written_values[earlier], found.execution.written_values[later]);
    const auto has = [&](Value earlier, Value later) {
      return std::find(order.begin(), order.end(), std::pair{earlier, later}) != order.end();
    };
    may = may || (found.ends[2].results[0] == 2 && has(5, 7) && has(7, 3));
    return true;
  });
  return may;
}

}  // namespace

TEST_CASE("nothing comes between the halves of a read-modify-write but what is not ordered with what it reads") {
  CHECK_FALSE(adds_behind_both_stores(Scope::Device));
  CHECK(adds_behind_both_stores(Scope::Workgroup));
}

TEST_CASE("orders of writes that are not mutually ordered are not counted apart") {
  ScriptedProgram program = in_one_workgroup({{store(0, 1)}, {store(0, 2)}});
  CHECK(summary(program).statistics.executions == 2);
  program.scripts[0][0].operation.atomic = false;
  CHECK(summary(program).statistics.executions == 1);
}

TEST_CASE("an agent that no other one meets at a control barrier waits for ever") {
  const std::vector<AgentId> both{AgentId{0}, AgentId{1}};
  const auto found = summary(in_one_workgroup({{arrive(both)}, {ending_on_zero(load(0)), arrive(both)}}));
  CHECK(found.outcomes.empty());
  CHECK(found.waiting == 1);
  const auto together = summary(in_one_workgroup({{arrive(both)}, {load(0), arrive(both)}}));
  CHECK(together.statistics.blocked == 0);
  CHECK(together.outcomes.size() == 1);
}

TEST_CASE("each synchronizing set of a barrier with a quorum is an execution of its own") {
  const std::vector<AgentId> all{AgentId{0}, AgentId{1}, AgentId{2}};
  const auto with_quorum = [&](std::uint32_t quorum) {
    const Script script{arrive(all, quorum)};
    return summary(in_one_workgroup({script, script, script})).statistics.executions;
  };
  CHECK(with_quorum(0) == 1);
  CHECK(with_quorum(3) == 1);
  CHECK(with_quorum(2) == 4);
  CHECK(with_quorum(1) == 7);
}

TEST_CASE("a barrier whose quorum does not arrive opens for none") {
  const std::vector<AgentId> both{AgentId{0}, AgentId{1}};
  CHECK(summary(in_one_workgroup({{arrive(both, 1)}, {}})).waiting == 0);
  CHECK(summary(in_one_workgroup({{arrive(both, 2)}, {}})).waiting == 1);
}

TEST_CASE("an exploration that is cancelled stops before it has found anything, and says so") {
  const auto program = in_one_workgroup({{store(0, 1), load(1)}, {store(1, 1), load(0)}});
  std::atomic<bool> cancelled = false;
  Options options;
  options.cancelled = &cancelled;
  CHECK(summary(program, options).statistics.complete);
  cancelled = true;
  CHECK(summary(program, options).statistics.executions == 0);
  CHECK_FALSE(summary(program, options).statistics.complete);
}

TEST_CASE("a limit stops the exploration and says so") {
  const auto program = in_one_workgroup({{store(0, 1), load(1)}, {store(1, 1), load(0)}});
  Options options;
  options.limit = 3;
  CHECK(summary(program, options).statistics.executions == 3);
  CHECK_FALSE(summary(program, options).statistics.complete);
  options.limit = 4;
  CHECK(summary(program, options).statistics.complete);
  options = {};
  options.graph_limit = 2;
  CHECK_FALSE(summary(program, options).statistics.complete);
}

TEST_CASE("a limit of graphs holds where agents that do not tell what they may do are learned from, too") {
  const auto program = in_one_workgroup({{store(0, 1), load(1), load(0)}, {store(1, 1), load(0), load(1)}});
  Options options;
  // They are too many steps to run each agent by itself.
  options.learned_steps = 1;
  CHECK(summary(program, options).statistics.complete);
  options.graph_limit = 3;
  const Statistics limited = summary(program, options).statistics;
  CHECK_FALSE(limited.complete);
  CHECK(limited.executions == 0);
  CHECK(limited.graphs == 4);
}

TEST_CASE("the caller may stop the exploration") {
  const auto scripts = in_one_workgroup({{store(0, 1), load(1)}, {store(1, 1), load(0)}});
  int calls = 0;
  heddle::explore::explore(scripts.program(), {}, [&](const Found&) { return ++calls < 2; });
  CHECK(calls == 2);
}

namespace {

// Waits until a flag is set, going round at most `bound` times.
class Spinner : public Agent {
 public:
  explicit Spinner(int bound) : bound_(bound) {}
  Step next(Value last_read) override {
    Step step;
    if (asked_ && last_read != 0) {
      step.kind = StepKind::Finished;
      step.results = {last_read};
      return step;
    }
    if (asked_) {
      asked_ = false;
      ++rounds_;
      if (rounds_ == 1) {
        step.kind = StepKind::Spinning;
        step.goes_on = rounds_ < bound_;
        return step;
      }
      if (rounds_ == bound_) {
        step.kind = StepKind::SpunEnough;
        return step;
      }
    }
    asked_ = true;
    step.kind = StepKind::Operation;
    step.operation = load(0).operation;
    return step;
  }

 private:
  int bound_;
  int rounds_ = 0;
  bool asked_ = false;
};

Statistics spin(int bound, const bool* only_terminated = nullptr) {
  const Script setter{store(0, 1)};
  Program program;
  program.agents.push_back({{}, [&] { return std::make_unique<ScriptedAgent>(setter); }});
  program.agents.push_back({{}, [&] { return std::make_unique<Spinner>(bound); }});
  Options options;
  options.only_terminated = only_terminated;
  return heddle::explore::explore(program, options, [](const Found&) { return true; });
}

}  // namespace

TEST_CASE("executions that do not terminate are left out once they are of no interest, and no others") {
  const bool wanted = false;
  CHECK(spin(3, &wanted).executions == 4);
  const bool unwanted = true;
  CHECK(spin(3, &unwanted).executions == 3);
  CHECK(spin(3, &unwanted).blocked == 0);
}

TEST_CASE("a spinning agent blocks in one execution, however often it may go round") {
  CHECK(spin(1).blocked == 1);
  CHECK(spin(1).executions == 2);
  CHECK(spin(3).blocked == 1);
  // One terminated execution for each number of rounds.
  CHECK(spin(3).executions == 4);
  CHECK(spin(3).complete);
}

TEST_CASE("a read of several bytes may take them from different writes") {
  ScriptedProgram program = in_one_workgroup({{store(0, 1)}, {store(0, 2)}, {load(0)}});
  for (Script& script : program.scripts) script[0].operation.atomic = false;
  program.scripts[0][0].operation.locations.size_bytes = 2;
  program.scripts[1][0].operation.locations = {AllocationId{0}, 2, 2};
  const auto found = summary(program);
  CHECK(found.statistics.executions == 4);
  CHECK(found.outcomes == std::set<Results>{{{}, {}, {0}}, {{}, {}, {1}}, {{}, {}, {0x20000}}, {{}, {}, {0x20001}}});
}

TEST_CASE("an access of more than eight bytes is refused") {
  ScriptedProgram program = in_one_workgroup({{store(0, 1)}});
  program.scripts[0][0].operation.locations.size_bytes = 16;
  CHECK_THROWS_AS(summary(program), std::invalid_argument);
}
