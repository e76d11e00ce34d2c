#include <catch2/catch.hpp>

#include <heddle/report.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/report/collector.h"

using namespace heddle;

namespace {

DataRace example() {
  DataRace race;
  race.first.operation = "write";
  race.first.where = {"kernel <a>.cpp", "k", 3};
  race.second.operation = "atomic read (Device, Acquire)";
  race.second.where = {"kernel <a>.cpp", "k", 9};
  race.object = "data";
  race.index = 4;
  race.count = 12;
  race.reason = "it is \"never\" made visible";
  race.changes = {"add MakeVisible in line 9"};
  return race;
}

bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a race in words names both lines, the element, the reason and the change") {
  const std::string text = to_string(example());
  for (const char* part : {"data[4]", "12 times", ":3", ":9", "never", "add MakeVisible"}) CHECK(has_text(text, part));
  CHECK_FALSE(has_text(text, "\x1b["));
  CHECK(has_text(to_string(example(), true), "\x1b["));
}

TEST_CASE("values stand beside what was done") {
  DataRace race = example();
  race.first.written = std::to_string(42);
  race.second.read = std::string("-1.5");
  race.second.written = "1007";
  const std::string text = to_string(race);
  CHECK(has_text(text, "write of 42 at"));
  CHECK(has_text(text, "(Device, Acquire) from -1.5 to 1007 at"));
  CHECK(has_text(to_text({race}, ReportFormat::Json), "\"written\":\"42\""));
  CHECK(has_text(to_text({example()}, ReportFormat::Json), "\"written\":null"));
}

TEST_CASE("what does not count is a note in SARIF, skipped in JUnit, a notice for GitHub") {
  RaceReport report;
  report.runs = 1;
  report.suppressed = {example()};
  report.suppressed[0].excuse = "an estimate";
  report.notices = {example()};
  report.notices[0].same_value = true;
  const std::string sarif = to_text(report, ReportFormat::Sarif);
  CHECK_FALSE(has_text(sarif, "\"error\""));
  CHECK(has_text(sarif, "\"justification\": \"an estimate\""));
  CHECK(has_text(to_text(report, ReportFormat::JUnit), "failures=\"0\" skipped=\"2\""));
  const std::string github = to_text(report, ReportFormat::GitHub);
  CHECK(has_text(github, "::notice "));
  CHECK_FALSE(has_text(github, "::error "));
  const std::string text = to_text(report, ReportFormat::Text);
  CHECK(has_text(text, "suppressed data race on data[4]"));
  CHECK(has_text(text, "0 data races in 1 run, 1 of equal writes, 1 suppressed"));
}

TEST_CASE("what a report does not cover is told in every format") {
  RaceReport report;
  report.runs = 1;
  report.remarks = {"not looked for: a < b\n100%"};
  CHECK(has_text(to_text(report, ReportFormat::Text), "not looked for: a < b\n"));
  CHECK(has_text(to_text(report, ReportFormat::Json), R"("kind":"remark","text":"not looked for: a < b\n100%")"));
  const std::string sarif = to_text(report, ReportFormat::Sarif);
  CHECK(has_text(sarif, "\"toolExecutionNotifications\""));
  CHECK(has_text(sarif, R"("text": "not looked for: a < b\n100%")"));
  CHECK(has_text(to_text(report, ReportFormat::JUnit), "<system-out>not looked for: a &lt; b\n100%\n</system-out>"));
  CHECK(
      has_text(to_text(report, ReportFormat::GitHub), "::warning title=Data races::not looked for: a < b%0A100%25\n"));
  report.remarks.clear();
  CHECK_FALSE(has_text(to_text(report, ReportFormat::Sarif), "invocations"));
  CHECK_FALSE(has_text(to_text(report, ReportFormat::JUnit), "system-out"));
}

TEST_CASE("races of the same bug have annotations of their own") {
  DataRace race = example();
  race.related = {example()};
  race.related[0].second.where.line = 77;
  const std::string github = to_text({race}, ReportFormat::GitHub);
  CHECK(has_text(github, ",line=9,title=Data race::"));
  CHECK(has_text(github, ",line=77,title=Data race of the same bug::"));
}

