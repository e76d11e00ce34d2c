#include <catch2/catch.hpp>

#include <regex>
#include <sstream>

#include "tests/tidy/source_files.h"

namespace heddle::tidy {
namespace {

// The table in CONTRIBUTING.md: each directory with the directories whose headers it may include. A directory that may
// use everything (tests/ may) is left out.
std::map<std::string, std::set<std::string>> rooms() {
  static const std::regex row(R"(^\| `([a-z_/]+)/` \|[^|]*\|([^|]*)\|\s*$)");
  static const std::regex word(R"(`([a-z_/]+)/`)");
  std::map<std::string, std::set<std::string>> result;
  for (const std::string& line : lines_of(project_root() / "CONTRIBUTING.md")) {
    std::smatch found;
    if (!std::regex_match(line, found, row)) continue;
    const std::string list = found[2];
    if (list.find("everything") != std::string::npos) continue;
    auto& allowed = result[found[1]];
    for (std::sregex_iterator next(list.begin(), list.end(), word), end; next != end; ++next)
      allowed.insert((*next)[1]);
  }
  return result;
}

// The longest directory of the table in which a path lies; empty if it lies in none.
std::string room_of(const std::string& path, const std::map<std::string, std::set<std::string>>& table) {
  std::string best;
  for (const auto& [room, allowed] : table)
    if (path.rfind(room + "/", 0) == 0 && room.size() > best.size()) best = room;
  return best;
}

std::string included_path(const std::string& line) {
  static const std::regex include(R"(^\s*#include ["<]([^">]+)[">])");
  std::smatch found;
  if (!std::regex_search(line, found, include)) return "";
  const std::string path = found[1];
  return path.rfind("heddle/", 0) == 0 ? "include/" + path : path;
}

}  // namespace

TEST_CASE("a room includes only headers of the rooms that CONTRIBUTING.md lets it use") {
  const auto table = rooms();
  REQUIRE(table.size() >= 10);
  std::vector<std::string> sentences;
  for (const SourceFile& file : source_files()) {
    const std::string room = room_of(file.path, table);
    if (room.empty()) continue;
    for (std::size_t line = 0; line < file.lines.size(); ++line) {
      const std::string other = room_of(included_path(file.lines[line]), table);
      if (other.empty() || other == room || table.at(room).count(other) == 1) continue;
      sentences.push_back(file.path + ":" + std::to_string(line + 1) + " includes a header of " + other +
                          "/, which the table in CONTRIBUTING.md does not let " + room + "/ use");
    }
  }
  INFO(joined(sentences));
  CHECK(sentences.empty());
}

TEST_CASE("every directory with sources of heddle stands in the table of CONTRIBUTING.md") {
  const auto table = rooms();
  std::set<std::string> missing;
  for (const SourceFile& file : source_files())
    for (const char* top : {"runtime/", "include/", "emulator/"})
      if (file.path.rfind(top, 0) == 0 && room_of(file.path, table).empty())
        missing.insert(std::filesystem::path(file.path).parent_path().generic_string());
  std::string text;
  for (const std::string& directory : missing) text += directory + " ";
  INFO(text);
  CHECK(missing.empty());
}

}  // namespace heddle::tidy
