#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/tidy/source_files.h"

namespace heddle::tidy {
namespace {

constexpr int kMostWordsOfReadme = 600;

/// All files that end in .md, at the project's root and in the folders of its sources.
std::vector<std::filesystem::path> pages() {
  std::vector<std::filesystem::path> out;
  const auto note = [&](const std::filesystem::path& file) {
    if (file.extension() == ".md") out.push_back(file);
  };
  for (const auto& entry : std::filesystem::directory_iterator(project_root())) note(entry.path());
  for (const char* folder : {"runtime", "include", "emulator", "tests", "benchmarks", "samples"})
    for (std::filesystem::recursive_directory_iterator entry(project_root() / folder), end; entry != end; ++entry) {
      // What npm installs for the page is not the project's own.
      if (entry->path().filename() == "node_modules") entry.disable_recursion_pending();
      note(entry->path());
    }
  std::sort(out.begin(), out.end());
  return out;
}

int words(const std::vector<std::string>& lines) {
  int count = 0;
  for (const std::string& line : lines) {
    std::istringstream rest(line);
    for (std::string word; rest >> word;) ++count;
  }
  return count;
}

/// Where the links of a page lead that name a file, without code.
std::vector<std::string> links(const std::vector<std::string>& lines) {
  static const std::regex code("`[^`]*`");
  static const std::regex link(R"(\]\(([^)#\s]+)(#[^)]*)?\))");
  std::vector<std::string> out;
  bool in_block = false;
  for (const std::string& line : lines) {
    if (line.rfind("```", 0) == 0) in_block = !in_block;
    if (in_block || line.rfind("    ", 0) == 0) continue;
    const std::string text = std::regex_replace(line, code, "");
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const std::string target = (*at)[1];
      if (target.find("://") == std::string::npos) out.push_back(target);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("no README has more than 600 words") {
  for (const auto& page : pages()) {
    if (page.filename() != "README.md") continue;
    INFO(page.lexically_relative(project_root()).string() << ": details have pages of their own");
    CHECK(words(lines_of(page)) <= kMostWordsOfReadme);
  }
}

TEST_CASE("every link of a page to a file of the project leads to one") {
  for (const auto& page : pages())
    for (const std::string& target : links(lines_of(page))) {
      INFO(page.lexically_relative(project_root()).string() << " links to " << target);
      CHECK(std::filesystem::exists(page.parent_path() / target));
    }
}

TEST_CASE("the test of links sees a link in a sentence, and none in code") {
  CHECK(links({"see [mu](mu/README.md#files), `[a](b)`", "    [c](d)", "```", "[e](f)", "```", "[g](https://h.org)"}) ==
        std::vector<std::string>{"mu/README.md"});
}

}  // namespace heddle::tidy
