#include "emulator/litmus/vulkan/state_graph.h"

#include <algorithm>
#include <limits>

#include "emulator/litmus/vulkan/liveness.h"

namespace heddle::litmus {
namespace {

/// So many instructions in a row that others do not see are given up.
constexpr std::size_t kLongestComputation = 100000;

/// The registers of a thread that a condition of the test names.
std::vector<bool> named_registers(const Test& test, std::uint32_t thread) {
  std::vector<bool> out(test.threads[thread].registers.size(), false);
  for (const Observable& observable : test.observables)
    if (observable.kind == Observable::Kind::Register && observable.thread == thread) out[observable.index] = true;
  return out;
}

}  // namespace

StateGraph::StateGraph(const Test& test, Performers performers, bool observed, std::size_t most_states,
                       const std::atomic<bool>& cancelled)
    : test_(test),
      performers_(std::move(performers)),
      barriers_(test),
      states_(test.threads.size() + test.locations + 1) {
  for (std::uint32_t thread = 0; thread < test.threads.size(); ++thread) {
    const std::vector<bool> named = named_registers(test, thread);
    live_.push_back(live_registers(test.threads[thread], observed ? named : std::vector<bool>(named.size(), false)));
  }
  add(first_world());
  for (State state = 0; state < size(); ++state) {
    if (size() > most_states || cancelled.load(std::memory_order_relaxed)) {
      complete_ = false;
      return;
    }
    for (std::uint32_t thread = 0; thread < test.threads.size(); ++thread) {
      if (!can_run(state, thread)) continue;
      World next = world(state);
      advance(next, thread);
      edges_.push_back({state, add(next), thread, 0});
    }
  }
}

StateGraph::World StateGraph::first_world() const {
  World out;
  for (const Thread& thread : test_.threads) {
    Local& local = out.threads.emplace_back();
    for (const Register& reg : thread.registers) local.registers.push_back(reg.initial);
  }
  out.memory.resize(test_.locations);
  for (const Variable& variable : test_.variables) out.memory[variable.location] = variable.initial;
  return out;
}

StateGraph::World StateGraph::world(State state) const {
  World out;
  auto number = states_.row(state).begin();
  for (std::size_t i = 0; i < test_.threads.size(); ++i) out.threads.push_back(locals_[*number++]);
  for (std::size_t i = 0; i < test_.locations; ++i) out.memory.push_back(values_[*number++]);
  out.arrivals = arrivals_[*number];
  return out;
}

StateGraph::State StateGraph::add(const World& world) {
  std::vector<std::uint32_t> row;
  for (const Local& local : world.threads) {
    row.push_back(locals_.of(local));
    complete_ = complete_ && local.kind != Kind::Lost;
  }
  for (const Integer value : world.memory) row.push_back(values_.of(value));
  row.push_back(arrivals_.of(world.arrivals));
  return states_.add(row);
}

bool StateGraph::can_run(State state, std::uint32_t thread) const {
  const Local& at = local(state, thread);
  switch (at.kind) {
    case Kind::Ended:
    case Kind::Lost:
      return false;
    case Kind::Idle:
      return true;
    case Kind::Waiting:
      return is_open(thread, at, arrivals_[states_.row(state).back()]);
    case Kind::Ready:
      break;
  }
  // What system-synchronizes with a thread comes before it.
  return at.begun || std::none_of(test_.system_synchronization.begin(), test_.system_synchronization.end(),
                                  [&](const auto& pair) { return pair.second == thread && !ended(state, pair.first); });
}

bool StateGraph::stands_still(State state) const {
  bool all_ended = true;
  for (std::uint32_t thread = 0; thread < test_.threads.size(); ++thread) {
    if (can_run(state, thread) || local(state, thread).kind == Kind::Lost) return false;
    all_ended = all_ended && ended(state, thread);
  }
  return !all_ended;
}

bool StateGraph::is_discarded(State state) const {
  if (!test_.filter) return false;
  const World now = world(state);
  Outcome outcome;
  for (const Observable& observable : test_.observables)
    outcome.push_back(observable.kind == Observable::Kind::Register
                          ? now.threads[observable.thread].registers[observable.index]
                          : now.memory[test_.variables[observable.index].location]);
  return !satisfies(outcome, *test_.filter);
}

InterleavedStep StateGraph::step(State state, std::uint32_t thread) const {
  World next = world(state);
  return advance(next, thread);
}

Integer StateGraph::value(const Local& local, const Operand& operand) const {
  return operand.is_register ? local.registers[operand.index] : operand.constant;
}

std::uint32_t StateGraph::barrier_of(std::uint32_t thread, const Local& local) const {
  const BarrierName& name = test_.threads[thread].code[local.at].barrier;
  return barriers_.number(thread, arrival_at(name, value(local, name.resource)));
}

bool StateGraph::is_open(std::uint32_t thread, const Local& local, const Arrivals& arrivals) const {
  const std::uint32_t number = barrier_of(thread, local);
  const std::vector<AgentId>& participants = barriers_.participants(number);
  const std::vector<std::uint32_t>& counts = arrivals.at(number);
  const auto arrived = std::count_if(participants.begin(), participants.end(), [&](AgentId agent) {
    return counts[static_cast<std::size_t>(agent)] >= counts[thread];
  });
  const std::optional<Operand>& quorum = test_.threads[thread].code[local.at].barrier.quorum;
  if (!quorum) return static_cast<std::size_t>(arrived) == participants.size();
  // A thread that waits has arrived, so fewer than one is one.
  return arrived >= value(local, *quorum);
}

InterleavedStep StateGraph::advance(World& world, std::uint32_t thread) const {
  Local& local = world.threads[thread];
  InterleavedStep step;
  step.thread = thread;
  if (local.kind == Kind::Idle) return step;
  if (!local.begun) {
    local.begun = true;
    settle(local, thread);
    if (local.kind != Kind::Ready) return step;
  }
  step.instruction = local.at;
  if (local.kind == Kind::Waiting) {
    step.passes = true;
    local.kind = Kind::Ready;
    ++local.at;
  } else if (test_.threads[thread].code[local.at].traits().waits) {
    arrive(world, thread);
    return step;
  } else {
    access(world, thread, step);
  }
  settle(local, thread);
  return step;
}

void StateGraph::access(World& world, std::uint32_t thread, InterleavedStep& step) const {
  Local& local = world.threads[thread];
  const Instruction& instruction = test_.threads[thread].code[local.at];
  const KindTraits traits = instruction.traits();
  Integer& memory = world.memory[test_.variables[instruction.variable].location];
  if (traits.reads) step.read = memory;
  if (traits.writes) {
    step.written = value(local, instruction.left);
    if (traits.reads && instruction.arithmetic) step.written = apply(*instruction.arithmetic, memory, *step.written);
    if (!step.written) {
      faults_.insert(instruction.place.line);
      local.kind = Kind::Lost;
      return;
    }
    memory = *step.written;
  }
  if (traits.sets_register) local.registers[instruction.destination] = *step.read;
  ++local.at;
}

void StateGraph::arrive(World& world, std::uint32_t thread) const {
  Local& local = world.threads[thread];
  const std::uint32_t number = barrier_of(thread, local);
  const std::vector<AgentId>& participants = barriers_.participants(number);
  std::vector<std::uint32_t>& counts = world.arrivals[number];
  counts.resize(test_.threads.size());
  ++counts[thread];
  local.kind = Kind::Waiting;
  const auto count_of = [&](AgentId agent) -> std::uint32_t& { return counts[static_cast<std::size_t>(agent)]; };
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (const AgentId agent : participants) least = std::min(least, count_of(agent));
  for (const AgentId agent : participants) count_of(agent) -= least;
}

bool StateGraph::is_seen(std::uint32_t thread, std::size_t at) const {
  const KindTraits traits = test_.threads[thread].code[at].traits();
  return (traits.accesses() || traits.waits) && performers_[thread][at];
}

bool StateGraph::compute(Local& local, std::uint32_t thread, const Instruction& instruction) const {
  const auto result = apply(*instruction.arithmetic, value(local, instruction.left), value(local, instruction.right));
  if (!result) {
    faults_.insert(test_.threads[thread].code[local.at].place.line);
    return false;
  }
  local.registers[instruction.destination] = *result;
  ++local.at;
  return true;
}

void StateGraph::settle(Local& local, std::uint32_t thread) const {
  if (local.kind == Kind::Lost) return;
  const std::vector<Instruction>& code = test_.threads[thread].code;
  const auto forget = [&] {
    for (std::size_t i = 0; i < local.registers.size(); ++i)
      if (!live_[thread][local.at][i]) local.registers[i] = 0;
  };
  std::set<Local> passed;
  std::size_t done = 0;
  for (; local.at < code.size() && !is_seen(thread, local.at); ++done) {
    const Instruction& instruction = code[local.at];
    const KindTraits traits = instruction.traits();
    if (traits.jumps) {
      const bool taken =
          instruction.kind == InstructionKind::Jump ||
          compare(instruction.comparison, value(local, instruction.left), value(local, instruction.right));
      const bool back = taken && instruction.target <= local.at;
      local.at = taken ? instruction.target : local.at + 1;
      forget();
      if (back && !passed.insert(local).second) {
        local.kind = Kind::Idle;
        return;
      }
    } else if (instruction.kind != InstructionKind::Compute) {
      ++local.at;
    } else if (!compute(local, thread, instruction)) {
      local.kind = Kind::Lost;
      return;
    }
    if (done > kLongestComputation) {
      local.kind = Kind::Lost;
      return;
    }
  }
  forget();
  if (local.at == code.size()) local.kind = Kind::Ended;
}

}  // namespace heddle::litmus
