// The part of fuzzing that every compiler can do: a bounded number of mutants of known files, the
// same ones in every run.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "emulator/litmus/c/answer.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/spelling.h"
#include "tests/litmus/expectation.h"
#include "tests/litmus/fuzz/check_parse.h"

using namespace heddle::litmus;

namespace {

constexpr unsigned kSeed = 20240229;
constexpr int kMutants = 20000;

std::vector<std::string> texts_in(const std::string& directory) {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/tests/" + directory)) {
    // Beside the tests there may be what is expected of them.
    if (entry.path().extension() != ".jsonl") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> out;
  for (const std::string& path : paths) out.push_back(read_text(path));
  return out;
}

class Mutator {
 public:
  /// A text with one to eight small changes.
  std::string mutate(std::string text, const std::vector<std::string>& others) {
    for (int i = below(8); i >= 0; --i) change(text, others);
    return text;
  }
  int below(std::size_t bound) {
    // No std distribution: they differ between standard libraries.
    return static_cast<int>(random_() % bound);
  }

 private:
  void change(std::string& text, const std::vector<std::string>& others) {
    static const std::array<std::string, 16> kWords = {
        "(*",        "<<",   "9223372036854775808", "-", "~", "((((", "|", ";", "{", "}", "cbar", ".acq_rel", "LC00:",
        "goto LC00", "\xff", std::string(1, '\0')};
    const auto at = static_cast<std::size_t>(below(text.size() + 1));
    const auto length = static_cast<std::size_t>(below(20));
    switch (below(6)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kWords[static_cast<std::size_t>(below(kWords.size()))]);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 4: {
        const std::string& other = others[static_cast<std::size_t>(below(others.size()))];
        text.insert(at, other.substr(static_cast<std::size_t>(below(other.size() + 1)), length));
        break;
      }
      default:
        text.resize(at);
    }
  }

  std::mt19937 random_{kSeed};
};

template <typename Check>
void check_mutants(const std::vector<std::string>& texts, Check&& check) {
  Mutator mutator;
  for (int i = 0; i < kMutants; ++i) {
    const std::string& start = texts[static_cast<std::size_t>(mutator.below(texts.size()))];
    const std::string mutant = mutator.mutate(start, texts);
    const std::string wrong = check(mutant);
    if (!wrong.empty()) {
      INFO(mutant);
      FAIL(wrong);
    }
  }
}

/// Goes on until `wanted` mutants have been explored. `explore` is told a mutant and a question, and returns whether
/// the mutant was a test.
template <typename Explore>
void explore_mutants(const std::string& directory, int wanted, Explore&& explore) {
  const std::vector<std::string> texts = texts_in(directory);
  Question question;
  question.limit = 50;
  Mutator mutator;
  int explored = 0;
  for (int i = 0; i < kMutants && explored < wanted; ++i) {
    const std::string& start = texts[static_cast<std::size_t>(mutator.below(texts.size()))];
    const std::string mutant = mutator.mutate(start, texts);
    INFO(mutant);
    explored += explore(mutant, question);
  }
  CHECK(explored == wanted);
}

}  // namespace

TEST_CASE("no mutant of a litmus test upsets the parser") {
  check_mutants(texts_in("litmus/library/handwritten"), check_vulkan);
  check_mutants(texts_in("litmus/corpus"), check_vulkan);
}

TEST_CASE("no mutant of a test that is spelled as calls upsets the parser") {
  std::vector<std::string> calls;
  for (const std::string& text : texts_in("litmus/library/handwritten"))
    if (const VulkanParse parse = parse_vulkan(text); parse.test) calls.push_back(spell(*parse.test, Spelling::Calls));
  check_mutants(calls, check_vulkan);
}

TEST_CASE("no mutant of a .test file upsets the parser") {
  check_mutants(texts_in("litmus/khronos"), check_khronos);
}

TEST_CASE("no mutant of a C or Mu test upsets the parser") {
  check_mutants(texts_in("mu/cases"), check_c);
}

TEST_CASE("a mutant that still parses can be explored") {
  explore_mutants("litmus/library/handwritten", 400, [](const std::string& mutant, const Question& question) {
    const VulkanParse parse = parse_vulkan(mutant);
    if (!parse.test) return false;
    const Answer found = answer(*parse.test, question);
    CHECK(found.executions <= question.limit);
    CHECK(found.racy_executions <= found.executions);
    return true;
  });
}

TEST_CASE("a mutant of a C or Mu test that still parses can be explored") {
  explore_mutants("mu/cases", 150, [](const std::string& mutant, const Question& question) {
    const c::Parse parse = c::parse(mutant);
    if (!parse.test) return false;
    try {
      const c::Answer found = c::answer(*parse.test, question);
      CHECK(found.executions <= question.limit);
      CHECK(found.blocks == (found.blocked > 0));
    } catch (const ParseError& error) {
      CHECK(std::string(error.what()).find("a thread is created once") != std::string::npos);
    }
    return true;
  });
}
