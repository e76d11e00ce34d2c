#include <catch2/catch.hpp>

#include <regex>

#include "tests/tidy/source_files.h"

namespace heddle::tidy {
namespace {

bool is_header(const SourceFile& file) {
  return file.path.size() > 2 && file.path.rfind(".h") == file.path.size() - 2;
}

bool tells_what_it_is_for(const SourceFile& file) {
  for (std::size_t line = 0; line < file.lines.size() && line < 5; ++line)
    if (file.lines[line].find("\\file") != std::string::npos) return true;
  return false;
}

// How many comments begin with words that only the comment above explains.
int leaning_comments(const SourceFile& file) {
  static const std::regex leaning(R"(^\s*//[/!]?<? (The same\b|As `|Of |That of\b))");
  static const std::regex comment(R"(^\s*//)");
  int count = 0;
  for (std::size_t line = 0; line < file.lines.size(); ++line)
    if (std::regex_search(file.lines[line], leaning) &&
        (line == 0 || !std::regex_search(file.lines[line - 1], comment)))
      ++count;
  return count;
}

}  // namespace

TEST_CASE("every header opens with \\file and says what it is for") {
  std::map<std::string, int> silent;
  for (const SourceFile& file : source_files())
    if (is_header(file) && !tells_what_it_is_for(file)) silent[file.path] = 0;
  const auto sentences = beyond_exceptions("header-purpose", silent);
  INFO(joined(sentences));
  CHECK(sentences.empty());
}

TEST_CASE("no comment opens with words that only its neighbour explains") {
  std::map<std::string, int> leaning;
  for (const SourceFile& file : source_files())
    if (const int count = leaning_comments(file); count > 0) leaning[file.path] = count;
  const auto sentences = beyond_exceptions("leaning-comment", leaning);
  INFO(joined(sentences));
  CHECK(sentences.empty());
}

}  // namespace heddle::tidy
