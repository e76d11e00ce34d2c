#include <nlohmann/json.hpp>

#include "emulator/cli/litmus_machine_json.h"
#include "emulator/cli/litmus_report.h"

namespace heddle::cli {
namespace {

void add_answer(const VulkanReport& report, Json& out) {
  const litmus::Test& test = report.test;
  if (!report.answer) {
    for (const char* unknown : {"quantifier", "holds", "racy", "outcomes", "executions", "complete"})
      out[unknown] = nullptr;
    if (test.quantifier != litmus::Quantifier::None)
      out["quantifier"] = litmus::spell(test.quantifier);
    return;
  }
  const litmus::Answer& answer = *report.answer;
  if (test.quantifier == litmus::Quantifier::None) {
    out["quantifier"] = nullptr;
    out["holds"] = nullptr;
  } else {
    out["quantifier"] = litmus::spell(test.quantifier);
    out["holds"] = answer.holds;
  }
  out["racy"] = answer.racy;
  if (answer.freed_early) out["freed_early"] = true;
  Json outcomes = Json::array();
  for (const litmus::OutcomeRow& row : answer.outcomes) {
    Json values = Json::object();
    for (std::size_t i = 0; i < test.observables.size(); ++i) {
      values[test.observables[i].name] = row.values[i];
    }
    outcomes.push_back(std::move(values));
  }
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
  out["executions"] = report.answer.executions;
  out["complete"] = report.answer.complete;
}

}  // namespace

std::string to_json(const LitmusReport& report) {
  Json out;
  out["file"] = report.file;
  if (report.error) {
    out["error"] = *report.error;
  } else {
    out["name"] = report.name;
    out["format"] = report.vulkan ? "vulkan-litmus" : "khronos-test";
    if (report.vulkan) add_answer(*report.vulkan, out);
    if (report.khronos) add_khronos(*report.khronos, out);
    out["bound"] = report.bound;
    out["seconds"] = report.seconds;
    if (report.vulkan && report.vulkan->machine)
      add_machine(report.vulkan->test, *report.vulkan->machine, out);
  }
  if (!report.warnings.empty()) out["warnings"] = report.warnings;
  // A file name or a header need not be UTF-8; JSON must be.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace heddle::cli
