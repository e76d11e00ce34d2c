#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/spirv/run_module.h"

using namespace heddle::spirv;
using Json = nlohmann::json;

namespace {

std::set<Json> outcomes_of(const Ran& ran, const Answer& answer) {
  std::set<Json> out;
  for (const Row& row : answer.rows) {
    Json outcome = Json::object();
    for (std::size_t i = 0; i < row.values.size(); ++i) outcome[ran.question.observables[i].name] = row.values[i];
    out.insert(outcome);
  }
  return out;
}

const char* name_of_quantifier(Quantifying quantifier) {
  return quantifier == Quantifying::ForAll ? "forall" : quantifier == Quantifying::Exists ? "exists" : "not exists";
}

}  // namespace

TEST_CASE("every case has exactly the outcomes, executions and races that it is said to have") {
  std::ifstream lines(HEDDLE_SOURCE_DIR "/tests/spirv/cases/expected.jsonl");
  int cases = 0;
  for (std::string line; std::getline(lines, line); ++cases) {
    const Json expected = Json::parse(line);
    INFO(expected["file"]);
    const Ran ran(text_of("cases/" + expected["file"].get<std::string>()));
    const Answer all = ran.ask(false);
    CHECK(name_of_quantifier(ran.question.quantifier) == expected["quantifier"]);
    CHECK(all.holds == expected["holds"]);
    CHECK(all.racy == expected["racy"]);
    CHECK(all.complete == expected["complete"]);
    CHECK(all.faults.empty());
    CHECK(outcomes_of(ran, all) == std::set<Json>(expected["outcomes"].begin(), expected["outcomes"].end()));
    if (expected.contains("executions")) CHECK(all.executions == expected["executions"]);
    const Answer verdict = ran.ask(true);
    CHECK(verdict.holds == expected["holds"]);
    CHECK(verdict.racy == expected["racy"]);
    CHECK(verdict.complete == expected["complete"]);
  }
  CHECK(cases == 20);
}

TEST_CASE("a case and the litmus test that is the same program agree") {
  std::ifstream lines(HEDDLE_SOURCE_DIR "/tests/spirv/cases/expected.jsonl");
  int twins = 0;
  for (std::string line; std::getline(lines, line);) {
    const Json expected = Json::parse(line);
    if (expected["litmus"].is_null()) continue;
    INFO(expected["file"]);
    const Ran ran(text_of("cases/" + expected["file"].get<std::string>()));
    const std::string text = text_of("cases/" + expected["litmus"].get<std::string>());
    // Vulkan's dialect has no compare-exchange: that twin is in Mu's.
    if (!text.starts_with("Vulkan")) continue;
    const auto parsed = heddle::litmus::parse_vulkan(text);
    REQUIRE(parsed.test);
    const heddle::litmus::Answer twin = heddle::litmus::answer(*parsed.test, {});
    const Answer own = ran.ask(false);
    CHECK(own.holds == twin.holds);
    CHECK(own.racy == twin.racy);
    CHECK(own.executions == twin.executions);
    CHECK(own.rows.size() == twin.outcomes.size());
    ++twins;
  }
  CHECK(twins == 16);
}
