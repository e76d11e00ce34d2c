#include "tests/tidy/source_files.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace heddle::tidy {

namespace fs = std::filesystem;

fs::path project_root() {
  return HEDDLE_SOURCE_DIR;
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

namespace {

std::vector<SourceFile> read_all() {
  std::vector<SourceFile> files;
  for (const char* top : {"runtime", "include", "emulator", "tests", "benchmarks", "samples"})
    for (fs::recursive_directory_iterator entry(project_root() / top), end; entry != end; ++entry) {
      // What npm installs for the page is not the project's own.
      if (entry->path().filename() == "node_modules") entry.disable_recursion_pending();
      const auto extension = entry->path().extension();
      if (!entry->is_regular_file() || (extension != ".h" && extension != ".cpp")) continue;
      files.push_back({fs::relative(entry->path(), project_root()).generic_string(), lines_of(entry->path())});
    }
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return files;
}

}  // namespace

const std::vector<SourceFile>& source_files() {
  static const std::vector<SourceFile> files = read_all();
  return files;
}

std::map<std::string, int> exceptions(const std::string& rule) {
  std::map<std::string, int> result;
  for (const std::string& line : lines_of(project_root() / "tests/tidy/exceptions.txt")) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string of_rule, path;
    int size = 0;
    if (!(words >> of_rule >> path >> size)) throw std::runtime_error("exceptions.txt: cannot read \"" + line + "\"");
    if (of_rule == rule) result[path] = size;
  }
  return result;
}

std::vector<std::string> beyond_exceptions(const std::string& rule, const std::map<std::string, int>& findings) {
  const auto allowed = exceptions(rule);
  std::vector<std::string> sentences;
  for (const auto& [path, size] : findings) {
    const auto exception = allowed.find(path);
    if (exception == allowed.end())
      sentences.push_back(rule + " " + path + " " + std::to_string(size) + " breaks the rule");
    else if (size > exception->second)
      sentences.push_back(rule + " " + path + " " + std::to_string(size) + " grew; " +
                          std::to_string(exception->second) + " is allowed");
  }
  for (const auto& [path, size] : allowed)
    if (findings.count(path) == 0)
      sentences.push_back(rule + " " + path + " is no longer needed in tests/tidy/exceptions.txt: take it out");
  return sentences;
}

std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += sentence + "\n";
  return text;
}

}  // namespace heddle::tidy
