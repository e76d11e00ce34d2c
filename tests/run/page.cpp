#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace heddle::toy {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(std::string(HEDDLE_SOURCE_DIR) + "/" + path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// The lines without the blanks that they begin with: an example may stand in a class.
std::string without_indents(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);)
    out += line.substr(std::min(line.find_first_not_of(' '), line.size())) + '\n';
  return out;
}

std::vector<std::string> examples_of(const std::string& page) {
  const std::string opening = "```cpp\n";
  std::vector<std::string> examples;
  for (std::size_t at = page.find(opening); at != std::string::npos; at = page.find(opening, at)) {
    at += opening.size();
    const std::size_t end = page.find("```", at);
    examples.push_back(page.substr(at, end - at));
    at = end;
  }
  return examples;
}

}  // namespace

TEST_CASE("each example of FRONT_ENDS.md stands in the toy front end, which compiles") {
  const std::string sources = without_indents(bytes_of("tests/run/toy.cpp") + bytes_of("tests/run/front_end.cpp"));
  const std::vector<std::string> examples = examples_of(bytes_of("emulator/FRONT_ENDS.md"));
  CHECK(examples.size() >= 6);
  for (const std::string& example : examples) {
    INFO(example);
    CHECK(sources.find(without_indents(example)) != std::string::npos);
  }
}

}  // namespace heddle::toy
