#include <catch2/catch.hpp>

#include <regex>

#include "tests/tidy/source_files.h"

namespace heddle::tidy {
namespace {

struct Word {
  std::string word;
  std::string meaning;
  std::string type;
  std::string file;
};

// The rows of the tables in the glossary, but for their heads.
std::vector<Word> words() {
  static const std::regex row(R"(^\| ([^|]+) \| ([^|]+) \| `([^`|]+)` \| `([^`|]+)` \|$)");
  std::vector<Word> result;
  for (const std::string& line : lines_of(project_root() / "emulator/GLOSSARY.md")) {
    std::smatch found;
    if (std::regex_match(line, found, row)) result.push_back({found[1], found[2], found[3], found[4]});
  }
  return result;
}

bool declares(const SourceFile& file, const std::string& type) {
  const std::regex declaration(R"(\b(class|struct|enum class|using|constexpr) (alignas\([^)]*\) )?([^;(]*[ &*])?)" +
                               type + R"(\b)" + R"(|^[\w:<>]+ )" + type + R"(\()");
  for (const std::string& line : file.lines)
    if (std::regex_search(line, declaration)) return true;
  return false;
}

const SourceFile* find(const std::string& path) {
  for (const SourceFile& file : source_files())
    if (file.path == path) return &file;
  return nullptr;
}

}  // namespace

TEST_CASE("each word of the glossary names a file that declares its type") {
  REQUIRE(words().size() >= 40);
  std::vector<std::string> sentences;
  for (const Word& word : words()) {
    const SourceFile* const file = find(word.file);
    if (!file) {
      sentences.push_back("'" + word.word + "': there is no file " + word.file);
    } else if (!declares(*file, word.type)) {
      sentences.push_back("'" + word.word + "': " + word.file + " does not declare " + word.type);
    }
  }
  INFO(joined(sentences));
  CHECK(sentences.empty());
}

TEST_CASE("the glossary has each word once, with a sentence") {
  std::set<std::string> seen;
  std::vector<std::string> sentences;
  for (const Word& word : words()) {
    if (!seen.insert(word.word).second) sentences.push_back("'" + word.word + "' stands there twice");
    if (word.meaning.back() != '.' || word.meaning.find(". ") != std::string::npos)
      sentences.push_back("the meaning of '" + word.word + "' is not one sentence");
  }
  INFO(joined(sentences));
  CHECK(sentences.empty());
}

}  // namespace heddle::tidy
