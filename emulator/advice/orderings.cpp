#include "emulator/advice/orderings.h"

namespace heddle::advice {
namespace {

// Each is judged once as it is, and once for every weakening.
constexpr std::size_t kMostOutcomes = 64;

bool possible(const model::Execution& execution, const Outcome& outcome, const judge::Options& options) {
  model::Execution other = execution;
  outcome(other);
  return judge::Judgement(other, options).consistent();
}

}  // namespace

Orderings::Key Orderings::key(const Weakening& weakening) {
  const Operation& op = weakening.instruction;
  return {op.where.file,
          op.where.line,
          static_cast<std::uint8_t>(op.kind),
          static_cast<std::uint32_t>(op.scope),
          static_cast<std::uint32_t>(op.semantics),
          weakening.enough};
}

Orderings::Answer Orderings::add(const model::Execution& execution) {
  Answer answer;
  const bool racy = judge::Judgement(execution, options_).racy();
  std::vector<Outcome> forbidden;
  if (!racy) {
    const std::optional<std::vector<Outcome>> outcomes = other_outcomes(execution, kMostOutcomes);
    if (!outcomes) return answer;
    for (const Outcome& outcome : *outcomes)
      if (!possible(execution, outcome, options_)) forbidden.push_back(outcome);
  }
  for (const Weakening& weakening : weakenings(execution)) {
    const Key which = key(weakening);
    if (needed_.count(which) == 0 && (racy || needed(weakening, execution, forbidden))) needed_.insert(which);
    Ordering& told = answer.orderings.emplace_back();
    told = {weakening.instruction, weakening.weakness, weakening.enough, needed_.count(which) != 0,
            weakening.instruction};
    if (weakening.weaken) weakening.weaken(told.weaker);
  }
  answer.judged = !racy;
  return answer;
}

bool Orderings::needed(const Weakening& weakening, const model::Execution& execution,
                       const std::vector<Outcome>& forbidden) const {
  const model::Execution weaker = weakening.apply(execution);
  if (judge::Judgement(weaker, options_).racy()) return true;
  // Removed barriers renumber operations: outcomes are chosen before.
  for (const Outcome& outcome : forbidden) {
    model::Execution other = execution;
    outcome(other);
    if (judge::Judgement(weakening.apply(other), options_).consistent()) return true;
  }
  return false;
}

}  // namespace heddle::advice
