#include <heddle/forward_progress.h>

#include <algorithm>

namespace heddle::detail {
namespace {

/// A scheduler that puts nobody off but by the model goes round in vain soon.
constexpr std::uint64_t kRoundsInVain = 256;

std::string of_workgroups(const std::string& model) {
  return "qf=" + model;
}

}  // namespace

SeedOptions options_under(const std::string& model, SeedOptions options) {
  options.device.forward_progress = model;
  options.device.no_progress_rounds = std::min(options.device.no_progress_rounds, kRoundsInVain);
  options.print_to = nullptr;
  options.shrink_budget = std::chrono::milliseconds(0);
  return options;
}

EndsUnder told_under(const std::string& model, std::uint64_t seeds, const SeedReport& report) {
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

// OBE and HSA are weaker than LOBE, and neither is weaker than the other: the one that is common comes first.
ProgressNeed progress_needed(const std::function<EndsUnder(const std::string&)>& ends_under) {
  ProgressNeed out;
  const auto note = [&](const EndsUnder& found) {
    if (!found.ends) out.explain += "Under " + found.model + " it does not end: " + found.hang + "\n";
    return found.ends;
  };
  if (!note(ends_under("fair"))) return out;
  out.workgroups = out.lanes = "fair";
  if (note(ends_under("sg=unfair"))) out.lanes = "unfair";
  if (!note(ends_under(of_workgroups("lobe")))) return out;
  out.workgroups = "lobe";
  for (const char* model : {"obe", "hsa"}) {
    if (!note(ends_under(of_workgroups(model)))) continue;
    out.workgroups = model;
    break;
  }
  if (out.workgroups != "lobe" && note(ends_under(of_workgroups("unfair")))) out.workgroups = "unfair";
  return out;
}

}  // namespace heddle::detail
