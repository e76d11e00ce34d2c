#include <nlohmann/json.hpp>

#include "emulator/cli/litmus/machine_json.h"
#include "emulator/cli/litmus/mu_json.h"
#include "emulator/cli/litmus/mu_why_json.h"
#include "emulator/cli/litmus/outcome_json.h"
#include "emulator/cli/litmus/report.h"
#include "emulator/cli/litmus/termination.h"
#include "emulator/cli/litmus/why_json.h"
#include "runtime/text/json_text.h"

namespace heddle::cli {
namespace {

/// What an answer and a verdict have in common.
template <typename Answer>
void add_verdict(const litmus::Test& test, const Answer& answer, Json& out) {
  if (test.quantifier == litmus::Quantifier::None) {
    out["quantifier"] = nullptr;
    out["holds"] = nullptr;
  } else {
    out["quantifier"] = litmus::spell(test.quantifier);
    out["holds"] = answer.holds;
  }
  out["racy"] = answer.racy;
  if (answer.freed_early) out["freed_early"] = true;
}

void add_answer(const VulkanReport& report, Json& out) {
  const litmus::Test& test = report.test;
  if (report.verdict) {
    add_verdict(test, *report.verdict, out);
    out["complete"] = report.verdict->complete;
    return;
  }
  if (!report.answer) {
    for (const char* unknown : {"quantifier", "holds", "racy", "outcomes", "executions", "complete"})
      out[unknown] = nullptr;
    if (test.quantifier != litmus::Quantifier::None) out["quantifier"] = litmus::spell(test.quantifier);
    return;
  }
  const litmus::Answer& answer = *report.answer;
  add_verdict(test, answer, out);
  Json outcomes = Json::array();
  for (const litmus::OutcomeRow& row : answer.outcomes)
    outcomes.push_back(outcome_json(test.observables, [&](std::size_t i) { return Json(row.values[i]); }));
  out["outcomes"] = std::move(outcomes);
  out["executions"] = answer.executions;
  out["complete"] = answer.complete;
}

void add_khronos(const KhronosReport& report, Json& out) {
  Json claims = Json::array();
  for (std::size_t i = 0; i < report.test.claims.size(); ++i) {
    Json claim;
    claim["text"] = report.test.claims[i].text;
    claim["holds"] = report.answer.claims[i].holds;
    claims.push_back(std::move(claim));
  }
  out["claims"] = std::move(claims);
  out["racy"] = report.answer.racy;
  if (!report.verdict_only) out["executions"] = report.answer.executions;
  out["complete"] = report.answer.complete;
}

const char* format_name(const LitmusReport& report) {
  if (report.vulkan) return "vulkan-litmus";
  if (report.khronos) return "khronos-test";
  return report.mu->test.format == litmus::c::Format::C ? "c-litmus" : "mu-litmus";
}

}  // namespace

std::string to_json(const LitmusReport& report, const JsonOptions& options) {
  Json out;
  out["file"] = report.file;
  if (report.error) {
    out["error"] = *report.error;
  } else {
    out["name"] = report.name;
    out["format"] = format_name(report);
    if (report.vulkan) add_answer(*report.vulkan, out);
    if (report.vulkan && report.vulkan->termination)
      add_termination(told(report.vulkan->test, *report.vulkan->termination), out);
    if (report.khronos) add_khronos(*report.khronos, out);
    if (report.mu) add_mu(*report.mu, out);
    out["bound"] = report.bound;
    out["seconds"] = report.seconds;
    if (report.vulkan && report.vulkan->machine) add_machine(report.vulkan->test, *report.vulkan->machine, out);
    if (options.why && report.vulkan && report.vulkan->answer) out["why"] = reasons_of(report, *options.why);
    if (options.why && report.mu && report.mu->answer && !report.mu->verdict_only)
      out["why"] = mu_reasons_of(*report.mu, *options.why);
  }
  if (!options.times)
    for (const char* time : {"seconds", "run_seconds"}) out.erase(time);
  if (!report.warnings.empty()) out["warnings"] = report.warnings;
  return text::json_text(std::move(out));
}

}  // namespace heddle::cli
