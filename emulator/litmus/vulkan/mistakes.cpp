#include "emulator/litmus/vulkan/mistakes.h"

namespace heddle::litmus {

std::vector<model::OperationPair> mistakes(const Test& test, const judge::Judgement& judgement) {
  std::vector<model::OperationPair> out = judgement.pairs(judge::RelationName::DataRace);
  if (!test.host) return out;
  for (const model::OperationPair& pair : judgement.accesses_not_before_deallocation()) out.push_back(pair);
  for (const model::OperationPair& pair : judgement.writes_lost_to_invalidations()) out.push_back(pair);
  return out;
}

bool has_mistake(const Test& test, const judge::Judgement& judgement) {
  if (judgement.racy() || !test.host) return judgement.racy();
  return !mistakes(test, judgement).empty();
}

}  // namespace heddle::litmus
