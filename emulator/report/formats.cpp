// Reports for continuous integration.

#include <fmt/format.h>

#include "emulator/report/escaped.h"
#include "emulator/report/json.h"
#include "emulator/report/readable_report.h"
#include "emulator/report/report_text.h"
#include "emulator/report/source_text.h"
#include "runtime/text/json_text.h"

namespace heddle {
namespace report {
namespace {

// A path as a reference of RFC 3986: SARIF wants one, and it has room for any byte.
std::string uri(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

Json sarif_location(const SourceLocation& where) {
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", uri(relative_path(where.file))}}},
            {"region", {{"startLine", where.line == 0 ? 1 : where.line}}}}}};
}

Json sarif_rule(const char* id, const char* text) {
  return {{"id", id}, {"shortDescription", {{"text", text}}}};
}

// One for each way to an access in a helper of the kernel: the access, and the calls that led there.
Json sarif_stacks(const DataRace& race) {
  Json stacks = Json::array();
  for (const RacingAccess* access : {&race.first, &race.second})
    for (const std::vector<SourceLocation>& way : access->calls) {
      Json frames = Json::array({{{"location", sarif_location(access->where)}}});
      for (const SourceLocation& call : way) frames.push_back({{"location", sarif_location(call)}});
      const char* which = access == &race.first ? ", the earlier one" : ", the later one";
      stacks.push_back({{"message", {{"text", access->operation + which}}}, {"frames", frames}});
    }
  return stacks;
}

Json sarif_result(const DataRace& race) {
  const bool counts = race.excuse.empty() && !race.same_value;
  Json first = sarif_location(race.first.where);
  first["message"] = {{"text", race.first.operation + ", the earlier one"}};
  Json result = {
      {"ruleId", "data-race"},
      {"level", counts ? "error" : "note"},
      {"message", {{"text", summary(race)}}},
      {"locations", Json::array({sarif_location(race.second.where)})},
      {"relatedLocations", Json::array({first})},
      {"occurrenceCount", race.count},
      {"partialFingerprints",
       {{"bothPlaces/v1", fmt::format("{} {} {}", place(race.first.where), place(race.second.where), race.object)}}}};
  if (Json stacks = sarif_stacks(race); !stacks.empty()) result["stacks"] = std::move(stacks);
  if (!race.excuse.empty())
    result["suppressions"] = Json::array({{{"kind", "external"}, {"justification", race.excuse}}});
  return result;
}

// What is said of the run that found the results.
Json sarif_invocation(const RaceReport& report) {
  Json notifications = Json::array();
  for (const std::string& remark : report.remarks)
    notifications.push_back({{"level", "warning"}, {"message", {{"text", remark}}}});
  for (const std::string& relied : report.relied_on)
    notifications.push_back({{"level", "note"}, {"message", {{"text", relied}}}});
  return {{"executionSuccessful", true}, {"toolExecutionNotifications", notifications}};
}

std::string github_line(const char* command, const SourceLocation& where, const char* title,
                        const std::string& message) {
  return fmt::format("::{} file={},line={},title={}::{}\n", command, escaped_github(short_path(where.file), true),
                     where.line, title, escaped_github(message, false));
}

// Below the summary, which has the accesses alone.
std::string calls_of(const DataRace& race) {
  std::string text;
  for (const RacingAccess* access : {&race.first, &race.second})
    for (const std::vector<SourceLocation>& way : access->calls) {
      text += fmt::format("\n{} at {}", access->operation, place(access->where));
      // The calls of the earlier access of the example are those of others like it, and perhaps its own.
      const bool is_earlier = (access == &race.first) != race.second_came_first;
      for (const SourceLocation& call : way)
        text += (is_earlier && &call == &way.front() ? ", for example called at " : ", called at ") + place(call);
    }
  return text;
}

std::string github_annotation(const char* command, const DataRace& race, const char* title) {
  const std::string excuse = race.excuse.empty() ? "" : race.excuse + ": ";
  return github_line(command, race.second.where, title, excuse + summary(race) + calls_of(race));
}

std::string junit_case(const DataRace& race) {
  const std::string file = escaped_xml(short_path(race.second.where.file));
  const std::string message = escaped_xml(race.excuse.empty() ? summary(race) : race.excuse + ": " + summary(race));
  const std::string text = race.excuse.empty() && !race.same_value ? fmt::format("<failure message=\"{}\">{}</failure>",
                                                                                 message, escaped_xml(to_string(race)))
                                                                   : fmt::format("<skipped message=\"{}\"/>", message);
  return fmt::format(
      "  <testcase classname=\"data race\" name=\"{0}:{1} {2}\" file=\"{0}\" line=\"{1}\">\n"
      "    {3}\n  </testcase>\n",
      file, race.second.where.line, escaped_xml(race.object), text);
}

}  // namespace

