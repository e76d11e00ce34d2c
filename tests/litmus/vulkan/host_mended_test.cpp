// What is proposed for racy host tests is made to their texts, and read and explored again.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/host_changes.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/source_edits.h"
#include "tests/how_many.h"
#include "tests/litmus/expectation.h"
#include "tests/litmus/vulkan/random_host.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

Question with_examples() {
  Question question;
  question.keep_examples = true;
  return question;
}

/// What came of the changes of some tests.
struct Score {
  std::size_t racy = 0;
  std::size_t with_change = 0;
  std::size_t clean = 0;
};

/// Makes each change of a racy test to its text.
void check(const std::string& source, const Test& test, Score& score) {
  Question question = with_examples();
  const Answer found = answer(test, question);
  if (!found.race) return;
  ++score.racy;
  const std::vector<HostChange> changes = host_changes(source, test, question, *found.race);
  score.with_change += changes.empty() ? 0 : 1;
  score.clean += !changes.empty() && changes.front().other_race.empty() ? 1 : 0;
  for (const HostChange& change : changes) {
    INFO(change.text << "\n" << change.source);
    if (!change.edits.empty()) {
      const EditedSource made = edited_source(source, "", change.edits);
      REQUIRE(made.text);
      REQUIRE(*made.text == change.source);
    }
    const auto edits = line_edits(source, change.source);
    REQUIRE(edits);
    REQUIRE(edited(source, *edits) == change.source);
    const VulkanParse parse = parse_vulkan(change.source);
    REQUIRE(parse.test);
    REQUIRE(answer(*parse.test, {}).racy == !change.other_race.empty());
  }
}

std::vector<std::string> racy_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/tests/litmus/host"))
    if (entry.path().extension() == ".litmus") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("each change of a wrong host test, made to its text, leaves no race, or the one that it names") {
  Score score;
  for (const std::string& file : racy_files()) {
    INFO(file);
    const std::string source = read_text(file);
    const VulkanParse parse = parse_vulkan(source);
    REQUIRE(parse.test);
    check(source, *parse.test, score);
  }
  std::cout << score.racy << " racy host tests, " << score.with_change << " with changes, " << score.clean
            << " with one that leaves no race\n";
  REQUIRE(score.racy > 40);
  CHECK(score.clean * 10 >= score.racy * 8);
}

TEST_CASE("each change of a random host test, made to its text, leaves no race, or the one that it names",
          "[nightly]") {
  const std::uint64_t wanted = how_many("HEDDLE_MENDED_HOST_TESTS", 100, 10000);
  Score score;
  for (std::uint64_t seed = 1 + first_seed(); seed <= wanted + first_seed(); ++seed) {
    const std::string source = random_host_test(seed);
    const VulkanParse parse = parse_vulkan(source);
    if (!parse.test) continue;
    INFO("seed " << seed << "\n" << source);
    check(source, *parse.test, score);
  }
  std::cout << score.racy << " racy random host tests, " << score.with_change << " with changes, " << score.clean
            << " with one that leaves no race\n";
  REQUIRE(score.racy > 10);
}
