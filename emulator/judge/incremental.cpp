#include "emulator/judge/incremental.h"

#include "emulator/judge/facts.h"

namespace heddle::judge {

PartialJudge::PartialJudge(const Options& options) : options_(options) {}

void PartialJudge::forget_from(model::OperationIndex first) {
  judgement_.facts_->forget_from(first);
}

bool PartialJudge::may_become_consistent(const model::Execution& execution) {
  return judgement_.facts_->derive_partial(execution, options_);
}

bool PartialJudge::consistent(const model::Execution& execution) {
  if (!judgement_.facts_->derive_consistency(execution, options_)) return false;
  derive_data_races(*judgement_.facts_);
  return true;
}

}  // namespace heddle::judge
