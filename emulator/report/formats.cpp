// Data races for programs.

#include <heddle/report.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace heddle {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const uvec3& v) { return Json::array({v.x, v.y, v.z}); }

Json json_of(const RacingAccess& access) {
  const Coordinates& c = access.invocation;
  return {{"operation", access.operation}, {"file", access.where.file},
          {"line", access.where.line},     {"function", access.where.function},
          {"dispatch", access.dispatch},   {"workgroup", json_of(c.workgroup)},
          {"local", json_of(c.local)},     {"global", json_of(c.global)},
          {"subgroup", c.subgroup},        {"lane", c.lane}};
}

std::string summary(const DataRace& race) {
  return fmt::format("data race on {}[{}]: {} and {} at {}:{}; {}",
                     race.object.empty() ? "memory" : race.object, race.index,
                     race.second.operation, race.first.operation, race.first.where.file,
                     race.first.where.line, race.reason);
}

std::string json(const std::vector<DataRace>& races) {
  std::string text;
  for (const DataRace& race : races) {
    const Json object = {{"kind", "data race"},
                         {"object", race.object},
                         {"index", race.index},
                         {"offset_bytes", race.offset_bytes},
                         {"size_bytes", race.size_bytes},
                         {"first", json_of(race.first)},
                         {"second", json_of(race.second)},
                         {"reason", race.reason},
                         {"changes", race.changes},
                         {"count", race.count},
                         {"replay", race.replay}};
    text += object.dump() + "\n";
  }
  return text;
}

Json sarif_location(const SourceLocation& where) {
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", where.file}}},
            {"region", {{"startLine", where.line == 0 ? 1 : where.line}}}}}};
}

std::string sarif(const std::vector<DataRace>& races) {
  Json results = Json::array();
  for (const DataRace& race : races) {
    Json first = sarif_location(race.first.where);
    first["message"] = {{"text", race.first.operation + ", the earlier one"}};
    results.push_back({{"ruleId", "data-race"},
                       {"level", "error"},
                       {"message", {{"text", summary(race)}}},
                       {"locations", Json::array({sarif_location(race.second.where)})},
                       {"relatedLocations", Json::array({first})}});
  }
  const Json log = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       Json::array({{{"tool",
                      {{"driver",
                        {{"name", "heddle"}, {"rules", Json::array({{{"id", "data-race"}}})}}}}},
                     {"results", results}}})}};
  return log.dump(2) + "\n";
}

std::string escaped(std::string_view text, bool of_xml) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += of_xml ? "&amp;" : "&"; break;
      case '<': out += of_xml ? "&lt;" : "<"; break;
      case '>': out += of_xml ? "&gt;" : ">"; break;
      case '"': out += of_xml ? "&quot;" : "\""; break;
      case '%': out += of_xml ? "%" : "%25"; break;
      case '\n': out += of_xml ? "\n" : "%0A"; break;
      default: out += c;
    }
  }
  return out;
}

std::string junit(const std::vector<DataRace>& races) {
  std::string text = fmt::format(
      "<testsuite name=\"data races\" tests=\"{0}\" failures=\"{0}\">\n", races.size());
  for (const DataRace& race : races)
    text += fmt::format(
        "  <testcase classname=\"data race\" name=\"{}:{}\" file=\"{}\" line=\"{}\">\n"
        "    <failure message=\"{}\">{}</failure>\n  </testcase>\n",
        escaped(race.second.where.file, true), race.second.where.line,
        escaped(race.second.where.file, true), race.second.where.line,
        escaped(summary(race), true), escaped(to_string(race), true));
  return text + "</testsuite>\n";
}

std::string github(const std::vector<DataRace>& races) {
  std::string text;
  for (const DataRace& race : races)
    text += fmt::format("::error file={},line={},title=Data race::{}\n", race.second.where.file,
                        race.second.where.line, escaped(summary(race), false));
  return text;
}

}  // namespace

std::string to_text(const std::vector<DataRace>& races, ReportFormat format) {
  switch (format) {
    case ReportFormat::Json: return json(races);
    case ReportFormat::Sarif: return sarif(races);
    case ReportFormat::JUnit: return junit(races);
    case ReportFormat::GitHub: return github(races);
    case ReportFormat::Text:
    case ReportFormat::ColouredText: break;
  }
  std::string text;
  for (const DataRace& race : races)
    text += to_string(race, format == ReportFormat::ColouredText) + "\n";
  return text;
}

}  // namespace heddle
