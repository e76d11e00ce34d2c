#include "tests/litmus/expectation.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace heddle::litmus {
namespace {

Expectation parse_expectation(const std::string& path, const std::string& text, const std::string& outcomes) {
  Expectation out;
  bool said_holds = false;
  bool said_racy = false;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "holds" || word == "fails") {
      out.holds = word == "holds";
      said_holds = true;
    } else if (word == "racy" || word == "race-free") {
      out.racy = word == "racy";
      said_racy = true;
    } else if (word == "freed-early") {
      out.freed_early = true;
    } else if (word.rfind("executions=", 0) == 0) {
      out.executions = std::stoull(word.substr(11));
    } else {
      throw std::runtime_error(path + ": what is '" + word + "' to expect?");
    }
  }
  if (!said_holds || !said_racy) throw std::runtime_error(path + ": expects nothing");
  std::istringstream rows(outcomes);
  for (std::string row; std::getline(rows, row, '|');) {
    const std::size_t begin = row.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    out.outcomes.insert(row.substr(begin, row.find_last_not_of(' ') - begin + 1));
  }
  return out;
}

/// The lines `"key: value"` before the first brace.
std::map<std::string, std::string> header_lines(const std::string& source) {
  std::map<std::string, std::string> out;
  std::istringstream lines(source.substr(0, source.find('{')));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (line.size() < 2 || line.front() != '"' || line.back() != '"' || colon == std::string::npos) {
      continue;
    }
    out[line.substr(1, colon - 1)] = line.substr(colon + 2, line.size() - colon - 3);
  }
  return out;
}

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  if (!in) throw std::runtime_error(path + ": cannot be read");
  return out.str();
}

LibraryFile read_library_file(const std::string& path) {
  LibraryFile out;
  out.path = path;
  out.name = std::filesystem::path(path).stem().string();
  out.source = read_text(path);
  out.notes = header_lines(out.source);
  out.with_chains = parse_expectation(path, out.notes["expect"], out.notes["outcomes"]);
  out.without_chains =
      out.notes.count("expect without chains") == 0
          ? out.with_chains
          : parse_expectation(path, out.notes["expect without chains"], out.notes["outcomes without chains"]);
  return out;
}

std::vector<LibraryFile> read_library() {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/library")) {
    if (entry.path().extension() == ".litmus") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<LibraryFile> out;
  for (const std::string& path : paths) out.push_back(read_library_file(path));
  return out;
}

}  // namespace heddle::litmus