TEST_CASE("of very many races of one bug a report in words tells some, and sums up the others") {
  DataRace race = example();
  for (std::uint32_t i = 0; i < 1000; ++i) {
    race.related.push_back(example());
    race.related.back().second.where.line = 100 + i;
  }
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  const std::string many = to_string(race);
  CHECK(lines(many) < 30);
  CHECK(has_text(many, ":107\n") == false);
  CHECK(has_text(many, ":107, 12 times"));
  CHECK_FALSE(has_text(many, ":108, 12 times"));
  CHECK(has_text(many, "992 more pairs of lines, 11904 times in all"));
  CHECK(has_text(to_text({race}, ReportFormat::Json), "\"line\":1099"));
  // One more than is told would be a line as well.
  race.related.resize(9);
  CHECK(has_text(to_string(race), ":108, 12 times"));
  CHECK_FALSE(has_text(to_string(race), "more pairs"));
}

TEST_CASE("of very many races a report in words tells some in full, and each of the others in a line") {
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  const auto text_of = [](std::uint32_t races) {
    RaceReport report;
    for (std::uint32_t i = 0; i < races; ++i) {
      report.races.push_back(example());
      report.races.back().second.where.line = 1000 + i;
    }
    return to_text(report, ReportFormat::Text);
  };
  const std::string all = text_of(50);
  const std::string more = text_of(1050);
  CHECK_FALSE(has_text(all, "more, in a line each"));
  CHECK(has_text(more, "1000 more, in a line each"));
  CHECK(lines(more) < lines(all) + 1010);
  CHECK(has_text(more, ":2049, 12 times\n"));
  CHECK(has_text(more, "1050 data races"));
}

// The text of each change would be looked at once for each other race.
TEST_CASE("each of thousands of races goes to the one whose change orders it, where the first of them was") {
  constexpr std::uint32_t kPairs = 2000;
  std::vector<DataRace> races;
  for (std::uint32_t i = 0; i < 2 * kPairs; ++i) {
    DataRace& race = races.emplace_back(example());
    const std::string number = std::to_string(i % kPairs);
    race.object = "object " + std::to_string(i);
    race.first.where.line = 2 * i + 1;
    race.second.where.line = 2 * i + 2;
    race.changes = {"edit " + number + (i < kPairs ? "" : ", and more " + number)};
  }
  report::order_and_group(races);
  REQUIRE(races.size() == kPairs);
  for (std::uint32_t i = 0; i < kPairs; ++i) {
    REQUIRE(races[i].object == "object " + std::to_string(kPairs + i));
    REQUIRE(races[i].related.size() == 1);
    REQUIRE(races[i].related[0].object == "object " + std::to_string(i));
  }
}

TEST_CASE("a file name with a comma stays one property of an annotation") {
  DataRace race = example();
  race.second.where.file = "a,b.cpp";
  CHECK(has_text(to_text({race}, ReportFormat::GitHub), "file=a%2Cb.cpp,line=9"));
}

TEST_CASE("races as JSON are one object a line") {
  const std::string text = to_text({example(), example()}, ReportFormat::Json);
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(has_text(text, "\"count\":12"));
  CHECK(has_text(text, "\\\"never\\\""));
}

TEST_CASE("races as SARIF, JUnit and annotations carry the line of the later access") {
  CHECK(has_text(to_text({example()}, ReportFormat::Sarif), "\"startLine\": 9"));
  const std::string junit = to_text({example()}, ReportFormat::JUnit);
  CHECK(has_text(junit, "line=\"9\""));
  CHECK(has_text(junit, "kernel &lt;a&gt;.cpp"));
  CHECK(has_text(to_text({example()}, ReportFormat::GitHub), "::error file=kernel <a>.cpp,line=9"));
}

TEST_CASE("of an access in a helper every format names the calls, and of one in the kernel none does") {
  DataRace race = example();
  const auto names_call = [&](ReportFormat format, const std::string& call) {
    return has_text(to_text({race}, format), call);
  };
  CHECK_FALSE(names_call(ReportFormat::Sarif, "\"stacks\""));
  CHECK_FALSE(names_call(ReportFormat::JUnit, "called at"));
  CHECK_FALSE(names_call(ReportFormat::GitHub, "called at"));
  race.first.calls = {{{"caller.cpp", "", 30}, {"main.cpp", "", 4}}};
  CHECK(names_call(ReportFormat::Sarif, "\"stacks\""));
  CHECK(names_call(ReportFormat::Sarif, "\"text\": \"write, the earlier one\""));
  CHECK(names_call(ReportFormat::Sarif, "\"startLine\": 30"));
  CHECK(names_call(ReportFormat::JUnit, "called at caller.cpp:30\n"));
  CHECK(names_call(ReportFormat::GitHub,
                   "%0Awrite at kernel <a>.cpp:3, for example called at caller.cpp:30, called at main.cpp:4\n"));
}
