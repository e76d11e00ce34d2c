#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>

#include "tests/tidy/source_files.h"

namespace heddle::tidy {
namespace {

constexpr int kMostLinesOfFile = 600;
constexpr int kMostLinesOfFunction = 70;

// How many parentheses the line opens, less those that it closes; those in strings and characters do not count.
int depth(const std::string& line) {
  static const std::regex literal(R"("(\\.|[^"\\])*"|'(\\.|[^'\\])')");
  const std::string code = std::regex_replace(line, literal, "");
  return static_cast<int>(std::count(code.begin(), code.end(), '(') - std::count(code.begin(), code.end(), ')'));
}

std::size_t indentation(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

bool opens_a_block_that_is_no_function(const std::string& line) {
  static const std::regex words(
      R"(^\s*(if|for|while|switch|else|do|namespace|struct|class|enum|union|return|try|catch|extern)\b)");
  return std::regex_search(line, words);
}

// The line on which the definition begins whose body `{` opens at the end of a line, or -1 if that line opens none.
// Definitions stand at most two spaces in: below a namespace or a class.
int beginning_of_function(const std::vector<std::string>& lines, int brace) {
  const std::string& line = lines[static_cast<std::size_t>(brace)];
  if (line.empty() || line.back() != '{' || line.find(')') == std::string::npos) return -1;
  int begin = brace;
  for (int open = depth(line); open < 0 && begin > 0;) open += depth(lines[static_cast<std::size_t>(--begin)]);
  const std::string& first = lines[static_cast<std::size_t>(begin)];
  if (indentation(first) > 2 || opens_a_block_that_is_no_function(first)) return -1;
  return begin;
}

int longest_function(const std::vector<std::string>& lines) {
  int longest = 0;
  for (int brace = 0; brace < static_cast<int>(lines.size()); ++brace) {
    const int begin = beginning_of_function(lines, brace);
    if (begin < 0) continue;
    const std::string closing = std::string(indentation(lines[static_cast<std::size_t>(begin)]), ' ') + "}";
    int end = brace + 1;
    while (end < static_cast<int>(lines.size()) && lines[static_cast<std::size_t>(end)].rfind(closing, 0) != 0) ++end;
    longest = std::max(longest, end - begin + 1);
  }
  return longest;
}

}  // namespace

TEST_CASE("no file has more than 600 lines") {
  std::map<std::string, int> long_files;
  for (const SourceFile& file : source_files())
    if (const int size = static_cast<int>(file.lines.size()); size > kMostLinesOfFile) long_files[file.path] = size;
  const auto sentences = beyond_exceptions("file-lines", long_files);
  INFO(joined(sentences));
  CHECK(sentences.empty());
}

TEST_CASE("no function has more than 70 lines") {
  std::map<std::string, int> long_functions;
  for (const SourceFile& file : source_files())
    if (const int size = longest_function(file.lines); size > kMostLinesOfFunction) long_functions[file.path] = size;
  const auto sentences = beyond_exceptions("function-lines", long_functions);
  INFO(joined(sentences));
  CHECK(sentences.empty());
}

TEST_CASE("the rule of 70 lines sees a function whose arguments stand on several lines") {
  std::vector<std::string> lines = {"int sum(int a,", "        int b) {"};
  lines.insert(lines.end(), 80, "  a += b;");
  lines.push_back("}");
  CHECK(longest_function(lines) == 83);
}

TEST_CASE("the rule of 70 lines takes a parenthesis in a character for none of the code") {
  std::vector<std::string> lines = {"int first() {", "  return 1;", "}"};
  lines.insert(lines.end(), 80, "int more = 1;");
  lines.insert(lines.end(), {"int last() {", "  if (next() == ')') {", "  }", "  while (next() != ')') {", "  }", "}"});
  CHECK(longest_function(lines) == 6);
}

}  // namespace heddle::tidy