std::string sarif_text(const RaceReport& report) {
  Json results = Json::array();
  for (const auto* list : {&report.races, &report.notices, &report.suppressed})
    for (const DataRace& race : *list) {
      results.push_back(sarif_result(race));
      for (const DataRace& other : race.related) results.push_back(sarif_result(other));
    }
  for (const OrderingAdvice& advice : report.advice)
    results.push_back({{"ruleId", "ordering-advice"},
                       {"level", "note"},
                       {"message", {{"text", summary(advice)}}},
                       {"locations", Json::array({sarif_location(advice.where)})}});
  const Json rules = Json::array({sarif_rule("data-race", "Two accesses to the same bytes that nothing orders"),
                                  sarif_rule("ordering-advice", "An ordering that is stronger than the runs needed")});
  Json run = {{"tool", {{"driver", {{"name", "heddle"}, {"rules", rules}}}}}, {"results", results}};
  if (!report.remarks.empty() || !report.relied_on.empty())
    run["invocations"] = Json::array({sarif_invocation(report)});
  const Json log = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return text::json_text(log, 2) + "\n";
}

std::string junit_text(const RaceReport& report) {
  const std::size_t skipped = report.notices.size() + report.suppressed.size();
  const std::size_t failures = report.races.size();
  std::string text = fmt::format("<testsuite name=\"data races\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
                                 failures + skipped + (failures == 0 ? 1 : 0), failures, skipped);
  if (failures == 0) text += fmt::format("  <testcase classname=\"data race\" name=\"{}\"/>\n", summary(report));
  for (const auto* list : {&report.races, &report.notices, &report.suppressed})
    for (const DataRace& race : *list) text += junit_case(race);
  if (!report.remarks.empty() || !report.relied_on.empty()) {
    text += "  <system-out>";
    for (const auto* list : {&report.remarks, &report.relied_on})
      for (const std::string& line : *list) text += escaped_xml(line) + "\n";
    text += "</system-out>\n";
  }
  return text + "</testsuite>\n";
}

std::string github_text(const RaceReport& report) {
  std::string text;
  for (const DataRace& race : report.races) {
    text += github_annotation("error", race, "Data race");
    for (const DataRace& other : race.related) text += github_annotation("error", other, "Data race of the same bug");
  }
  for (const DataRace& race : report.notices) text += github_annotation("notice", race, "Data race of equal writes");
  for (const DataRace& race : report.suppressed) text += github_annotation("notice", race, "Suppressed data race");
  for (const OrderingAdvice& advice : report.advice)
    text += github_line("notice", advice.where, "Ordering", summary(advice));
  for (const std::string& relied : report.relied_on)
    text += fmt::format("::notice title=Forward progress::{}\n", escaped_github(relied, false));
  for (const std::string& remark : report.remarks)
    text += fmt::format("::warning title=Data races::{}\n", escaped_github(remark, false));
  return text;
}

}  // namespace report

std::string to_text(const RaceReport& given, ReportFormat format) {
  const RaceReport all = report::readable(given);
  switch (format) {
    case ReportFormat::Json:
      return report::json_text(all);
    case ReportFormat::Sarif:
      return report::sarif_text(all);
    case ReportFormat::JUnit:
      return report::junit_text(all);
    case ReportFormat::GitHub:
      return report::github_text(all);
    case ReportFormat::Text:
    case ReportFormat::ColouredText:
      break;
  }
  return report::people_text(all, format == ReportFormat::ColouredText);
}

std::string to_text(const std::vector<DataRace>& races, ReportFormat format) {
  std::string text;
  if (format == ReportFormat::Json) {
    for (const DataRace& race : races) text += text::json_text(report::to_json(race)) + "\n";
    return text;
  }
  if (format == ReportFormat::Text || format == ReportFormat::ColouredText) {
    for (const DataRace& race : races) text += to_string(race, format == ReportFormat::ColouredText) + "\n";
    return text;
  }
  RaceReport report;
  report.races = races;
  report.runs = 1;
  return to_text(report, format);
}

}  // namespace heddle
