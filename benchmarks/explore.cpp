/// Exploration as programs grow: explore/<family>/<agents>. The counters say how many consistent
/// executions there are, how many are found a second, and how many graphs were visited for each.

#include <benchmark/benchmark.h>
#include <heddle/operation.h>

#include <memory>
#include <optional>
#include <vector>

#include "emulator/explore/explore.h"

namespace {

using namespace heddle;
using explore::Step;
using explore::StepKind;
using explore::Value;

struct Line {
  Operation operation;
  Value value = 0;
  std::vector<AgentId> participants;
  /// A read goes round until it reads this.
  std::optional<Value> awaits;
};

/// Does its lines in order; a read that awaits a value spins until it has it.
class LineAgent : public explore::Agent {
 public:
  explicit LineAgent(const std::vector<Line>& lines) : lines_(lines) {}

  Step next(Value last_read) override {
    if (at_ > 0 && lines_[at_ - 1].awaits && *lines_[at_ - 1].awaits != last_read) return end(StepKind::Spinning);
    if (at_ == lines_.size()) return end(StepKind::Finished);
    const Line& line = lines_[at_++];
    Step step = end(StepKind::Operation);
    step.operation = line.operation;
    step.written = line.value;
    step.modify = [value = line.value](Value old) { return std::optional<Value>(old + value); };
    step.participants = line.participants;
    return step;
  }

 private:
  static Step end(StepKind kind) {
    Step step;
    step.kind = kind;
    return step;
  }

  const std::vector<Line>& lines_;
  std::size_t at_ = 0;
};

constexpr auto kSync = MemorySemantics::UniformMemory | MemorySemantics::MakeAvailable;
constexpr auto kSee = MemorySemantics::UniformMemory | MemorySemantics::MakeVisible;

Line access(OperationKind kind, std::size_t variable, Value value, MemorySemantics semantics) {
  Line line;
  line.operation.kind = kind;
  line.operation.atomic = true;
  line.operation.scope = Scope::Device;
  line.operation.semantics = semantics;
  line.operation.locations = {static_cast<AllocationId>(variable), 0, 4};
  line.operation.reference = static_cast<ReferenceId>(variable);
  line.value = value;
  return line;
}

Line load(std::size_t variable, MemorySemantics semantics = MemorySemantics::Relaxed) {
  return access(OperationKind::Read, variable, 0, semantics);
}
Line store(std::size_t variable, Value value, MemorySemantics semantics = MemorySemantics::Relaxed) {
  return access(OperationKind::Write, variable, value, semantics);
}
Line add(std::size_t variable, Value value) {
  return access(OperationKind::ReadModifyWrite, variable, value, MemorySemantics::Relaxed);
}

using Agents = std::vector<std::vector<Line>>;

/// Each stores to its own variable and loads its neighbour's.
Agents store_buffering(std::size_t n) {
  Agents agents;
  for (std::size_t i = 0; i < n; ++i) agents.push_back({store(i, 1), load((i + 1) % n)});
  return agents;
}

/// Each loads its own variable and stores to its neighbour's.
Agents load_buffering(std::size_t n) {
  Agents agents;
  for (std::size_t i = 0; i < n; ++i) agents.push_back({load(i), store((i + 1) % n, 1)});
  return agents;
}

/// One publishes, the others look.
Agents message_passing(std::size_t n) {
  const auto release = MemorySemantics::Release | kSync;
  const auto acquire = MemorySemantics::Acquire | kSee;
  Agents agents{{store(0, 1), store(1, 1, release)}};
  for (std::size_t i = 1; i < n; ++i) agents.push_back({load(1, acquire), load(0)});
  return agents;
}

/// All count one variable up.
Agents increment(std::size_t n) {
  return Agents(n, {add(0, 1)});
}

/// All write one variable, one reads it twice.
Agents coherence(std::size_t n) {
  Agents agents{{load(0), load(0)}};
  for (std::size_t i = 1; i < n; ++i) agents.push_back({store(0, i)});
  return agents;
}

/// Two workgroups meet: within each by control barriers, between them by two flags on which the first
/// of each spins.
Agents grid_barrier(std::size_t n) {
  const auto release = MemorySemantics::Release | kSync;
  const auto acquire = MemorySemantics::Acquire | kSee;
  const std::size_t half = n / 2;
  Agents agents;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t group = i / half;
    const auto arrive = [&](std::uint64_t time) {
      Line line;
      line.operation.kind = OperationKind::ControlBarrier;
      line.operation.scope = Scope::Workgroup;
      line.operation.semantics = MemorySemantics::AcquireRelease | kSync | kSee;
      line.operation.barrier_instance = 2 * time + group;
      for (std::size_t j = 0; j < half; ++j) line.participants.push_back(static_cast<AgentId>(group * half + j));
      return line;
    };
    std::vector<Line> lines{store(10 + i, 1), arrive(0)};
    if (i % half == 0) {
      lines.push_back(store(group, 1, release));
      lines.push_back(load(1 - group, acquire));
      lines.back().awaits = 1;
    }
    lines.push_back(arrive(1));
    lines.push_back(load(10 + (i + half) % n));
    agents.push_back(lines);
  }
  return agents;
}

explore::Program program_of(const Agents& agents, bool one_workgroup_each) {
  explore::Program program;
  for (std::size_t i = 0; i < agents.size(); ++i) {
    model::Place place;
    place.workgroup = static_cast<std::uint32_t>(one_workgroup_each ? i : i / (agents.size() / 2));
    program.agents.push_back({place, [&agents, i] { return std::make_unique<LineAgent>(agents[i]); }});
  }
  return program;
}

void run(benchmark::State& state, Agents (*family)(std::size_t), bool one_workgroup_each) {
  const Agents agents = family(static_cast<std::size_t>(state.range(0)));
  const explore::Program program = program_of(agents, one_workgroup_each);
  explore::Statistics statistics;
  for (auto _ : state) statistics = explore::explore(program, {}, [](const explore::Found&) { return true; });
  const auto executions = static_cast<double>(statistics.executions);
  state.counters["executions"] = executions;
  state.counters["executions_per_second"] =
      benchmark::Counter(executions, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["graphs_per_execution"] = static_cast<double>(statistics.graphs) / executions;
}

void register_family(const char* name, Agents (*family)(std::size_t), int from, int to, int step,
                     bool one_workgroup_each = true) {
  benchmark::RegisterBenchmark(name, [=](benchmark::State& state) { run(state, family, one_workgroup_each); })
      ->DenseRange(from, to, step)
      ->Unit(benchmark::kMillisecond);
}

const bool registered = [] {
  register_family("explore/store_buffering", store_buffering, 2, 6, 1);
  register_family("explore/load_buffering", load_buffering, 2, 6, 1);
  register_family("explore/message_passing", message_passing, 2, 6, 1);
  register_family("explore/increment", increment, 2, 5, 1);
  register_family("explore/coherence", coherence, 2, 5, 1);
  register_family("explore/grid_barrier", grid_barrier, 4, 8, 2, false);
  return true;
}();

}  // namespace
