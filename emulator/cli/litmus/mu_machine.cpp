#include "emulator/cli/litmus/mu_machine.h"

#include <algorithm>

#include "emulator/cli/litmus/compare.h"

namespace heddle::cli {
namespace {

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
  request.policy = memory_policy(options.policy);
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
