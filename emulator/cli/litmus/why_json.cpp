#include "emulator/cli/litmus/why_json.h"

#include <heddle/edit.h>

#include <fmt/format.h>

#include <string>

#include "emulator/cli/litmus/forbidden_json.h"
#include "emulator/cli/litmus/graph_json.h"
#include "emulator/cli/litmus/reasons.h"
#include "emulator/cli/litmus/report.h"
#include "emulator/litmus/vulkan/changes.h"
#include "emulator/litmus/vulkan/edits.h"
#include "emulator/litmus/vulkan/forbidding_changes.h"
#include "emulator/litmus/vulkan/host_changes.h"
#include "emulator/litmus/vulkan/host_reason.h"
#include "emulator/litmus/vulkan/operation_column.h"
#include "runtime/text/readable.h"

namespace heddle::cli {
namespace {

void add_edits(const std::optional<std::vector<litmus::TextEdit>>& edits, Json& out) {
  out["edits"] = edits ? Json::array() : Json(nullptr);
  if (!edits) {
    out["why_no_edits"] =
        "No instruction of the notation says this, or the instruction is written in a way that is not understood here "
        "(blanks between its tags): change it by hand.";
    return;
  }
  for (const litmus::TextEdit& edit : *edits)
    out["edits"].push_back(
        {{"line", edit.place.line}, {"column", edit.place.column}, {"old", edit.old_text}, {"new", edit.new_text}});
}

/// The edits as lines for --edits.
Json lines_of(std::vector<Edit> edits, const std::string& file) {
  Json lines = Json::array();
  for (Edit& edit : edits) {
    edit.file = text::file_name(file);
    lines.push_back(to_text(edit));
  }
  return lines;
}

Json change_of(const LitmusReport& report, const litmus::TestChange& change) {
  Json out;
  out["text"] = change.text;
  out["unordered"] = change.unordered;
  if (!change.other_race.empty()) out["other_race"] = change.other_race;
  out["mends"] = change.mends;
  out["program_edits"] = lines_of(change.edits, report.file);
  const auto edits = litmus::edits_between(report.source, report.vulkan->test, change.changed);
  add_edits(edits, out);
  return out;
}

void add_changes(const LitmusReport& report, const litmus::RaceExample& race, const litmus::Question& question,
                 Json& out) {
  const litmus::TestChanges found = litmus::changes_without_race(report.vulkan->test, question, race);
  out["races"] = found.races;
  out["changes"] = Json::array();
  for (const litmus::TestChange& change : found.changes) out["changes"].push_back(change_of(report, change));
  out["forbidding"] = Json::array();
  for (const litmus::TestChange& change :
       litmus::changes_that_forbid(report.vulkan->test, question, *report.vulkan->answer))
    out["forbidding"].push_back(change_of(report, change));
}

/// Changes of calls and commands.
Json host_changes_of(const LitmusReport& report, const litmus::RaceExample& race, const litmus::Question& question) {
  Json changes = Json::array();
  for (const litmus::HostChange& change : litmus::host_changes(report.source, report.vulkan->test, question, race)) {
    Json out = {{"text", change.text}, {"unordered", false}};
    if (!change.other_race.empty()) out["other_race"] = change.other_race;
    add_edits(litmus::line_edits(report.source, change.source), out);
    out["program_edits"] = lines_of(change.edits, report.file);
    changes.push_back(std::move(out));
  }
  return changes;
}

Json race_of(const LitmusReport& report, const litmus::RaceExample& race, const litmus::Question& question) {
  const litmus::Test& test = report.vulkan->test;
  const judge::Judgement judgement(race.execution, litmus::explorer_options(question).model);
  const judge::NameOfOperation name_of = name_operations(test, race.execution);
  Json out;
  out["first"] = race.first;
  out["second"] = race.second;
  out["text"] = explain_race(test, judgement, race, name_of);
  if (const auto of_host = litmus::host_reason(test, judgement, {race.first, race.second})) {
    out["missing_link"] = litmus::name(of_host->link);
    out["reason"] = of_host->text;
  } else if (const auto reason = judgement.why_unordered(race.first, race.second)) {
    out["missing_link"] = judge::name(reason->link);
    out["reason"] = judge::explain(*reason, name_of);
  }
  if (test.host) {
    out["changes"] = host_changes_of(report, race, question);
  } else {
    add_changes(report, race, question, out);
  }
  out["graph"] = graph_of(test, judgement);
  return out;
}

}  // namespace

Json reasons_of(const LitmusReport& report, const litmus::Question& question) {
  const litmus::Test& test = report.vulkan->test;
  const litmus::Answer& answer = *report.vulkan->answer;
  Json out = Json::object();
  Json graphs = Json::array();
  for (const litmus::OutcomeRow& row : answer.outcomes) {
    if (!row.example) {
      graphs.push_back(nullptr);
      continue;
    }
    graphs.push_back(graph_of(test, judge::Judgement(*row.example, litmus::explorer_options(question).model)));
  }
  out["graphs"] = std::move(graphs);
  add_rows(test, answer, question, out);
  if (answer.race) out["race"] = race_of(report, *answer.race, question);
  using litmus::Quantifier;
  const bool none = (test.quantifier == Quantifier::Exists && !answer.holds) ||
                    (test.quantifier == Quantifier::NotExists && answer.holds);
  const bool all = test.quantifier == Quantifier::ForAll && answer.holds;
  if (answer.complete && (none || all)) out["forbidden"] = explain_forbidden(test, question, all);
  return out;
}

}  // namespace heddle::cli
