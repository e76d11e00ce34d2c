#include "emulator/litmus/khronos/answer.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "emulator/litmus/khronos/parser.h"
#include "tests/litmus/expectation.h"

using namespace heddle::litmus;

namespace {

khronos::Test parse(const std::string& source) {
  const khronos::ParseResult result = khronos::parse(source);
  for (const Diagnostic& error : result.errors) UNSCOPED_INFO(describe("T", error));
  REQUIRE(result.test);
  return *result.test;
}

std::vector<std::string> khronos_files() {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/khronos")) {
    if (entry.path().extension() == ".test") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TEST_CASE("every claim of our .test files holds, and its opposite does not") {
  const auto files = khronos_files();
  CHECK(files.size() >= 18);
  for (const std::string& file : files) {
    khronos::Test test = parse(read_text(file));
    CHECK_FALSE(test.claims.empty());
    for (const bool opposite : {false, true}) {
      for (khronos::Claim& claim : test.claims) claim.satisfiable = claim.satisfiable != opposite;
      const khronos::Answer found = answer(test, {});
      CHECK(found.complete);
      for (std::size_t i = 0; i < test.claims.size(); ++i) {
        INFO(file << ": " << test.claims[i].text);
        CHECK(found.claims[i].holds == !opposite);
      }
    }
  }
}

TEST_CASE("the executions of a .test file are those in which every read sees what it asks for") {
  const std::string head = "NEWTHREAD\nst.atom.scopewg.sc0 x = 1\nNEWTHREAD\n";
  const auto executions = [&](const std::string& load) { return answer(parse(head + load), {}).executions; };
  CHECK(executions("ld.atom.scopewg.sc0 x\n") == 2);
  CHECK(executions("ld.atom.scopewg.sc0 x = 0\n") == 1);
  CHECK(executions("ld.atom.scopewg.sc0 x = 1\n") == 1);
  CHECK(executions("ld.atom.scopewg.sc0 x = 2\n") == 0);
}

TEST_CASE("NOCHAINS switches chains off for its claim alone, --no-chains for all") {
  const khronos::Test test = parse(read_text(std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/khronos/chains.test"));
  CHECK(answer(test, {}).executions == 0);
  Question question;
  question.chains = false;
  const khronos::Answer without = answer(test, question);
  CHECK(without.executions == 1);
  CHECK(without.racy);
  CHECK_FALSE(without.claims[0].holds);
}

TEST_CASE("a claim that does not ask for consistency looks at inconsistent executions, too") {
  const khronos::Test test = parse(
      "NEWTHREAD\nst.atom.scopewg.sc0 x = 1\nld.atom.scopewg.sc0 x = 0\n"
      "SATISFIABLE #fr=1\nNOSOLUTION consistent[X] && #fr=1\nSATISFIABLE !consistent[X]\n");
  for (const khronos::ClaimAnswer& claim : answer(test, {}).claims) CHECK(claim.holds);
}
