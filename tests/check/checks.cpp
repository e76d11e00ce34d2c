// A broken state ends each engine before it can give a wrong answer. Each case has its whole twin, which ends well.

#include <heddle/detail/check.h>

#include "emulator/explore/explore.h"
#include "emulator/judge/judgement.h"
#include "emulator/memory/granule.h"
#include "emulator/memory/policy.h"
#include "emulator/mu/judgement.h"
#include "emulator/race/detector.h"
#include "emulator/race/kernel_detector.h"
#include "emulator/run/runner.h"
#include "tests/check/death.h"

using namespace heddle;
using heddle::test::Death;
using heddle::test::death_of;

namespace {

Operation access(OperationKind kind, std::uint32_t size_bytes = 4) {
  Operation operation;
  operation.kind = kind;
  operation.locations = {AllocationId{}, 0, size_bytes};
  return operation;
}

/// A write and a read of another agent, which reads from the operation of that number.
model::Execution read_from(model::OperationIndex write) {
  model::Execution execution;
  execution.agents.resize(2);
  execution.operations = {access(OperationKind::Write), access(OperationKind::Read)};
  execution.operations[1].agent = AgentId{1};
  execution.read_values = {0, 1};
  execution.written_values = {1, 0};
  execution.reads_from = {{1, write, execution.operations[1].locations}};
  return execution;
}

/// Reads twice. A faithless one reads more bytes each time it is started again.
class Reader final : public explore::Agent {
 public:
  explicit Reader(std::uint32_t size_bytes) : size_bytes_(size_bytes) {}
  explore::Step next(explore::Value) override {
    explore::Step step;
    if (done_++ == 2) return step;
    step.kind = explore::StepKind::Operation;
    step.operation = access(OperationKind::Read, size_bytes_);
    return step;
  }

 private:
  std::uint32_t size_bytes_;
  int done_ = 0;
};

class Writer final : public explore::Agent {
 public:
  explore::Step next(explore::Value) override {
    explore::Step step;
    if (done_++ == 1) return step;
    step.kind = explore::StepKind::Operation;
    step.operation = access(OperationKind::Write, 8);
    step.written = 1;
    return step;
  }

 private:
  int done_ = 0;
};

explore::Program two_agents(bool faithful) {
  explore::Program program;
  program.agents.resize(2);
  program.agents[0].start = [faithful, starts = 0]() mutable {
    return std::make_unique<Reader>(faithful ? 8u : 8u >> (starts++ % 3));
  };
  program.agents[1].start = [] { return std::make_unique<Writer>(); };
  return program;
}

/// Answers what it is not asked for.
class Excessive final : public Choice {
 public:
  explicit Excessive(bool excessive) : excessive_(excessive) {}
  std::uint32_t below(std::uint32_t bound, ChoicePoint) override { return excessive_ ? bound : 0; }

 private:
  bool excessive_;
};

void run_with(bool excessive) {
  const explore::Program program = two_agents(true);
  Excessive choice(excessive);
  const auto memory = memory::make_memory(memory_policy("sequential"), choice);
  run::Runner(program, {8}, *memory, choice).run();
}

}  // namespace

TEST_CASE("a check that holds does nothing, and one that fails ends the process with 3 and says what, where and how") {
  const Death whole = death_of([] { HEDDLE_CHECK(1 + 1 == 2, "numbers are broken"); });
  CHECK(whole.exit_code == 0);
  CHECK(whole.text.empty());
  const Death broken = death_of([] {
    setenv("HEDDLE_SEED", "17", 1);
    HEDDLE_CHECK(1 + 1 == 3, "numbers are broken");
  });
  INFO(broken.text);
  CHECK(broken.exit_code == 3);
  CHECK(broken.says("heddle: internal error: numbers are broken\n"));
  CHECK(broken.says("1 + 1 == 3 at "));
  CHECK(broken.says("tests/check/checks.cpp:"));
  CHECK(broken.says("again: "));
  CHECK(broken.says("HEDDLE_SEED=17 "));
  CHECK(broken.says("check_test"));
}

