#include "emulator/litmus/vulkan/final_state.h"

#include <algorithm>
#include <map>

#include "emulator/litmus/vulkan/thread.h"

namespace heddle::litmus {
namespace {

std::vector<Integer> final_values(const Variable& variable, const judge::Judgement& judgement) {
  std::vector<Integer> out;
  for (const model::OperationIndex write : judgement.final_writes(locations_of(variable))) {
    out.push_back(write == model::kInitialValue ? variable.initial
                                                : static_cast<Integer>(judgement.execution().written_values[write]));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

std::vector<Outcome> final_states(const Test& test, const judge::Judgement& judgement,
                                  const std::vector<std::vector<explore::Value>>& results) {
  std::vector<Outcome> states(1, Outcome(test.observables.size(), 0));
  std::map<std::uint32_t, std::size_t> seen;  // an observable for each location
  for (std::size_t i = 0; i < test.observables.size(); ++i) {
    const Observable& observable = test.observables[i];
    if (observable.kind == Observable::Kind::Register) {
      const auto value = static_cast<Integer>(results[observable.thread][observable.index]);
      for (Outcome& state : states) state[i] = value;
      continue;
    }
    const Variable& variable = test.variables[observable.index];
    const auto [place, first] = seen.emplace(variable.location, i);
    if (!first) {
      // Two names of one location see one final write.
      for (Outcome& state : states) state[i] = state[place->second];
      continue;
    }
    // The states are there once; each further value takes copies of them.
    const std::vector<Integer> values = final_values(variable, judgement);
    const std::size_t before = states.size();
    for (std::size_t v = 1; v < values.size(); ++v) {
      for (std::size_t s = 0; s < before; ++s) {
        states.push_back(states[s]);
        states.back()[i] = values[v];
      }
    }
    for (std::size_t s = 0; s < before; ++s) states[s][i] = values.front();
  }
  return states;
}

}  // namespace heddle::litmus
