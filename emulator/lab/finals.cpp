#include "emulator/lab/finals.h"

#include <algorithm>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/run/settled_outcome.h"
#include "emulator/litmus/vulkan/final_state.h"

namespace heddle::lab {
namespace {

judge::Options options_of(const World& world) {
  judge::Options options;
  options.chains = world.rules().chains;
  return options;
}

}  // namespace

std::vector<litmus::Outcome> final_outcomes(const World& world) {
  std::vector<litmus::Outcome> all(1);
  settled_outcome(world.program(), world.runner(), all.front());
  const std::vector<std::vector<explore::Value>> results = world.program().results(world.runner().ends());
  const model::Execution execution = world.recorder().execution();
  const judge::Judgement judgement(execution, options_of(world));
  std::vector<litmus::Outcome> others = final_states(world.test(), judgement, results);
  std::sort(others.begin(), others.end());
  for (litmus::Outcome& other : others)
    if (other != all.front()) all.push_back(std::move(other));
  return all;
}

bool is_consistent(const World& world) {
  const model::Execution execution = world.recorder().execution();
  return judge::Judgement(execution, options_of(world)).consistent();
}

}  // namespace heddle::lab