TEST_CASE("a check that fails tells what its thread was at, the innermost first, and no command beside theirs") {
  const Death broken = death_of([] {
    const detail::Situation outer([](const void*) { return std::string("  again: outer\n"); }, nullptr);
    const detail::Situation inner(
        [](const void* n) { return "  schedule: " + std::string(static_cast<const char*>(n)) + "\n"; }, "inner");
    HEDDLE_CHECK(false, "broken");
  });
  CHECK(broken.text.find("  schedule: inner\n  again: outer\n") != std::string::npos);
  CHECK_FALSE(broken.says("check_test"));
}

TEST_CASE("the judge takes no execution with a read from what does not write") {
  CHECK(death_of([] { judge::Judgement(read_from(0), {}); }).exit_code == 0);
  const Death from_a_read = death_of([] { judge::Judgement(read_from(1), {}); });
  CHECK(from_a_read.exit_code == 3);
  CHECK(from_a_read.says("does not write"));
  CHECK(death_of([] { judge::Judgement(read_from(2), {}); }).exit_code == 3);
}

TEST_CASE("the judge of Mu takes no execution with a load that sees what is no store") {
  const auto judge = [](mu::EventIndex seen) {
    mu::Execution execution;
    execution.threads = 1;
    execution.locations = 1;
    execution.events.resize(1);
    execution.events[0].kind = mu::EventKind::Load;
    execution.events[0].location = 0;
    execution.reads_from = {seen};
    execution.modification_order.resize(1);
    mu::Judgement(execution, mu::Extent::Whole);
  };
  CHECK(death_of([&] { judge(mu::kInitial); }).exit_code == 0);
  const Death broken = death_of([&] { judge(0); });
  CHECK(broken.exit_code == 3);
  CHECK(broken.says("no store"));
}

TEST_CASE("the explorer goes no further with an agent that takes another step when it is started again") {
  const auto explore = [](bool faithful) {
    const explore::Program program = two_agents(faithful);
    explore::explore(program, {}, [](const explore::Found&) { return true; });
  };
  CHECK(death_of([&] { explore(true); }).exit_code == 0);
  const Death broken = death_of([&] { explore(false); });
  INFO(broken.text);
  CHECK(broken.exit_code == 3);
  CHECK(broken.says("took another step"));
}

TEST_CASE("the exact detector hears of no read from a write to come") {
  const auto read = [](model::OperationIndex write) {
    race::Detector detector(race::Options{});
    detector.agent_begins(AgentId{}, {});
    detector.operation(0, access(OperationKind::Write), 0, 1, {});
    const trace::Source source{access(OperationKind::Read).locations, write};
    detector.operation(1, access(OperationKind::Read), 1, 0, {&source, 1});
  };
  CHECK(death_of([&] { read(0); }).exit_code == 0);
  const Death broken = death_of([&] { read(7); });
  CHECK(broken.exit_code == 3);
  CHECK(broken.says("a write to come"));
}

TEST_CASE("no more agents of a workgroup end for the kernel detector than have begun") {
  const auto end = [](std::uint32_t count) {
    race::KernelDetector detector;
    detector.agents_begin(AgentId{}, 4, {}, {});
    detector.agents_end(AgentId{}, count);
  };
  CHECK(death_of([&] { end(4); }).exit_code == 0);
  const Death broken = death_of([&] { end(5); });
  CHECK(broken.exit_code == 3);
  CHECK(broken.says("more agents of a group ended"));
}

TEST_CASE("no more writes wait in the machine than there is room for, and none is taken that is not there") {
  const auto wait = [](unsigned count) {
    memory::WaitingList list;
    for (unsigned i = 0; i < count; ++i) list.add();
  };
  CHECK(death_of([&] { wait(memory::WaitingList::kMost); }).exit_code == 0);
  CHECK(death_of([&] { wait(memory::WaitingList::kMost + 1); }).exit_code == 3);
  const Death broken = death_of([] { memory::WaitingList().remove(0); });
  CHECK(broken.exit_code == 3);
  CHECK(broken.says("is not there"));
}

TEST_CASE("a run of a litmus test does not go on with a thread that no oracle was asked of") {
  CHECK(death_of([] { run_with(false); }).exit_code == 0);
  const Death broken = death_of([] { run_with(true); });
  CHECK(broken.exit_code == 3);
  CHECK(broken.says("an oracle chose a thread"));
}
