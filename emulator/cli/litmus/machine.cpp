#include "emulator/cli/litmus/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/cli/litmus/compare.h"
#include "emulator/litmus/run/interleavings.h"
#include "emulator/litmus/run/kept_back.h"
#include "emulator/memory/policy.h"

namespace heddle::cli {

litmus::RunRequest run_request(const litmus::Test& test, const litmus::Question& question,
                               const MachineOptions& options) {
  litmus::RunRequest request;
  request.memory = litmus::memory_of(test, memory_policy(options.policy));
  request.watch = [chains = question.chains] { return litmus::detector_watch(chains); };
  request.runs = options.runs;
  request.seed = options.seed;
  request.judged = options.judged;
  request.bound = question.bound;
  request.chains = question.chains;
  request.jobs = options.jobs;
  request.cancelled = question.cancelled;
  request.progress = options.progress;
  return request;
}

bool MachineReport::is_unsound() const {
  return totals.inconsistent > 0 || totals.detector_disagreements.value_or(0) > 0 ||
         std::any_of(allowed.begin(), allowed.end(), [](const auto& one) { return one && !*one; }) ||
         (replay && !replay->consistent);
}

MachineReport run_on_machine(const litmus::Test& test, const litmus::Answer* answer, const litmus::Question& question,
                             const MachineOptions& options) {
  MachineReport report;
  report.policy = options.policy;
  report.seed = options.seed;
  report.runs = options.runs;
  report.explored = answer != nullptr;
  if (options.replay) {
    report.replayed_run = options.replay;
    report.replay = replay_run(test, question, options);
    return report;
  }
  report.totals = litmus::run(test, run_request(test, question, options));
  report.allowed.resize(report.totals.histogram.size());
  if (answer) compare(*answer, report);
  if (!report.never_seen.empty())
    report.kept_back = litmus::why_kept_back(test, question, memory_policy(options.policy), report.never_seen);
  // More than that many are not worth the wait for a remark.
  constexpr std::uint64_t kMostInterleavings = 20000;
  report.interleaved = litmus::interleaved_outcomes(test, question.bound, kMostInterleavings);
  return report;
}

}  // namespace heddle::cli
