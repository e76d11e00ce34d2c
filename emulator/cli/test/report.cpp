#include "emulator/cli/test/report.h"

#include <fmt/format.h>

#include "emulator/cli/terminal.h"
#include "emulator/report/collector.h"
#include "emulator/report/escaped.h"
#include "emulator/report/json.h"
#include "runtime/counted.h"
#include "runtime/text/json_text.h"
#include "runtime/text/readable.h"

namespace heddle::cli {
namespace {

using Json = TestReport::Json;
using runtime::counted;

std::string indented(const std::string& text, const std::string& by) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && c != '\n') out += by;
    out += c;
    begins = c == '\n';
  }
  return out.empty() || out.back() == '\n' ? out : out + '\n';
}

std::string word(const Json& line, const char* key) {
  const auto found = line.find(key);
  return found != line.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string title_of(const Json& line) {
  const std::string test = word(line, "test");
  return test.empty() ? word(line, "program") : word(line, "program") + ": " + test;
}

}  // namespace

std::vector<const Json*> TestReport::of_kind(const std::string& kind) const {
  std::vector<const Json*> out;
  for (const Json& line : lines_)
    if (word(line, "kind") == kind) out.push_back(&line);
  return out;
}

std::vector<const Json*> TestReport::failed(const std::string& kind) const {
  std::vector<const Json*> out = of_kind(kind);
  std::erase_if(out, [](const Json* line) { return line->value("passed", true); });
  return out;
}

RaceReport TestReport::races() const {
  report::Collector collector;
  report::RunId run = 0;
  for (const Json* search : of_kind("search")) {
    if (search->value("asks_for_races", false)) continue;
    collector.add(++run, search->value("trials", std::uint64_t{0}));
    for (const Json& race : search->at("races")) collector.add(run, report::race_from_json(race));
  }
  report::Suppressions none;
  return collector.report(none);
}

std::size_t TestReport::findings() const {
  return failed("test").size() + failed("program").size() + races().races.size();
}

bool TestReport::lacks_seeds() const {
  if (!of_kind("missing").empty()) return true;
  for (const Json* search : of_kind("search"))
    if (!search->value("complete", true)) return true;
  return false;
}

std::string TestReport::summary() const {
  std::uint64_t trials = 0;
  std::size_t incomplete = 0;
  const std::vector<const Json*> searches = of_kind("search");
  for (const Json* search : searches) {
    trials += search->value("trials", std::uint64_t{0});
    if (!search->value("complete", true)) ++incomplete;
  }
  std::string text =
      fmt::format("{}, {}, {} failed; {}; {} in {}\n", counted(of_kind("program").size(), "program", "programs"),
                  counted(of_kind("test").size(), "test", "tests"), failed("test").size() + failed("program").size(),
                  counted(races().races.size(), "data race", "data races"), counted(trials, "trial", "trials"),
                  counted(searches.size(), "search", "searches"));
  if (incomplete != 0)
    text += fmt::format("not all seeds were tried in {}: more time (--seconds), or more shards, would try the rest\n",
                        counted(incomplete, "search", "searches"));
  return text;
}

std::string TestReport::people_text(bool coloured) const {
  const Painter paint(coloured);
  std::string text;
  for (const Json* line : failed("program"))
    text +=
        fmt::format("{} {}\n{}", paint(Colour::Red, "FAILED"), title_of(*line), indented(word(*line, "text"), "  "));
  for (const Json* line : failed("test"))
    text +=
        fmt::format("{} {}\n{}", paint(Colour::Red, "FAILED"), title_of(*line), indented(word(*line, "text"), "  "));
  const RaceReport raced = races();
  if (!raced.races.empty()) text += to_text(raced, coloured ? ReportFormat::ColouredText : ReportFormat::Text) + '\n';
  for (const Json* line : of_kind("missing"))
    text += fmt::format("{} {}\n  {}\n", paint(Colour::Yellow, "MISSING"), title_of(*line), word(*line, "text"));
  return text::readable_lines(text + summary());
}

std::string TestReport::json_text() const {
  std::string text;
  for (const Json& line : lines_) text += text::json_text(line) + '\n';
  return text +
         text::json_text(
             Json{{"kind", "summary"}, {"findings", findings()}, {"lacks_seeds", lacks_seeds()}, {"text", summary()}}) +
         '\n';
}

std::string TestReport::junit_text() const {
  const auto readable = [](const std::string& text) { return report::escaped_xml(text::readable_lines(text)); };
  std::string text = "<testsuites>\n";
  for (const Json* program : of_kind("program")) {
    const std::string name = word(*program, "program");
    std::vector<const Json*> cases = of_kind("test");
    std::erase_if(cases, [&](const Json* test) { return word(*test, "program") != name; });
    if (cases.empty() || !program->value("passed", true)) cases.push_back(program);
    std::size_t failures = 0;
    for (const Json* one : cases) failures += one->value("passed", true) ? 0 : 1;
    text +=
        fmt::format("<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n", readable(name), cases.size(), failures);
    for (const Json* one : cases) {
      const std::string title = one == program ? "the program" : word(*one, "test");
      text += fmt::format("  <testcase classname=\"{}\" name=\"{}\">", readable(name), readable(title));
      if (!one->value("passed", true))
        text += fmt::format("<failure message=\"failed\">{}</failure>", readable(word(*one, "text")));
      text += "</testcase>\n";
    }
    text += "</testsuite>\n";
  }
  return text + to_text(races(), ReportFormat::JUnit) + "</testsuites>\n";
}

std::string TestReport::sarif_text() const {
  Json log = Json::parse(to_text(races(), ReportFormat::Sarif));
  Json& run = log.at("runs").at(0);
  run.at("tool").at("driver").at("rules").push_back(
      {{"id", "failed-test"}, {"shortDescription", {{"text", "A test of kernels that failed"}}}});
  for (const char* kind : {"program", "test"})
    for (const Json* line : failed(kind))
      run.at("results").push_back({{"ruleId", "failed-test"},
                                   {"level", "error"},
                                   {"message", {{"text", title_of(*line) + '\n' + word(*line, "text")}}}});
  return text::json_text(log, 2) + '\n';
}

std::string TestReport::github_text() const {
  std::string text;
  for (const char* kind : {"program", "test"})
    for (const Json* line : failed(kind))
      text += fmt::format("::error title={}::{}\n", report::escaped_github(text::readable(title_of(*line)), true),
                          report::escaped_github(text::readable_lines(word(*line, "text")), false));
  for (const Json* line : of_kind("missing"))
    text += fmt::format("::warning title={}::{}\n", report::escaped_github(text::readable(title_of(*line)), true),
                        report::escaped_github(word(*line, "text"), false));
  return text + to_text(races(), ReportFormat::GitHub) + summary();
}

std::string TestReport::text(ReportFormat format) const {
  switch (format) {
    case ReportFormat::Json:
      return json_text();
    case ReportFormat::Sarif:
      return sarif_text();
    case ReportFormat::JUnit:
      return junit_text();
    case ReportFormat::GitHub:
      return github_text();
    case ReportFormat::Text:
    case ReportFormat::ColouredText:
      break;
  }
  return people_text(format == ReportFormat::ColouredText);
}

}  // namespace heddle::cli
