#include <cmath>
#include <nlohmann/json.hpp>

#include "emulator/cli/spirv/report.h"
#include "emulator/cli/spirv/termination.h"
#include "emulator/report/json.h"
#include "emulator/spirv/numbers.h"
#include "runtime/text/json_text.h"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

// A number, or a text for what JSON has no number for: "undefined", infinities and what is none.
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

Json faults_json(const spirv::Dispatch& dispatch, const spirv::Faults& faults) {
  Json out = Json::array();
  for (const auto& [at, met] : faults) {
    Json fault;
    fault["line"] = dispatch.code().commands[at].line;
    fault["what"] = spirv::describe_fault(dispatch, met);
    out.push_back(std::move(fault));
  }
  return out;
}

void add_answer(const SpirvReport& report, Json& out) {
  const spirv::Answer& answer = *report.answer;
  out["quantifier"] = quantifier_name(report.dispatch->question.quantifier);
  out["holds"] = answer.holds;
  out["racy"] = answer.racy;
  if (!answer.faults.empty()) out["undefined"] = faults_json(*report.dispatch->dispatch, answer.faults);
  if (!report.inquiry.verdict_only) {
    Json outcomes = Json::array();
    for (const spirv::Row& row : answer.rows) outcomes.push_back(outcome_json(report.dispatch->question, row.values));
    out["outcomes"] = std::move(outcomes);
    out["executions"] = answer.executions;
  }
  out["complete"] = answer.complete;
  out["undecided"] = report.is_undecided();
}

void add_runs(const SpirvReport& report, Json& out) {
  const spirv::RunTotals& runs = *report.runs;
  out["policy"] = report.policy;
  out["runs"] = runs.runs;
  out["seed"] = report.seed;
  Json histogram = Json::array();
  for (const spirv::HistogramRow& row : runs.histogram) {
    Json each;
    each["outcome"] = outcome_json(report.dispatch->question, row.values);
    each["count"] = row.count;
    const auto allowed = report.allows(row.values);
    each["allowed"] = allowed ? Json(*allowed) : Json(nullptr);
    histogram.push_back(std::move(each));
  }
  out["histogram"] = std::move(histogram);
  out["racy_runs"] = runs.racy_runs;
  out["first_racy_run"] = runs.first_racy_run ? Json(*runs.first_racy_run) : Json(nullptr);
  if (report.compared) {
    Json differences = Json::array();
    for (const BufferDifference& each : report.differences)
      differences.push_back({{"buffer", each.name},
                             {"words", each.words},
                             {"of", each.of},
                             {"offset", each.offset},
                             {"found", each.found},
                             {"expected", each.wanted}});
    out["differences"] = std::move(differences);
  }
  Json prints = Json::array();
  for (const spirv::Print& each : runs.prints) prints.push_back({{"invocation", each.agent}, {"text", each.text}});
  if (!prints.empty()) out["prints"] = std::move(prints);
  Json findings = Json::array();
  for (const spirv::RunFinding& each : runs.findings)
    findings.push_back({{"kind", name_of(each.finding.kind)},
                        {"message", each.finding.message},
                        {"line", each.finding.where.line},
                        {"instruction", each.finding.where.function},
                        {"object", each.finding.object},
                        {"first_run", each.first_run},
                        {"runs", each.runs}});
  out["findings"] = std::move(findings);
  Json races = Json::array();
  for (const DataRace& race : runs.races) races.push_back(report::to_json(race));
  out["races"] = std::move(races);
  if (runs.advised + runs.advice_left_out > 0) {
    Json advice = Json::array();
    for (const OrderingAdvice& each : runs.advice)
      advice.push_back(
          {{"line", each.where.line}, {"operation", each.operation}, {"enough", each.enough}, {"runs", each.runs}});
    out["advice"] = std::move(advice);
    out["advised"] = runs.advised;
  }
  out["judged"] = runs.judged;
  out["inconsistent"] = runs.inconsistent;
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
    if (report.termination) {
      add_termination(told(*report.dispatch->analysis, *report.termination), out);
      if (!report.answer && !report.termination->faults.empty())
        out["undefined"] = faults_json(*report.dispatch->dispatch, report.termination->faults);
    }
    out["bound"] = report.inquiry.bound;
    if (report.runs) add_runs(report, out);
    if (times) out["seconds"] = report.seconds;
  }
  if (!report.warnings.empty()) out["warnings"] = report.warnings;
  return text::json_text(std::move(out));
}

}  // namespace heddle::cli
