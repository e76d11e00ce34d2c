// What the lessons of samples/course say of their tests is what the explorer says.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/changes.h"
#include "emulator/litmus/vulkan/edits.h"
#include "emulator/litmus/vulkan/parser.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

const std::filesystem::path kCourse = std::filesystem::path(HEDDLE_SOURCE_DIR) / "samples" / "course";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A line of a lesson's list: what it says of which test.
struct Claim {
  std::string lesson;
  std::string test;
  std::string line;
  /// The states of which it says that the test can end in one, or in none.
  std::optional<std::string> condition;
  bool can = false;
  std::optional<bool> racy;
};

/// The claims of a page; what is no claim in the list of claims comes out as one about no test.
std::vector<Claim> claims_of(const std::filesystem::path& page) {
  static const std::regex kClaim(
      R"(- \[`([^`]+)`\]\(([^)]+)\.litmus\)(?: (can|cannot) end with `([^`]+)`)?(?:(?:, and)? has (a|no) data race)?\.)");
  std::vector<Claim> out;
  const std::string text = text_of(page);
  std::istringstream lines(text.substr(std::min(text.find("## What the model says"), text.size())));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("- ", 0) != 0) continue;
    Claim claim;
    claim.lesson = page.stem().string();
    claim.line = line;
    std::smatch match;
    if (std::regex_match(line, match, kClaim) && match[1] == match[2]) {
      claim.test = match[1];
      if (match[4].matched) claim.condition = match[4];
      claim.can = match[3] == "can";
      if (match[5].matched) claim.racy = match[5] == "a";
    }
    out.push_back(claim);
  }
  return out;
}

std::vector<std::filesystem::path> files(const std::string& extension) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(kCourse))
    if (entry.path().extension() == extension && entry.path().stem() != "README") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<Claim> all_claims() {
  std::vector<Claim> out;
  for (const auto& page : files(".md"))
    for (Claim& claim : claims_of(page)) out.push_back(std::move(claim));
  return out;
}

/// The test with another assertion.
std::string asking(const std::string& source, const std::string& condition) {
  static const std::regex kAssertion(R"((\n)(~?exists|forall)[^\n]*\n)");
  return std::regex_replace(source, kAssertion, "\nexists (" + condition + ")\n");
}

}  // namespace

TEST_CASE("the course has nine lessons, and each makes three claims at least") {
  const auto pages = files(".md");
  CHECK(pages.size() == 9);
  for (const auto& page : pages) {
    CAPTURE(page.string());
    CHECK(claims_of(page).size() >= 3);
    CHECK(text_of(kCourse / "README.md").find("(" + page.filename().string() + ")") != std::string::npos);
  }
}

TEST_CASE("the explorer agrees with every claim of the course") {
  for (const Claim& claim : all_claims()) {
    CAPTURE(claim.lesson, claim.line);
    REQUIRE_FALSE(claim.test.empty());
    REQUIRE((claim.condition || claim.racy));
    const std::string source = text_of(kCourse / (claim.test + ".litmus"));
    const VulkanParse parse = parse_vulkan(claim.condition ? asking(source, *claim.condition) : source);
    REQUIRE(parse.test);
    CHECK(parse.warnings.empty());
    const Answer found = answer(*parse.test, {});
    CHECK(found.complete);
    // An assertion about nothing would be false of any condition.
    CHECK(found.executions > 0);
    if (claim.condition) CHECK(found.holds == claim.can);
    if (claim.racy) CHECK(found.racy == *claim.racy);
  }
}

TEST_CASE("every test of the course is in a claim") {
  std::set<std::string> claimed;
  for (const Claim& claim : all_claims()) claimed.insert(claim.test);
  for (const auto& file : files(".litmus")) {
    CAPTURE(file.string());
    CHECK(claimed.count(file.stem().string()) == 1);
  }
}

TEST_CASE("what a lesson takes away is the first missing link, and the first change puts it back") {
  struct Lack {
    const char* test;
    judge::MissingLink link;
    const char* change;
  };
  using judge::MissingLink;
  for (const Lack& lack :
       {Lack{"3-no-release", MissingLink::NoSynchronization, "give the atomic write in P0's"},
        Lack{"3-no-acquire", MissingLink::NoSynchronization, "give the atomic read in P1's"},
        Lack{"4-one-side-narrow", MissingLink::ScopesDoNotIncludeEachOther,
             "widen the memory scope of the atomic read in P1's"},
        Lack{"5-buffer-class", MissingLink::StorageClassMissing, "add WorkgroupMemory to"},
        Lack{"5-one-side", MissingLink::StorageClassMissing, "add WorkgroupMemory to the atomic read"},
        Lack{"5-fences", MissingLink::StorageClassMissing, "add UniformMemory to the memory barrier"},
        Lack{"6-not-available", MissingLink::NeverMadeAvailable, "add MakeAvailable to the atomic write"},
        Lack{"6-not-visible", MissingLink::NeverMadeVisible, "add MakeVisible to the atomic read"},
        Lack{"6-private", MissingLink::PrivateAccess, "make the write in P0's"},
        Lack{"7-not-handed-on", MissingLink::NeverMadeAvailable, "add MakeAvailable to the atomic write in P1's"}}) {
    CAPTURE(lack.test);
    const std::string source = text_of(kCourse / (lack.test + std::string(".litmus")));
    const VulkanParse parse = parse_vulkan(source);
    Question question;
    question.keep_examples = true;
    const Answer found = answer(*parse.test, question);
    REQUIRE(found.race);
    const judge::Judgement judgement(found.race->execution);
    const auto reason = judgement.why_unordered(found.race->first, found.race->second);
    REQUIRE(reason);
    CHECK(reason->link == lack.link);
    const TestChanges changes = changes_without_race(*parse.test, question, *found.race);
    REQUIRE_FALSE(changes.changes.empty());
    const TestChange& first = changes.changes.front();
    CHECK(first.text.find(lack.change) == 0);
    CHECK(first.other_race.empty());
    const auto edits = edits_between(source, *parse.test, first.changed);
    REQUIRE(edits);
    CHECK_FALSE(answer(*parse_vulkan(edited(source, *edits)).test, {}).racy);
  }
}

TEST_CASE("no change of a racy test of the course or the library leaves a race unsaid, and each can be made") {
  std::vector<std::filesystem::path> all = files(".litmus");
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(HEDDLE_SOURCE_DIR) /
                                                               "tests/litmus/library/handwritten"))
    if (entry.path().extension() == ".litmus") all.push_back(entry.path());
  std::size_t tried = 0;
  for (const auto& file : all) {
    CAPTURE(file.string());
    const std::string source = text_of(file);
    const VulkanParse parse = parse_vulkan(source);
    REQUIRE(parse.test);
    Question question;
    question.keep_examples = true;
    const Answer found = answer(*parse.test, question);
    if (!found.race) continue;
    const TestChanges changes = changes_without_race(*parse.test, question, *found.race);
    for (const TestChange& change : changes.changes) {
      CAPTURE(change.text);
      const auto edits = edits_between(source, *parse.test, change.changed);
      REQUIRE(edits);
      CHECK(answer(*parse_vulkan(edited(source, *edits)).test, {}).racy == !change.other_race.empty());
      ++tried;
    }
  }
  CHECK(tried > 50);
}
