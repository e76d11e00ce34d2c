#pragma once

/// \file
/// What came of test programs, as lines of JSON and in the formats of people and of continuous integration.

#include <heddle/report.h>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace heddle::cli {

/// A report is a list of objects, each of one "kind": "program", "test", "search" or "missing".
class TestReport {
 public:
  using Json = nlohmann::ordered_json;

  void add(Json line) { lines_.push_back(std::move(line)); }
  const std::vector<Json>& lines() const { return lines_; }

  /// Whether there was a test of a framework, or a search.
  bool has_tested() const { return !of_kind("test").empty() || !of_kind("search").empty(); }
  /// Tests and programs that failed, and races that no test asks for.
  std::size_t findings() const;
  /// Searches that have not tried all the seeds of this run: the time was up, or a trial failed.
  bool lacks_seeds() const;
  std::string text(ReportFormat format) const;

 private:
  std::vector<const Json*> of_kind(const std::string& kind) const;
  std::vector<const Json*> failed(const std::string& kind) const;
  /// Each pair of lines that races once, whatever test showed it.
  RaceReport races() const;
  std::string summary() const;
  std::string people_text(bool coloured) const;
  std::string json_text() const;
  std::string junit_text() const;
  std::string sarif_text() const;
  std::string github_text() const;

  std::vector<Json> lines_;
};

/// One report of those in these files, which `--format json` wrote: each search once, with the seeds of all, and a line
/// for each whose seeds are not all there. Throws std::runtime_error, which names the file and line, for what is none.
TestReport merged(const std::vector<std::string>& files);

}  // namespace heddle::cli
