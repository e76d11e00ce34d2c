#pragma once

/// \file
/// The explorer's word on the outcomes of runs.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>

namespace heddle::cli {

/// Says of each row of the report's histogram whether the answer has it (`allowed`), as far as that is known, and which
/// outcomes of the answer no run had (`never_seen`).
template <typename Answer, typename Report>
void compare(const Answer& answer, Report& report) {
  using Outcome = typename decltype(report.never_seen)::value_type;
  std::set<Outcome> all;
  for (const auto& row : answer.outcomes) all.insert(row.values);
  // The bound cuts runs where it cuts executions; a limit or Ctrl-C only stops the search.
  const bool knows_all = answer.complete || (answer.cut > 0 && !answer.cancelled && !answer.limited);
  std::set<Outcome> seen;
  for (std::size_t i = 0; i < report.totals.histogram.size(); ++i) {
    const Outcome& values = report.totals.histogram[i].values;
    seen.insert(values);
    const bool known = all.count(values) > 0;
    if (known || knows_all) report.allowed[i] = known;
  }
  std::set_difference(all.begin(), all.end(), seen.begin(), seen.end(), std::back_inserter(report.never_seen));
}

}  // namespace heddle::cli
