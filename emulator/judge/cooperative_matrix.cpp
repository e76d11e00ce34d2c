#include "emulator/judge/cooperative_matrix.h"

#include <algorithm>

namespace heddle::judge {
namespace {

bool by_operations(const Race& a, const Race& b) {
  return std::pair(a.first, a.second) < std::pair(b.first, b.second);
}

// Who does not perform the access touches no memory.
void silence(model::Execution& execution, model::OperationIndex operation) {
  execution.operations[operation].locations.size_bytes = 0;
  auto& reads = execution.reads_from;
  reads.erase(
      std::remove_if(reads.begin(), reads.end(),
                     [&](const model::ReadsFrom& from) { return from.read == operation || from.write == operation; }),
      reads.end());
}

void choose(const model::Execution& execution, std::size_t access, const Options& options, std::vector<Race>& races) {
  if (access == execution.cooperative_accesses.size()) {
    for (const Race& race : Judgement(execution, options).races()) races.push_back(race);
    return;
  }
  for (model::OperationIndex performed : execution.cooperative_accesses[access].operations) {
    model::Execution choice = execution;
    for (model::OperationIndex other : execution.cooperative_accesses[access].operations)
      if (other != performed) silence(choice, other);
    choose(choice, access + 1, options, races);
  }
}

}  // namespace

//= vk:memory-model-cooperative-matrix
std::vector<Race> races_of_every_choice(const model::Execution& execution, const Options& options) {
  std::vector<Race> races;
  choose(execution, 0, options, races);
  std::sort(races.begin(), races.end(), by_operations);
  races.erase(std::unique(races.begin(), races.end(),
                          [](const Race& a, const Race& b) { return a.first == b.first && a.second == b.second; }),
              races.end());
  return races;
}

}  // namespace heddle::judge
