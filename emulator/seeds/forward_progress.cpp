#include "emulator/seeds/progress_search.h"

#include <heddle/explore.h>
#include <heddle/forward_progress.h>

#include <algorithm>

namespace heddle {
namespace seeds {
namespace {

/// A scheduler that puts nobody off but by the model goes round in vain soon.
constexpr std::uint64_t kRoundsInVain = 256;
/// So many runs show for whom somebody waits.
constexpr std::uint64_t kRunsThatShow = 8;

SeedOptions options_under(const std::string& model, SeedOptions options) {
  options.device.forward_progress = model;
  // Which workgroups begin, and when, is the model's.
  if (!options.sweep) options.sweep = "usual order=ascending";
  options.device.operations_between_switches = 1;
  options.device.no_progress_rounds = std::min(options.device.no_progress_rounds, kRoundsInVain);
  options.print_to = nullptr;
  return options;
}

/// Fails where it makes no progress, and nowhere else.
detail::TrialFunction only_hanging(const detail::TrialFunction& test) {
  return [&test](Trial& trial) {
    try {
      test(trial);
    } catch (const KernelError& error) {
      if (error.finding().kind == FindingKind::NoProgress) throw;
    } catch (const TrialFailed&) {
      return;
    }
  };
}

}  // namespace

SeedReport search_under(const detail::TrialFunction& test, const std::string& model, std::uint64_t seeds,
                        const SeedOptions& options) {
  return detail::explore_seeds(only_hanging(test), seeds, options_under(model, options));
}

std::string waits_seen_of(const detail::TrialFunction& test, SeedOptions options) {
  options.device.races = true;
  options.change_budget = options.shrink_budget = std::chrono::milliseconds(0);
  options.races_fail = false;
  options.stop_at_first = false;
  options.shard = {};
  std::string out;
  for (const std::string& relied : search_under(test, "fair", kRunsThatShow, options).races.relied_on)
    out += (out.empty() ? "" : "; it ") + relied;
  return out;
}

}  // namespace seeds

namespace {

SeedOptions without_shrinking(SeedOptions options) {
  options.shrink_budget = std::chrono::milliseconds(0);
  return options;
}

/// All of the answer but for whom a run waits.
EndsUnder seen_under(const detail::TrialFunction& test, const std::string& model, std::uint64_t seeds,
                     const SeedOptions& options) {
  const SeedReport report = seeds::search_under(test, model, seeds, options);
  EndsUnder out;
  out.model = model;
  out.seeds = seeds;
  if (!report.failed()) return out;
  const SeedFailure& failure = report.failures.front();
  out.ends = false;
  out.hang = failure.finding ? failure.finding->message : failure.what;
  out.replay = "HEDDLE_PROGRESS=" + model + " " + failure.replay;
  return out;
}

}  // namespace

EndsUnder ends_under(const std::function<void(Trial&)>& test, const std::string& model, std::uint64_t seeds,
                     const SeedOptions& options) {
  const SeedOptions quick = without_shrinking(options);
  EndsUnder out = seen_under(test, model, seeds, quick);
  if (!out.ends) out.waits_for = seeds::waits_seen_of(test, quick);
  return out;
}

EndsUnder ends_under(const std::function<void(Trial&)>& test, const std::string& model, std::uint64_t seeds) {
  return ends_under(test, model, seeds, {});
}

// OBE and HSA are weaker than LOBE, and neither is weaker than the other: the one that is common comes first.
ProgressNeed progress_needed(const std::function<void(Trial&)>& test, std::uint64_t seeds, const SeedOptions& options) {
  ProgressNeed out;
  const SeedOptions quick = without_shrinking(options);
  const auto ends = [&](const std::string& model) {
    const EndsUnder found = seen_under(test, model, seeds, quick);
    if (!found.ends) out.explain += "Under " + model + " it does not end: " + found.hang + "\n";
    return found.ends;
  };
  const auto ask = [&] {
    if (!ends("fair")) return;
    out.workgroups = "fair";
    out.lanes = ends("sg=unfair") ? "unfair" : "fair";
    if (!ends("qf=lobe")) return;
    const bool obe = ends("qf=obe");
    out.workgroups = obe ? "obe" : ends("qf=hsa") ? "hsa" : "lobe";
    if (out.workgroups != "lobe" && ends("qf=unfair")) out.workgroups = "unfair";
  };
  ask();
  const std::string waits_for = out.explain.empty() ? "" : seeds::waits_seen_of(test, quick);
  if (!waits_for.empty()) out.explain += "Where all go on, it " + waits_for + ".\n";
  return out;
}

ProgressNeed progress_needed(const std::function<void(Trial&)>& test, std::uint64_t seeds) {
  return progress_needed(test, seeds, {});
}

}  // namespace heddle
