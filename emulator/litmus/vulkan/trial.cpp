#include "emulator/litmus/vulkan/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "emulator/litmus/vulkan/cooperative.h"
#include "emulator/litmus/vulkan/final_state.h"
#include "emulator/litmus/vulkan/operation_column.h"

namespace heddle::litmus {
namespace {

Spot spot_of(const Test& test, const Operation& operation) {
  const auto thread = static_cast<std::uint32_t>(operation.agent);
  const std::optional<At> at = instruction_of(test, operation);
  return {thread, at ? test.threads[thread].code[at->instruction].place : Place{}};
}

void take(const Test& test, const explore::Found& found, Trial& trial) {
  trial.asked_about = true;
  trial.blocks = trial.blocks || (!found.terminated() && !found.cut());
  for (const judge::Race& race : found.judgement.races()) {
    RaceExample example{{}, race.first, race.second};
    const Spot a = spot_of(test, found.execution.operations[race.first]);
    const Spot b = spot_of(test, found.execution.operations[race.second]);
    const auto [at, is_new] = trial.races.try_emplace(std::minmax(a, b), std::move(example));
    if (is_new) at->second.execution = found.execution;
  }
}

}  // namespace

bool passes_filter(const Test& test, const TestProgram& program, const explore::Found& found) {
  if (!test.filter) return true;
  const std::vector<Outcome> states = final_states(test, found.judgement, program.results(found.ends));
  return std::any_of(states.begin(), states.end(),
                     [&](const Outcome& state) { return satisfies(state, *test.filter); });
}

std::optional<At> instruction_of(const Test& test, const Operation& operation) {
  const auto thread = static_cast<std::uint32_t>(operation.agent);
  if (thread >= test.threads.size()) return {};
  // The texts of the instructions stand for functions.
  const std::vector<Instruction>& code = test.threads[thread].code;
  for (std::uint32_t i = 0; i < code.size(); ++i)
    if (code[i].text.c_str() == operation.where.function) return At{thread, i};
  return {};
}

SpotPair spots_of(const Test& test, const RaceExample& race) {
  return std::minmax(spot_of(test, race.execution.operations[race.first]),
                     spot_of(test, race.execution.operations[race.second]));
}

std::string race_sentence(const Test& test, const RaceExample& race, const char* races) {
  const std::vector<Operation>& all = race.execution.operations;
  return fmt::format("{} {} {}", name_of(test, all[race.first]), races, name_of(test, all[race.second]));
}

Trial try_out(const Test& test, const Question& question, std::uint64_t& graphs_left, const SpotPair* stop_at) try {
  explore::Options options = explorer_options(question);
  Trial trial;
  for (Performers& performers : choices_of_performers(test)) {
    if (graphs_left == 0) return trial;
    options.graph_limit = graphs_left;
    const TestProgram program(test, question.bound, Spinning::Explored, std::move(performers));
    const explore::Statistics all = explore::explore(program.program(), options, [&](const explore::Found& found) {
      if (passes_filter(test, program, found)) take(test, found, trial);
      return stop_at == nullptr || trial.races.count(*stop_at) == 0;
    });
    graphs_left -= std::min(graphs_left, all.graphs);
    if (!all.complete) return trial;
  }
  trial.complete = true;
  return trial;
} catch (const explore::TooLong&) {
  return {};
}

}  // namespace heddle::litmus
