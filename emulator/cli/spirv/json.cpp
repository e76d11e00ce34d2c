#include <cmath>
#include <nlohmann/json.hpp>

#include "emulator/cli/spirv/report.h"
#include "emulator/spirv/numbers.h"
#include "runtime/text/json_text.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

Json value_json(const spirv::ScalarType& type, std::uint64_t bits) {
  if (spirv::is_token(bits)) return "undefined";
  if (type.kind == spirv::ScalarType::Kind::Float) {
    const double value = spirv::float_value(bits, type.bits);
    return std::isfinite(value) ? Json(value) : Json(spell_value(type, bits));
  }
  if (type.is_signed) return spirv::signed_value(bits, type.bits);
  return bits;
}

Json outcome_json(const spirv::Question& question, const std::vector<std::uint64_t>& values) {
  Json out = Json::object();
  for (std::size_t i = 0; i < values.size(); ++i)
    out[question.observables[i].name] = value_json(question.observables[i].location.type, values[i]);
  return out;
}

const char* quantifier_name(spirv::Quantifying quantifier) {
  switch (quantifier) {
    case spirv::Quantifying::ForAll:
      return "forall";
    case spirv::Quantifying::Exists:
      return "exists";
    case spirv::Quantifying::NotExists:
      return "not exists";
  }
  return "";
}

void add_answer(const SpirvReport& report, Json& out) {
  const spirv::Answer& answer = *report.answer;
  out["quantifier"] = quantifier_name(report.dispatch->question.quantifier);
  out["holds"] = answer.holds;
  out["racy"] = answer.racy;
  if (!answer.faults.empty()) {
    Json faults = Json::array();
    for (const std::uint32_t at : answer.faults) {
      Json fault;
      fault["line"] = report.dispatch->dispatch->code().commands[at].line;
      fault["what"] = spirv::describe_fault(*report.dispatch->dispatch, at);
      faults.push_back(std::move(fault));
    }
    out["undefined"] = std::move(faults);
  }
  if (!report.inquiry.verdict_only) {
    Json outcomes = Json::array();
    for (const spirv::Row& row : answer.rows) outcomes.push_back(outcome_json(report.dispatch->question, row.values));
    out["outcomes"] = std::move(outcomes);
    out["executions"] = answer.executions;
  }
  out["complete"] = answer.complete;
}

}  // namespace

std::string spirv_json(const SpirvReport& report, bool times) {
  Json out;
  out["file"] = report.file;
  if (report.error) {
    out["error"] = *report.error;
  } else {
    out["format"] = "spirv";
    if (report.answer) add_answer(report, out);
    out["bound"] = report.inquiry.bound;
    if (times) out["seconds"] = report.seconds;
  }
  if (!report.warnings.empty()) out["warnings"] = report.warnings;
  return text::json_text(std::move(out));
}

}  // namespace heddle::cli
