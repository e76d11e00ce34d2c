#pragma once

/// \file
/// The clauses of a specification that comments in code and tests cite, held against the list of all clauses and
/// against the table in a README.

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace heddle::test {

/// One specification, and where it is cited. Paths begin at the project's own folder.
class Clauses {
 public:
  struct Sources {
    /// The clauses, one a line; behind a '|' the reason why one has no code.
    std::string list;
    /// The specification's name in citations: "vk".
    std::string mark;
    /// The folders whose citations the table has.
    std::vector<std::string> directories;
    /// What the table calls a clause.
    std::string word;
    /// The page with the table.
    std::string readme;
  };
  explicit Clauses(Sources sources) : sources_(std::move(sources)) {}

  /// Checks that each clause has code and a test, or a reason.
  void each_is_cited() const {
    const Citations cited = citations(sources_.directories);
    for (const Clause& clause : clauses()) {
      INFO(clause.name);
      const bool excepted = !clause.exception.empty();
      CHECK((cited.code.count(clause.name) == 1 || excepted));
      CHECK((cited.tests.count(clause.name) == 1 || excepted));
    }
  }
  /// Checks that the whole project cites no other clause.
  void no_other_is_cited() const {
    std::set<std::string> known;
    for (const Clause& clause : clauses()) known.insert(clause.name);
    const Citations cited = citations({"include", "emulator", "runtime", "tests"});
    for (const auto* list : {&cited.code, &cited.tests})
      for (const auto& [clause, files] : *list) {
        INFO(clause << " in " << cell(files));
        CHECK(known.count(clause) == 1);
      }
  }
  /// Checks that the page's table is what the sources say.
  void table_is_true() const {
    std::ifstream file(root() / sources_.readme);
    std::stringstream readme;
    readme << file.rdbuf();
    INFO("the table should be:\n" << table());
    CHECK(readme.str().find(table()) != std::string::npos);
  }

 private:
  struct Clause {
    std::string name;
    std::string exception;
  };
  struct Citations {
    std::map<std::string, std::set<std::string>> code;
    std::map<std::string, std::set<std::string>> tests;
  };

  static std::filesystem::path root() { return HEDDLE_SOURCE_DIR; }
  static std::string trimmed(const std::string& text) {
    const auto begin = text.find_first_not_of(' ');
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
  }

  std::vector<Clause> clauses() const {
    std::ifstream file(root() / sources_.list);
    std::vector<Clause> all;
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      const auto bar = line.find('|');
      all.push_back({trimmed(line.substr(0, bar)), bar == std::string::npos ? "" : trimmed(line.substr(bar + 1))});
    }
    return all;
  }

  void cite(const std::filesystem::path& path, Citations& citations) const {
    // In two parts, so that this line is no citation.
    const std::string mark = std::string("//= ") + sources_.mark + ':';
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
      const auto at = line.find(mark);
      if (at == std::string::npos) continue;
      std::istringstream words(line.substr(at + mark.size()));
      std::string clause, type;
      words >> clause >> type;
      auto& list = type == "type=test" ? citations.tests : citations.code;
      list[clause].insert(std::filesystem::relative(path, root()).generic_string());
    }
  }
  Citations citations(const std::vector<std::string>& directories) const {
    Citations all;
    for (const std::string& directory : directories) {
      if (!std::filesystem::exists(root() / directory)) continue;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(root() / directory)) {
        const auto extension = entry.path().extension();
        if (extension == ".h" || extension == ".cpp") cite(entry.path(), all);
      }
    }
    return all;
  }

  /// Definitions, and declarations where there is no definition.
  static std::set<std::string> definitions(const std::set<std::string>& files) {
    std::set<std::string> result;
    for (const std::string& file : files)
      if (std::filesystem::path(file).extension() == ".cpp") result.insert(file);
    return result.empty() ? files : result;
  }
  static std::string cell(const std::set<std::string>& files) {
    std::string text;
    for (const std::string& file : files) text += (text.empty() ? "`" : ", `") + file + "`";
    return text;
  }
  std::string table() const {
    const Citations cited = citations(sources_.directories);
    const auto files = [](const auto& map, const std::string& clause) {
      const auto found = map.find(clause);
      return found == map.end() ? std::set<std::string>{} : found->second;
    };
    std::string text = "| " + sources_.word + " | code | tests |\n| --- | --- | --- |\n";
    for (const Clause& clause : clauses()) {
      const std::string code = cell(definitions(files(cited.code, clause.name)));
      text += "| `" + clause.name + "` | " + (code.empty() ? clause.exception : code) + " | " +
              cell(files(cited.tests, clause.name)) + " |\n";
    }
    return text;
  }

  Sources sources_;
};

}  // namespace heddle::test
