#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "emulator/litmus/c/answer.h"

using namespace heddle::litmus;
using Json = nlohmann::json;

namespace {

const std::string kDirectory = std::string(HEDDLE_SOURCE_DIR) + "/tests/mu/cases/";

std::string read_text(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::set<Json> outcomes_of(const c::Test& test, const c::Answer& answer) {
  std::set<Json> out;
  for (const c::OutcomeRow& row : answer.outcomes) {
    Json values = Json::object();
    for (std::size_t i = 0; i < test.observables.size(); ++i) {
      const c::Value value = row.values[i];
      values[test.observables[i].name] = value.is_address() ? Json(test.program.spell(value)) : Json(value.number());
    }
    out.insert(std::move(values));
  }
  return out;
}

Json undefined_of(const c::Answer& answer) {
  std::set<std::string> names;
  for (const auto kind : answer.undefined) names.insert(heddle::mu::name(kind));
  return names;
}

}  // namespace

TEST_CASE("300 random tests of the C dialect and of Mu have the answers that follow from the definitions") {
  std::ifstream answers(kDirectory + "expected.jsonl");
  REQUIRE(answers);
  int cases = 0;
  for (std::string line; std::getline(answers, line); ++cases) {
    const Json expected = Json::parse(line);
    INFO(expected.at("file").get<std::string>());
    const c::Parse parse = c::parse(read_text(kDirectory + expected.at("file").get<std::string>()));
    if (!parse.test) FAIL_CHECK(describe("", parse.errors.front()));
    if (!parse.test) continue;
    Question question;
    question.bound = expected.at("bound");
    const c::Answer found = c::answer(*parse.test, question);
    const Json outcomes = expected.at("outcomes");
    CHECK(outcomes_of(*parse.test, found) == std::set<Json>(outcomes.begin(), outcomes.end()));
    CHECK(found.holds == expected.at("holds").get<bool>());
    CHECK(found.racy() == expected.at("racy").get<bool>());
    CHECK(undefined_of(found) == expected.at("undefined"));
    CHECK(found.blocks == expected.at("blocks").get<bool>());
    CHECK(found.complete == expected.at("complete").get<bool>());
    CHECK(found.executions == expected.at("executions").get<std::uint64_t>());
  }
  CHECK(cases == 300);
}
