#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

std::string host_test(const std::string& name) {
  return std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/host/" + name + ".litmus";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("of a host test the columns are shown as they are written, and --why says what the API misses") {
  const Run run = run_heddle({"litmus", "--why", host_test("two-dispatches-wrong")});
  CHECK(run.exit_code == 1);
  CHECK(has(run.out, "H0 @ host"));
  CHECK(has(run.out, "| dispatch P1"));
  CHECK(has(run.out, "no barrier between P0's `st.sc0 x, 1`"));
  CHECK(has(run.out, "put `dep compute.storage_write compute.storage_read` in front of B0's `dispatch P1`"));
}

TEST_CASE("a line of JSON of a host test has each operation in its column, and the missing link by name") {
  const Run run = run_heddle({"litmus", "--json", "--why", host_test("flush-wrong")});
  const Json line = Json::parse(run.out);
  CHECK(line.at("racy") == true);
  const Json& race = line.at("why").at("race");
  CHECK(race.at("missing_link") == "no flush");
  CHECK(has(race.at("changes").at(0).at("text"), "put `flush x` behind H0's `st x, 1`"));
  CHECK(race.at("changes").at(0).at("edits").at(0).at("new") == "\n flush x | | ;");
  for (const Json& operation : race.at("graph").at("operations"))
    CHECK(operation.at("thread") < race.at("graph").at("threads").size());
}

TEST_CASE("a host test runs on emulated memory, which loses what is not flushed and is never unsound") {
  for (const char* policy : {"random", "adversarial"}) {
    const Run run = run_heddle(
        {"litmus", "--json", "--machine", policy, "--runs", "500", "--judge", "500", host_test("flush-wrong")});
    // Its race is a finding.
    CHECK(run.exit_code == 1);
    const Json machine = Json::parse(run.out);
    CHECK(machine.at("inconsistent") == 0);
    CHECK(machine.at("detector_disagreements") == 0);
    CHECK(machine.at("racy_runs").get<int>() > 0);
    CHECK(machine.at("histogram").at(0).at("outcome").at("P0:r0") == 0);
  }
}

TEST_CASE("a run of a host test is told again, with its commands and their dependencies") {
  const Run run =
      run_heddle({"litmus", "--machine", "adversarial", "--replay", "0", host_test("readback-domain-wrong")});
  CHECK(has(run.out, "brings what is in the host domain to the device domain"));
  CHECK(has(run.out, "makes writes available in the device domain"));
  CHECK(has(run.out, "reads x = 0, the initial value"));
  CHECK(has(run.out, "no barrier behind P0's `st.sc0 x, 1` (line 7) has host_read"));
}

TEST_CASE("what forbids the outcome that a host test asks about is told, with the cycle that it would make") {
  // The kernel reads the old value in the one, and the host in the other.
  const std::string name = GENERATE("flush-right", "fence-earlier-right");
  const Run text = run_heddle({"litmus", "--why", host_test(name)});
  INFO(text.out);
  CHECK(has(text.out, "a cycle: "));
  const Json line = Json::parse(run_heddle({"litmus", "--json", "--why", host_test(name)}).out);
  CHECK(line.at("why").at("rows_complete") == true);
  const Json& asked = line.at("why").at("rows").at(0);
  CHECK(asked.at("allowed") == false);
  CHECK(asked.at("forbidden").at("rule") == "acyclicity");
  CHECK(asked.at("forbidden").at("cycle").at(0).at("text").get<std::string>().find("the initial value of x") !=
        std::string::npos);
  CHECK(asked.at("forbidden").at("graph").at("operations").size() > 3);
}
