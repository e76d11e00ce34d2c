// Names, paths and messages are bytes: whatever they are, each format is what its readers take.
#include <libxml/parser.h>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <heddle/report.h>

#include <algorithm>
#include <deque>
#include <random>
#include <sstream>
#include <string>

#include "emulator/report/records.h"
#include "emulator/report/source_text.h"
#include "tests/outside_text.h"

using namespace heddle;

namespace {

constexpr int kReports = 300;

/// A report of texts from outside, or of plain ones: the same one otherwise. Paths and functions are its own.
class RandomReport {
 public:
  explicit RandomReport(std::uint32_t seed, bool plain = false) : random_(seed), plain_(plain) {}

  DataRace race() {
    DataRace race;
    for (RacingAccess* access : {&race.first, &race.second}) {
      access->operation = "write" + text();
      access->where = place();
      access->read = text();
      access->calls = {{place()}};
    }
    race.object = text();
    race.other_objects = {{text(), 1}};
    race.count = 2;
    race.member = text();
    race.reason = text();
    race.missing = text();
    race.changes = {text(), text()};
    race.no_change = text();
    race.replay = text();
    return race;
  }

  RaceReport report() {
    RaceReport report;
    report.races = {race()};
    report.races[0].related = {race()};
    report.notices = {race()};
    report.notices[0].same_value = true;
    report.suppressed = {race()};
    report.suppressed[0].excuse = "because" + text();
    report.advised = true;
    report.advice = {{text(), place(), text(), 1}};
    report.remarks = {text()};
    report.runs = 1;
    return report;
  }

 private:
  std::string text() {
    std::string text = text_from_outside(random_);
    return plain_ ? "text" : text;
  }
  SourceLocation place() { return {kept(text()), kept(text()), static_cast<std::uint32_t>(1 + random_() % 9)}; }
  const char* kept(std::string text) { return texts_.emplace_back("no/such/" + std::move(text)).c_str(); }

  std::mt19937 random_;
  bool plain_;
  std::deque<std::string> texts_;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool is_well_formed(const std::string& xml) {
  xmlDoc* const document = xmlReadMemory(xml.data(), static_cast<int>(xml.size()), "report.xml", nullptr,
                                         XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  xmlFreeDoc(document);
  return document != nullptr;
}

// RFC 3986, without a scheme.
bool is_uri_path(const std::string& uri) {
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '%') {
      if (uri.find_first_not_of("0123456789ABCDEF", i + 1) < i + 3) return false;
    } else if (std::isalnum(static_cast<unsigned char>(uri[i])) == 0 &&
               std::string_view("-._~/").find(uri[i]) == std::string_view::npos) {
      return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a check of XML that takes control characters would check nothing here") {
  CHECK(is_well_formed("<a b=\"&quot;\">größe</a>"));
  CHECK_FALSE(is_well_formed("<a>\x1b</a>"));
  CHECK_FALSE(is_well_formed("<a>&#27;</a>"));
  CHECK_FALSE(is_well_formed("<a>gr\xf6\xdf</a>"));
}

TEST_CASE("whatever names, paths and messages are, a report in JSON is an object a line") {
  for (int seed = 0; seed < kReports; ++seed) {
    const std::string text = to_text(RandomReport(seed).report(), ReportFormat::Json);
    CHECK(is_plain(text));
    const std::vector<std::string> lines = lines_of(text);
    CHECK(lines.size() == 6);
    for (const std::string& line : lines) CHECK(nlohmann::json::parse(line).is_object());
  }
}

TEST_CASE("whatever names, paths and messages are, a report in SARIF is JSON whose paths are references") {
  for (int seed = 0; seed < kReports; ++seed) {
    const std::string text = to_text(RandomReport(seed).report(), ReportFormat::Sarif);
    CHECK(is_plain(text));
    const nlohmann::json sarif = nlohmann::json::parse(text);
    for (const auto& result : sarif.at("runs").at(0).at("results")) {
      const auto& location = result.at("locations").at(0).at("physicalLocation").at("artifactLocation");
      CHECK(is_uri_path(location.at("uri").get<std::string>()));
    }
  }
}

TEST_CASE("whatever names, paths and messages are, a report for JUnit is well-formed XML") {
  for (int seed = 0; seed < kReports; ++seed) {
    const std::string text = to_text(RandomReport(seed).report(), ReportFormat::JUnit);
    CAPTURE(text);
    CHECK(is_plain(text));
    CHECK(is_well_formed(text));
  }
}

TEST_CASE("whatever names, paths and messages are, a report for GitHub has a command a line, and no other commands") {
  for (int seed = 0; seed < kReports; ++seed) {
    const std::string text = to_text(RandomReport(seed).report(), ReportFormat::GitHub);
    CHECK(is_plain(text));
    const std::vector<std::string> lines = lines_of(text);
    CHECK(lines.size() == 6);
    for (const std::string& line : lines)
      CHECK((line.rfind("::error ", 0) == 0 || line.rfind("::notice ", 0) == 0 || line.rfind("::warning ", 0) == 0));
  }
}

TEST_CASE(
    "whatever names, paths and messages are, a terminal gets no escape that heddle does not make, and no more lines") {
  for (int seed = 0; seed < kReports; ++seed) {
    RandomReport outside(seed);
    RaceReport report = outside.report();
    // A remark may have several lines.
    report.remarks.clear();
    CHECK(is_plain(to_text(report, ReportFormat::Text)));
    RandomReport named(seed, true);
    RaceReport plain = named.report();
    plain.remarks.clear();
    const std::string coloured = to_text(report, ReportFormat::ColouredText);
    const std::string coloured_plain = to_text(plain, ReportFormat::ColouredText);
    CHECK(text::is_utf8(coloured));
    CHECK(std::count(coloured.begin(), coloured.end(), '\x1b') ==
          std::count(coloured_plain.begin(), coloured_plain.end(), '\x1b'));
    CHECK(std::count(coloured.begin(), coloured.end(), '\r') == 0);
  }
}

TEST_CASE("a name that is not UTF-8 is the same in every format") {
  RandomReport named(1, true);
  DataRace race = named.race();
  race.object =
      "gr\xf6\xdf"
      "e";
  for (const ReportFormat format :
       {ReportFormat::Text, ReportFormat::ColouredText, ReportFormat::JUnit, ReportFormat::GitHub})
    CHECK(to_text({race}, format).find("gr\\xf6\\xdfe") != std::string::npos);
  // There a backslash is written as two.
  for (const ReportFormat format : {ReportFormat::Json, ReportFormat::Sarif})
    CHECK(to_text({race}, format).find("gr\\\\xf6\\\\xdfe") != std::string::npos);
}

TEST_CASE("a record of a run has every byte of what it tells, on one line") {
  for (int seed = 0; seed < kReports; ++seed) {
    RandomReport outside(seed);
    const DataRace race = outside.race();
    const std::string text = report::record(1, race) + report::record(1, report::Remark{race.reason});
    CHECK(std::count(text.begin(), text.end(), '\n') == 2);
    report::Collector collector;
    report::read_records(text, collector);
    report::Suppressions none;
    const RaceReport read = collector.report(none);
    REQUIRE(read.races.size() == 1);
    const DataRace& again = read.races[0];
    CHECK(again.object == race.object);
    CHECK(again.reason == race.reason);
    CHECK(again.changes == race.changes);
    CHECK(again.replay == race.replay);
    CHECK(std::string(again.first.where.file) == race.first.where.file);
    CHECK(std::string(again.second.calls[0][0].file) == race.second.calls[0][0].file);
    CHECK(read.remarks == std::vector<std::string>{race.reason});
  }
}
