#include <heddle/explore.h>
#include <heddle/forward_progress.h>

#include <algorithm>

namespace heddle {
namespace {

/// A scheduler that puts nobody off but by the model goes round in vain soon.
constexpr std::uint64_t kRoundsInVain = 256;

SeedOptions options_under(const std::string& model, SeedOptions options) {
  options.device.forward_progress = model;
  // Which workgroups begin, and when, is the model's.
  if (!options.sweep) options.sweep = "usual order=ascending";
  options.device.no_progress_rounds = std::min(options.device.no_progress_rounds, kRoundsInVain);
  options.print_to = nullptr;
  options.shrink_budget = std::chrono::milliseconds(0);
  return options;
}

/// Fails where it makes no progress, and nowhere else.
void run_once(const std::function<void(Trial&)>& test, Trial& trial) {
  try {
    test(trial);
  } catch (const KernelError& error) {
    if (error.finding().kind == FindingKind::NoProgress) throw;
  } catch (const TrialFailed&) {
    return;
  }
}

}  // namespace

EndsUnder ends_under(const std::function<void(Trial&)>& test, const std::string& model, std::uint64_t seeds,
                     const SeedOptions& options) {
  const SeedReport report =
      explore_seeds([&](Trial& trial) { run_once(test, trial); }, seeds, options_under(model, options));
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

EndsUnder ends_under(const std::function<void(Trial&)>& test, const std::string& model, std::uint64_t seeds) {
  return ends_under(test, model, seeds, {});
}

// OBE and HSA are weaker than LOBE, and neither is weaker than the other: the one that is common comes first.
ProgressNeed progress_needed(const std::function<void(Trial&)>& test, std::uint64_t seeds, const SeedOptions& options) {
  ProgressNeed out;
  const auto ends = [&](const std::string& model) {
    const EndsUnder found = ends_under(test, model, seeds, options);
    if (!found.ends) out.explain += "Under " + model + " it does not end: " + found.hang + "\n";
    return found.ends;
  };
  if (!ends("fair")) return out;
  out.workgroups = "fair";
  out.lanes = ends("sg=unfair") ? "unfair" : "fair";
  if (!ends("qf=lobe")) return out;
  const bool obe = ends("qf=obe");
  out.workgroups = obe ? "obe" : ends("qf=hsa") ? "hsa" : "lobe";
  if (out.workgroups != "lobe" && ends("qf=unfair")) out.workgroups = "unfair";
  return out;
}

ProgressNeed progress_needed(const std::function<void(Trial&)>& test, std::uint64_t seeds) {
  return progress_needed(test, seeds, {});
}

}  // namespace heddle
