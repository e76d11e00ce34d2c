#include "emulator/litmus/c/forbidden.h"

#include <map>
#include <set>
#include <utility>

namespace heddle::litmus::c {
namespace {

constexpr std::uint64_t kMostLooks = 20000;

/// Collects the closest execution of each outcome that is not allowed.
class ClosestExecutions {
 public:
  ClosestExecutions(const Test& test, const Answer& answer) : test_(test) {
    for (const OutcomeRow& row : answer.outcomes) allowed_.insert(row.values);
  }

  /// False if there is no more to look at.
  bool look(const mu::explore::Found& found) {
    if (++seen_ > kMostLooks) return false;
    if (!found.complete()) return true;
    std::vector<mu::Violation> violations;
    for (const Outcome& outcome : outcomes_of(test_, found.judgement, found.registers)) {
      if (allowed_.count(outcome) != 0 || (test_.filter && !satisfies(outcome, *test_.filter))) continue;
      if (violations.empty()) violations = found.judgement.violations();
      const auto known = closest_.find(outcome);
      if (violations.empty() || (known != closest_.end() && known->second.violations.size() <= violations.size()))
        continue;
      closest_.insert_or_assign(outcome, ForbiddenOutcome{outcome, found.execution, violations});
    }
    return true;
  }
  std::vector<ForbiddenOutcome> all() {
    std::vector<ForbiddenOutcome> out;
    for (auto& [values, outcome] : closest_) out.push_back(std::move(outcome));
    return out;
  }

 private:
  const Test& test_;
  std::set<Outcome> allowed_;
  std::uint64_t seen_ = 0;
  std::map<Outcome, ForbiddenOutcome> closest_;
};

}  // namespace

std::vector<ForbiddenOutcome> find_forbidden_outcomes(const Test& test, const Question& question,
                                                      const Answer& answer) {
  mu::explore::Options search = explorer_options(test, question);
  search.inconsistent = true;
  ClosestExecutions closest(test, answer);
  try {
    mu::explore::explore(test.program, search, [&](const mu::explore::Found& found) { return closest.look(found); });
  } catch (const mu::explore::TooLong&) {
    // What breaks rules has more choices than what the answer is made of.
  }
  return closest.all();
}

bool is_asked(const Test& test, const Outcome& outcome) {
  return test.assertion && satisfies(outcome, *test.assertion) != (test.quantifier == Quantifier::ForAll);
}

}  // namespace heddle::litmus::c
