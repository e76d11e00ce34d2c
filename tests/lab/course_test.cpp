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

TEST_CASE("the course has eight lessons, and each makes three claims at least") {
  const auto pages = files(".md");
  CHECK(pages.size() == 8);
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
