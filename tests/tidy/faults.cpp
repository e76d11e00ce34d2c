#include <catch2/catch.hpp>

#include <regex>
#include <stdexcept>

#include "tests/tidy/source_files.h"

namespace heddle::tidy {
namespace {

namespace fs = std::filesystem;

/// A line of tests/faults.txt.
struct Fault {
  std::string program;
  std::string title;
};

std::vector<Fault> faults(const std::vector<std::string>& lines) {
  std::vector<Fault> out;
  for (const std::string& line : lines) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) throw std::runtime_error("tests/faults.txt: no \": \" in \"" + line + "\"");
    out.push_back({line.substr(0, colon), line.substr(colon + 2)});
  }
  return out;
}

std::string text_of(const fs::path& file) {
  std::string text;
  for (const std::string& line : lines_of(file)) text += line + "\n";
  return text;
}

/// The titles of the test cases of a C++ file, each of one string or of several beside each other.
std::set<std::string> titles_of(const std::string& text) {
  static const std::regex kCase(R"re(\bTEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+))re");
  static const std::regex kPart(R"re("((?:[^"\\]|\\.)*)")re");
  std::set<std::string> titles;
  for (std::sregex_iterator at(text.begin(), text.end(), kCase), end; at != end; ++at) {
    const std::string parts = (*at)[1];
    std::string title;
    for (std::sregex_iterator part(parts.begin(), parts.end(), kPart); part != end; ++part) title += (*part)[1];
    titles.insert(title);
  }
  return titles;
}

/// The titles of what CMake adds as tests, as they stand in a CMakeLists.txt, with its variables.
std::set<std::string> titles_of_cmake(const std::string& text) {
  static const std::regex kTest(R"re(add_test\(\s*NAME "([^"]*)")re");
  std::set<std::string> titles;
  for (std::sregex_iterator at(text.begin(), text.end(), kTest), end; at != end; ++at) titles.insert((*at)[1]);
  return titles;
}

std::set<std::string> titles_of_project() {
  std::set<std::string> titles;
  for (const auto& entry : fs::recursive_directory_iterator(project_root() / "tests")) {
    const fs::path& file = entry.path();
    if (file.extension() == ".cpp") titles.merge(titles_of(text_of(file)));
    if (file.filename() == "CMakeLists.txt") titles.merge(titles_of_cmake(text_of(file)));
  }
  for (const std::string& line : lines_of(project_root() / "tests/kernel/mistakes/mistakes.txt"))
    if (line.rfind("# ", 0) == 0) titles.insert(line.substr(2));
  return titles;
}

std::vector<std::string> without_a_test(const std::vector<Fault>& faults, const std::set<std::string>& titles) {
  std::vector<std::string> sentences;
  for (const Fault& fault : faults)
    if (titles.count(fault.title) == 0)
      sentences.push_back("tests/faults.txt, " + fault.program + ": no test is called \"" + fault.title + "\"");
  return sentences;
}

}  // namespace

TEST_CASE("each program that showed a fault has a test, which exists") {
  const std::vector<Fault> all = faults(lines_of(project_root() / "tests/faults.txt"));
  REQUIRE(all.size() >= 70);
  const std::vector<std::string> sentences = without_a_test(all, titles_of_project());
  INFO(joined(sentences));
  CHECK(sentences.empty());
}

TEST_CASE("the test of faults sees a title in one part, in two and of CMake, and a title that is none") {
  const std::set<std::string> titles =
      titles_of("TEST_CASE(\"a b\") {\nTEST_CASE(\n    \"c \"\n    \"d\", \"[nightly]\") {");
  CHECK(titles == std::set<std::string>{"a b", "c d"});
  CHECK(titles_of_cmake("  add_test(NAME \"e: ${f}\"\n  COMMAND g)") == std::set<std::string>{"e: ${f}"});
  CHECK(without_a_test(faults({"# of h", "", "h: a b", "h: c d"}), titles).empty());
  CHECK(without_a_test(faults({"h: a"}), titles).size() == 1);
  CHECK_THROWS(faults({"h"}));
}

}  // namespace heddle::tidy
