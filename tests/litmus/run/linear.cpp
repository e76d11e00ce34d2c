#include "tests/litmus/run/linear.h"

#include <vector>

#include "emulator/explore/explore.h"
#include "emulator/litmus/vulkan/final_state.h"
#include "emulator/litmus/vulkan/program.h"

namespace heddle::litmus {
namespace {

/// Whether the operations can be put into a row that respects program order and reads-from.
bool is_linear(const model::Execution& execution) {
  const std::size_t count = execution.operations.size();
  std::vector<std::vector<model::OperationIndex>> after(count);
  std::vector<std::size_t> before(count, 0);
  const auto add = [&](model::OperationIndex a, model::OperationIndex b) {
    after[a].push_back(b);
    ++before[b];
  };
  for (model::OperationIndex b = 0; b < count; ++b) {
    for (model::OperationIndex a = 0; a < b; ++a)
      if (execution.operations[a].agent == execution.operations[b].agent) add(a, b);
  }
  for (const model::ReadsFrom& edge : execution.reads_from)
    if (edge.write != model::kInitialValue && edge.write != edge.read) add(edge.write, edge.read);
  std::vector<model::OperationIndex> ready;
  for (model::OperationIndex a = 0; a < count; ++a)
    if (before[a] == 0) ready.push_back(a);
  std::size_t placed = 0;
  while (!ready.empty()) {
    const model::OperationIndex a = ready.back();
    ready.pop_back();
    ++placed;
    for (const model::OperationIndex b : after[a])
      if (--before[b] == 0) ready.push_back(b);
  }
  return placed == count;
}

}  // namespace

std::set<Outcome> outcomes_without_load_buffering(const Test& test) {
  std::set<Outcome> out;
  for (Performers& performers : choices_of_performers(test)) {
    const TestProgram program(test, 2, Spinning::Explored, std::move(performers));
    explore::explore(program.program(), {}, [&](const explore::Found& found) {
      if (!found.terminated() || !is_linear(found.execution)) return true;
      std::vector<std::vector<explore::Value>> results;
      for (const explore::AgentEnd& end : found.ends) results.push_back(end.results);
      for (Outcome& state : final_states(test, found.judgement, results))
        if (!test.filter || satisfies(state, *test.filter)) out.insert(std::move(state));
      return true;
    });
  }
  return out;
}

}  // namespace heddle::litmus
