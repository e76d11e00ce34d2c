#include "emulator/spirv/run/advice.h"

#include <algorithm>

#include "emulator/advice/operation_text.h"
#include "emulator/spirv/run/words.h"

namespace heddle::spirv {
namespace {

// To judge 600 operations takes some 10 ms, and an execution is judged some fifty times.
constexpr std::size_t kMostOperations = 600;

judge::Options options_of(bool chains) {
  judge::Options out;
  out.chains = chains;
  return out;
}

std::string operation_text(const Operation& op) {
  return advice::kind_of(op) + " (" + std::string(name_of(op.scope)) + ", " + advice::text_of(op.semantics) + ")";
}

}  // namespace

RunAdvice::RunAdvice(bool glsl, bool chains) : glsl_(glsl), orderings_(options_of(chains)) {}

void RunAdvice::add(const model::Execution& execution) {
  const bool short_enough = execution.operations.size() <= kMostOperations;
  const advice::Orderings::Answer answer = short_enough ? orderings_.add(execution) : advice::Orderings::Answer{};
  ++(answer.judged ? advised_ : left_out_);
  for (const advice::Ordering& ordering : answer.orderings) {
    const Operation& op = ordering.instruction;
    const std::string text = operation_text(op);
    Use& use = uses_[{op.where.file, op.where.line, text, ordering.enough}];
    use.needed = use.needed || ordering.needed;
    if (use.advice.runs++ > 0) continue;
    use.advice.operation = glsl_ ? glsl_call(op).value_or(text) : text;
    use.advice.where = op.where;
    use.advice.enough = ordering.enough;
    use.weakness = ordering.weakness;
    if (!glsl_) continue;
    if (ordering.weakness == advice::Weakness::Removed) {
      use.advice.enough = "nothing would do in its place";
    } else if (const auto call = glsl_call(ordering.weaker)) {
      use.advice.enough = *call + " would do";
    }
  }
}

bool RunAdvice::is_told_by_a_weaker_one(const Use& use) const {
  return std::any_of(uses_.begin(), uses_.end(), [&](const auto& each) {
    const Use& other = each.second;
    const bool all = other.weakness == advice::Weakness::Removed || other.weakness == advice::Weakness::Relaxed;
    return !other.needed && all && other.weakness > use.weakness && other.advice.where.line == use.advice.where.line &&
           std::string_view(other.advice.where.file) == use.advice.where.file &&
           other.advice.operation == use.advice.operation;
  });
}

void RunAdvice::finish(RunTotals& totals) const {
  totals.advised = advised_;
  totals.advice_left_out = left_out_;
  for (const auto& [key, use] : uses_)
    if (!use.needed && !is_told_by_a_weaker_one(use)) totals.advice.push_back(use.advice);
}

}  // namespace heddle::spirv
