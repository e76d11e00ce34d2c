#include "emulator/cli/litmus/mu_machine.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace heddle::cli {
namespace {

using litmus::c::Outcome;

void compare(const litmus::c::Answer& answer, MuMachineReport& report) {
  std::set<Outcome> all;
  for (const litmus::c::OutcomeRow& row : answer.outcomes) all.insert(row.values);
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

MuReplay replay(const litmus::c::Test& test, const litmus::c::RunRequest& request, std::uint64_t number) {
  litmus::c::TestRunner runner(test, request);
  MuReplay out;
  out.end = runner.run(number, true);
  out.outcome = runner.outcome();
  out.passes_filter = runner.passes_filter();
  out.execution = runner.execution();
  const mu::Judgement judgement(out.execution);
  for (const mu::Violation& violation : judgement.violations()) out.violations.emplace_back(mu::name(violation.rule));
  out.consistent = out.violations.empty();
  out.undefined = judgement.undefined();
  return out;
}

}  // namespace

bool MuMachineReport::is_unsound() const {
  return totals.inconsistent.count > 0 || totals.disagreements.count > 0 || (replay && !replay->consistent) ||
         std::any_of(allowed.begin(), allowed.end(), [](const auto& one) { return one && !*one; });
}

bool MuMachineReport::has_finding() const {
  return (replay && (!replay->undefined.empty() || replay->end == mu::machine::End::Fault)) ||
         std::any_of(totals.undefined.begin(), totals.undefined.end(), [](const auto& one) { return one.count > 0; });
}

MuMachineReport run_on_machine(const litmus::c::Test& test, const litmus::c::Answer* answer,
                               const litmus::Question& question, const MachineOptions& options) {
  MuMachineReport report;
  report.policy = options.policy;
  report.seed = options.seed;
  report.runs = options.runs;
  litmus::c::RunRequest request;
  request.policy = *memory_policy(options.policy);
  request.runs = options.runs;
  request.seed = options.seed;
  request.judged = options.judged;
  request.bound = question.bound;
  request.jobs = options.jobs;
  request.cancelled = question.cancelled;
  request.progress = options.progress;
  if (options.replay) {
    report.replayed_run = options.replay;
    report.replay = replay(test, request, *options.replay);
    return report;
  }
  report.totals = litmus::c::run(test, request);
  report.allowed.resize(report.totals.histogram.size());
  if (answer) compare(*answer, report);
  return report;
}

}  // namespace heddle::cli
