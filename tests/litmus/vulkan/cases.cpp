#include "tests/litmus/vulkan/cases.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/litmus/expectation.h"

using namespace heddle::litmus;
using Json = nlohmann::json;

namespace {

Json outcomes_of(const Test& test, const Answer& answer) {
  Json out = Json::array();
  for (const OutcomeRow& row : answer.outcomes) {
    Json values = Json::object();
    for (std::size_t i = 0; i < test.observables.size(); ++i) {
      values[test.observables[i].name] = row.values[i];
    }
    out.push_back(values);
  }
  return out;
}

}  // namespace

void check_cases(const std::string& name, int files, bool chains) {
  const std::string directory = std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/" + name + "/";
  std::ifstream answers(directory + "expected.jsonl");
  REQUIRE(answers);
  int cases = 0;
  for (std::string line; std::getline(answers, line); ++cases) {
    const Json expected = Json::parse(line);
    const std::string file = expected.at("file");
    INFO(file);
    const VulkanParse parse = parse_vulkan(read_text(directory + file));
    if (!parse.test) {
      FAIL_CHECK(parse.errors.front().message);
      continue;
    }
    Question question;
    question.bound = expected.at("bound");
    question.chains = chains;
    const Answer found = answer(*parse.test, question);
    const Json& verdict = expected.at(chains ? "chains" : "no_chains");
    CHECK(outcomes_of(*parse.test, found) == verdict.at("outcomes"));
    CHECK(found.holds == verdict.at("holds").get<bool>());
    CHECK(found.racy == verdict.at("racy").get<bool>());
    CHECK(found.executions == verdict.at("executions").get<std::uint64_t>());
    CHECK(found.complete);
  }
  CHECK(cases == files);
}
