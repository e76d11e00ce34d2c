#include "emulator/lab/finals.h"

#include <algorithm>

#include "emulator/judge/judgement.h"

namespace heddle::lab {
namespace {

judge::Options options_of(const World& world) {
  judge::Options options;
  options.chains = world.rules().chains;
  return options;
}

}  // namespace

std::vector<Outcome> final_outcomes(const World& world) {
  std::vector<Outcome> all{world.stage().settled()};
  const model::Execution execution = world.recorder().execution();
  const judge::Judgement judgement(execution, options_of(world));
  std::vector<Outcome> others = world.stage().possible(judgement);
  std::sort(others.begin(), others.end());
  for (Outcome& other : others)
    if (other != all.front()) all.push_back(std::move(other));
  return all;
}

bool is_consistent(const World& world) {
  const model::Execution execution = world.recorder().execution();
  return judge::Judgement(execution, options_of(world)).consistent();
}

}  // namespace heddle::lab
