#include "emulator/cli/litmus/forbidden_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "emulator/cli/litmus/graph_json.h"
#include "emulator/cli/litmus/outcome_json.h"
#include "emulator/cli/litmus/reasons.h"
#include "emulator/litmus/run/interleavings.h"
#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/forbidden.h"
#include "emulator/litmus/vulkan/notation.h"
#include "emulator/litmus/vulkan/operation_column.h"

namespace heddle::cli {
namespace {

using judge::RelationName;
using model::OperationIndex;

/// The edges of a cycle, each with the reason why it is there.
class CycleWriter {
 public:
  CycleWriter(const litmus::Test& test, const judge::Judgement& judgement)
      : test_(test), judgement_(judgement), name_of_(name_operations(test, judgement.execution())) {}

  Json edges(const judge::Violation& violation) const {
    std::vector<Json> out;
    for (std::size_t i = 0; i < violation.cycle.size(); ++i) {
      const judge::CycleStep& step = violation.cycle[i];
      const OperationIndex to = violation.cycle[(i + 1) % violation.cycle.size()].from;
      Json edge{{"from", step.from}, {"to", to}, {"relation", judge::name(step.relation)}};
      if (step.reversed) edge["reversed"] = true;
      edge["clause"] = litmus::words_of(step.relation).clause;
      edge["text"] = step.reversed ? reason(to, step.from, step.relation) : reason(step.from, to, step.relation);
      out.push_back(std::move(edge));
    }
    // A reader asks first what a read takes.
    const auto taken = std::find_if(out.begin(), out.end(), [](const Json& edge) { return edge["relation"] == "fr"; });
    if (taken != out.end()) std::rotate(out.begin(), taken, out.end());
    return out;
  }

 private:
  std::string variable(OperationIndex access) const {
    return litmus::variable_of(test_, execution().operations[access]).name;
  }
  const model::Execution& execution() const { return judgement_.execution(); }
  OperationIndex source_of(OperationIndex read) const {
    for (const model::ReadsFrom& from : execution().reads_from)
      if (from.read == read) return from.write;
    return model::kInitialValue;
  }
  std::string reason(OperationIndex from, OperationIndex to, RelationName relation) const;

  const litmus::Test& test_;
  const judge::Judgement& judgement_;
  const judge::NameOfOperation name_of_;
};

std::string CycleWriter::reason(OperationIndex from, OperationIndex to, RelationName relation) const {
  const std::string x = name_of_(from);
  const std::string y = name_of_(to);
  switch (relation) {
    case RelationName::ReadsFrom:
      return fmt::format("{} reads {} = {}, which {} wrote.", y, variable(to),
                         static_cast<litmus::Integer>(execution().read_values[to]), x);
    case RelationName::FromReads: {
      const OperationIndex source = source_of(from);
      if (source == model::kInitialValue)
        return fmt::format("{} reads the initial value of {}, and every write comes behind that: {} as well.", x,
                           variable(from), y);
      return fmt::format("{} reads what {} wrote, and {} comes behind that write.", x, name_of_(source), y);
    }
    case RelationName::ScopedModificationOrder:
      return fmt::format("{} comes before {} in the order of the writes of {}.", x, y, variable(from));
    case RelationName::LocationOrdered:
      if (const auto order = judgement_.location_ordered(from, to))
        return as_sentence(judge::explain(*order, name_of_));
      [[fallthrough]];
    default:
      return fmt::format("{} comes before {} in {}.", x, y, litmus::words_of(relation).name);
  }
}

/// An outcome that no execution has.
class Forbidden {
 public:
  Forbidden(const litmus::Test& test, const litmus::Question& question, const litmus::ForbiddenOutcome& outcome)
      : test_(test), question_(question), outcome_(outcome) {}

  Json json() const {
    Json out;
    switch (outcome_.obstacle) {
      case litmus::Obstacle::Axioms:
        return broken_axiom();
      case litmus::Obstacle::ThinAir:
        out["text"] =
            "No axiom forbids it, but a value would come out of thin air: it is read only because it was written, and "
            "written only because it was read.";
        out["rule"] = "thin_air";
        break;
      case litmus::Obstacle::NoValue:
        out["text"] = "Whatever each read takes its value from, the threads never compute these values.";
        out["rule"] = "no_value";
        break;
      case litmus::Obstacle::Unknown:
        out["text"] =
            outcome_.closest
                ? "No axiom alone forbids it, and no execution has it: a thread would have to go past where it waits."
                : "No execution has it. There are too many candidates to look for the closest one.";
        out["rule"] = "unknown";
        break;
    }
    out["clause"] = "";
    out["violated"] = 0;
    out["cycle"] = Json::array();
    out["graph"] = outcome_.closest ? graph_of(test_, judgement()) : Json(nullptr);
    return out;
  }

 private:
  judge::Judgement judgement() const {
    return judge::Judgement(*outcome_.closest, litmus::explorer_options(question_).model);
  }

  Json broken_axiom() const {
    const judge::Judgement judgement = this->judgement();
    const judge::Violation& violation = outcome_.violations.front();
    const litmus::RuleWords& rule = litmus::words_of(violation.axiom);
    Json out;
    Json cycle = CycleWriter(test_, judgement).edges(violation);
    std::string text(rule.text);
    if (violation.axiom == judge::Axiom::Acyclicity && !cycle.empty())
      text += fmt::format(" {} would come before itself.",
                          name_operations(test_, *outcome_.closest)(cycle.front().at("from").get<OperationIndex>()));
    out["text"] = std::move(text);
    out["rule"] = rule.rule;
    out["clause"] = rule.clause;
    out["violated"] = outcome_.violations.size();
    out["cycle"] = std::move(cycle);
    out["graph"] = graph_of(test_, judgement);
    return out;
  }

  const litmus::Test& test_;
  const litmus::Question& question_;
  const litmus::ForbiddenOutcome& outcome_;
};

Json row_of(const litmus::Test& test, const litmus::Outcome& values, bool allowed) {
  return row_json(
      test.observables, [&](std::size_t i) { return Json(values[i]); }, allowed, litmus::is_asked(test, values));
}

}  // namespace

void add_rows(const litmus::Test& test, const litmus::Answer& answer, const litmus::Question& question, Json& out) {
  // An explanation must not take longer than the answer.
  constexpr std::uint64_t kMostInterleavings = 20000;
  std::optional<std::set<litmus::Outcome>> interleaved;
  interleaved = litmus::interleaved_outcomes(test, question.bound, kMostInterleavings);
  std::vector<Json> rows;
  for (std::size_t i = 0; i < answer.outcomes.size(); ++i) {
    const litmus::Outcome& values = answer.outcomes[i].values;
    rows.push_back(row_of(test, values, true));
    rows.back()["weak"] = interleaved ? Json(interleaved->count(values) == 0) : Json(nullptr);
    rows.back()["graph"] = i;
  }
  litmus::ForbiddenOutcomes forbidden;
  // Where the answer is incomplete nothing is known to be forbidden.
  if (answer.complete) forbidden = litmus::find_forbidden_outcomes(test, question, answer);
  for (const litmus::ForbiddenOutcome& outcome : forbidden.outcomes) {
    rows.push_back(row_of(test, outcome.values, false));
    rows.back()["forbidden"] = Forbidden(test, question, outcome).json();
  }
  out["rows"] = asked_first(std::move(rows));
  out["rows_complete"] = answer.complete && forbidden.complete;
}

}  // namespace heddle::cli
