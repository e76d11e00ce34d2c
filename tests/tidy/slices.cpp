#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/tidy/source_files.h"

namespace heddle::tidy {
namespace {

/// What tests/slices.txt says of one preset.
struct Preset {
  std::set<std::string> in_slices;
  /// Programs, and why they are left out.
  std::map<std::string, std::string> left_out;
};

/// By the name of the preset.
std::map<std::string, Preset> presets(const std::vector<std::string>& lines) {
  std::map<std::string, Preset> result;
  for (const std::string& line : lines) {
    std::istringstream words(line);
    std::string of, room, word;
    // A test that is never run is none of a slice.
    if (!(words >> of >> room) || of[0] == '#' || of == "never") continue;
    const bool without = of == "without";
    std::istringstream names(without ? room : of);
    std::set<std::string> programs;
    std::string reason;
    while (words >> word)
      if (without && !programs.empty())
        reason += word + " ";
      else if (word.find('=') == std::string::npos)
        for (std::istringstream list(word); std::getline(list, word, ',');) programs.insert(word);
    for (std::string name; std::getline(names, name, ',');)
      for (const std::string& program : programs)
        if (without)
          result[name].left_out[program] = reason;
        else
          result[name].in_slices.insert(program);
  }
  return result;
}

/// The programs that a CMakeLists.txt makes with this function.
std::set<std::string> programs_of(const std::vector<std::string>& lines, const std::string& function) {
  std::set<std::string> programs;
  const std::regex call("^ *" + function + R"(\((\w+))");
  for (const std::string& line : lines) {
    std::smatch found;
    if (std::regex_search(line, found, call) && found[1] != "name") programs.insert(found[1]);
  }
  return programs;
}

std::set<std::string> programs_of_project(const std::string& function) {
  std::set<std::string> programs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(project_root() / "tests"))
    if (entry.path().filename() == "CMakeLists.txt") programs.merge(programs_of(lines_of(entry.path()), function));
  return programs;
}

/// One sentence for each program that is neither in a slice of the preset nor left out with a reason, or is both.
std::vector<std::string> forgotten(const std::string& name, const Preset& preset,
                                   const std::set<std::string>& programs) {
  std::vector<std::string> sentences;
  for (const std::string& program : programs) {
    const auto left_out = preset.left_out.find(program);
    const bool in_slice = preset.in_slices.count(program) != 0;
    if (!in_slice && left_out == preset.left_out.end())
      sentences.push_back(program + " is in no slice of " + name + " (tests/slices.txt)");
    if (in_slice && left_out != preset.left_out.end())
      sentences.push_back(program + " is left out of " + name + ", and in a slice (tests/slices.txt)");
    if (left_out != preset.left_out.end() && left_out->second.empty())
      sentences.push_back(program + " is left out of " + name + " without a reason (tests/slices.txt)");
  }
  return sentences;
}

}  // namespace

TEST_CASE("every test program is in a slice of each preset, or left out with a reason") {
  const auto all = presets(lines_of(project_root() / "tests/slices.txt"));
  const auto programs = programs_of_project("heddle_test");
  REQUIRE(programs.size() >= 50);
  std::vector<std::string> sentences;
  for (const char* name : {"asan", "tsan", "clang", "aarch64"})
    for (const std::string& sentence : forgotten(name, all.at(name), programs)) sentences.push_back(sentence);
  for (const std::string& sentence : forgotten("fuzz", all.at("fuzz"), programs_of_project("heddle_fuzz_test")))
    sentences.push_back(sentence);
  INFO(joined(sentences));
  CHECK(sentences.empty());
}

TEST_CASE("slices name programs that are there") {
  std::set<std::string> programs = programs_of_project("heddle_test");
  for (const char* function : {"heddle_fuzz_test", "add_executable"}) programs.merge(programs_of_project(function));
  for (const auto& [name, preset] : presets(lines_of(project_root() / "tests/slices.txt"))) {
    std::set<std::string> named = preset.in_slices;
    for (const auto& [program, reason] : preset.left_out) named.insert(program);
    for (const std::string& program : named) {
      INFO("tests/slices.txt, " << name << ": no test program is called " << program);
      CHECK(programs.count(program) == 1);
    }
  }
}

TEST_CASE("the test of slices sees a program that is in none, one that has no reason and one that is in and out") {
  const std::set<std::string> programs = {"a_tests", "b_tests"};
  const auto sentences = [&](const std::vector<std::string>& lines) {
    const auto all = presets(lines);
    return forgotten("asan", all.count("asan") ? all.at("asan") : Preset{}, programs).size();
  };
  CHECK(sentences({"# slices", "", "asan,tsan room a_tests b_tests COUNT=1"}) == 0);
  CHECK(sentences({"asan room a_tests COUNT=1", "tsan room b_tests"}) == 1);
  CHECK(sentences({"tsan,asan room a_tests", "without tsan,asan b_tests,c_tests it waits for a debugger"}) == 0);
  CHECK(sentences({"asan room a_tests", "without asan b_tests"}) == 1);
  CHECK(sentences({"asan room a_tests b_tests", "without asan b_tests it waits for a debugger"}) == 1);
  CHECK(programs_of({"heddle_test(a_test SOURCES x.cpp)", "  heddle_test(b_test NIGHTLY", "# heddle_test(name"},
                    "heddle_test") == std::set<std::string>{"a_test", "b_test"});
}

}  // namespace heddle::tidy
