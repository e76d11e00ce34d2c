// `heddle test`: one report of test programs, and of several machines.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sys/wait.h>

#include <cstdlib>
#include <string>
#include <tuple>
#include <vector>

#include "tests/cli/run_heddle.h"
#include "tests/variable.h"

using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

Run tests(std::vector<std::string> options) {
  options.insert(options.begin(), "test");
  options.emplace_back(HEDDLE_TESTS_UNDER_TEST);
  return run_heddle(options);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<Json> of_kind(const std::string& text, const std::string& kind) {
  std::vector<Json> found;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    Json line = Json::parse(text.substr(begin, end - begin));
    if (line.at("kind") == kind) found.push_back(std::move(line));
  }
  return found;
}

/// A shell's exit code.
int shell(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("a program whose tests pass ends with 0, and its summary counts tests, trials and searches") {
  const Run run = tests({});
  INFO(run.out << run.err);
  CHECK(run.exit_code == 0);
  CHECK(run.out == "1 program, 2 tests, 0 failed; 0 data races; 130 trials in 3 searches\n");
}

TEST_CASE("a test that fails is told with its text, and how to run it again") {
  const Run run = tests({"--filter", "[bad]"});
  INFO(run.out << run.err);
  CHECK(run.exit_code == 1);
  CHECK(has(run.out, ": it fails <always> & says so\n"));
  CHECK(has(run.out, "it is the third"));
  CHECK(has(run.out, "\n  again: HEDDLE_EXPLORE_SEED=3 "));
  CHECK(has(run.out, "1 program, 1 test, 1 failed"));
}

TEST_CASE("a race that no test asks for is a finding, unless nobody is to look for any") {
  const Run run = tests({"--filter", "[racy]"});
  INFO(run.out << run.err);
  CHECK(run.exit_code == 1);
  CHECK(has(run.out, "data race on sum[0]"));
  CHECK(has(run.out, "1 data race;"));
  CHECK(tests({"--filter", "[racy]", "--no-races"}).exit_code == 0);
}

TEST_CASE("shards together try all seeds, and a report of some says which are missing") {
  const TemporaryDirectory directory;
  std::vector<std::string> merge = {"test", "--merge"};
  for (const std::string part : {"1", "2", "3"}) {
    const std::string file = directory.path(part);
    CHECK(tests({"--shard", part + "/3", "--format", "json", "--output", file}).exit_code == 0);
    CHECK(of_kind(read_all(file), "search").size() == 3);
    merge.push_back(file);
  }
  const Run all = run_heddle(merge);
  INFO(all.out << all.err);
  CHECK(all.exit_code == 0);
  CHECK(all.out == "1 program, 2 tests, 0 failed; 0 data races; 130 trials in 3 searches\n");
  merge.pop_back();
  const Run some = run_heddle(merge);
  INFO(some.out << some.err);
  CHECK(some.exit_code == 1);
  CHECK(has(some.out, "MISSING "));
  CHECK(has(some.out, ": it counts\n  20 seeds are missing: 3, 6, 9, "));
}

TEST_CASE("a failure in one shard is in the report of all") {
  const TemporaryDirectory directory;
  std::vector<std::string> merge = {"test", "--json", "--merge"};
  for (const std::string part : {"1", "2"}) {
    merge.push_back(directory.path(part));
    std::ignore = tests({"--filter", "[bad]", "--shard", part + "/2", "--json", "--output", merge.back()});
  }
  const Run all = run_heddle(merge);
  CHECK(all.exit_code == 1);
  REQUIRE(of_kind(all.out, "test").size() == 1);
  CHECK(of_kind(all.out, "test")[0].at("passed") == false);
  REQUIRE(of_kind(all.out, "search").size() == 1);
  CHECK(of_kind(all.out, "search")[0].at("failures").at(0).at("seed") == 3);
}

TEST_CASE("JUnit, SARIF and GitHub each get the tests that failed, and the races") {
  const Run junit = tests({"--filter", "[bad],[racy]", "--format", "junit"});
  INFO(junit.out << junit.err);
  CHECK(has(junit.out, "name=\"it fails &lt;always&gt; &amp; says so\"><failure"));
  CHECK(has(junit.out, "name=\"it races unnoticed\"></testcase>"));
  CHECK(has(junit.out, "<testcase classname=\"data race\""));
  const Json sarif = Json::parse(tests({"--filter", "[bad],[racy]", "--format", "sarif"}).out);
  std::vector<std::string> rules;
  for (const Json& result : sarif.at("runs").at(0).at("results")) rules.push_back(result.at("ruleId"));
  CHECK(rules == std::vector<std::string>{"data-race", "failed-test"});
  const Run github = tests({"--filter", "[bad],[racy]", "--format", "github"});
  CHECK(has(github.out, "::error title="));
  CHECK(has(github.out, "title=Data race::"));
}

TEST_CASE("when the time is up searches end by themselves, and the summary says that seeds are left") {
  const Run run = tests({"--filter", "[long]", "--seconds", "1"});
  INFO(run.out << run.err);
  CHECK(run.exit_code == 0);
  CHECK(has(run.out, "not all seeds were tried in 1 search"));
}

TEST_CASE("the number of seeds and the sweep are those of the command line, and are in the report") {
  const Run run = tests({"--seeds", "7", "--sweep", "subgroup=8,16", "--json"});
  const std::vector<Json> searches = of_kind(run.out, "search");
  REQUIRE(searches.size() == 3);
  for (const Json& search : searches) {
    CHECK(search.at("trials") == 7);
    CHECK(search.at("sweep") == "subgroup=8,16");
  }
}

TEST_CASE("Ctrl-C ends the program that runs, and what was found until then is told") {
  const Run run = tests({"--filter", "[interrupts]", "--json"});
  INFO(run.out << run.err);
  CHECK(run.exit_code == 130);
  REQUIRE(of_kind(run.out, "program").size() == 1);
  CHECK(has(of_kind(run.out, "program")[0].at("text"), "it was interrupted"));
  CHECK(of_kind(run.out, "search").size() == 1);
}

TEST_CASE("a program that a signal ends has failed, with its searches until then") {
  const Run run = tests({"--filter", "[dies]"});
  INFO(run.out << run.err);
  CHECK(run.exit_code == 1);
  CHECK(has(run.out, "signal 9 ended it"));
  CHECK(has(run.out, "in 1 search"));
}

TEST_CASE("where neither a test nor a search ran, nothing was tested, and that is bad input") {
  const Run none = run_heddle({"test", "true"});
  CHECK(none.exit_code == 2);
  CHECK(has(none.err, "nothing was tested"));
  const Run filtered = tests({"--filter", "[nothing]"});
  INFO(filtered.out << filtered.err);
  CHECK(filtered.exit_code == 2);
  CHECK(has(filtered.err, "no test fits --filter '[nothing]'"));
  CHECK(run_heddle({"test", "true", HEDDLE_TESTS_UNDER_TEST}).exit_code == 0);
}

TEST_CASE("a program of no framework has its exit code for a result") {
  const Run wrong = run_heddle({"test", "false"});
  CHECK(wrong.exit_code == 1);
  CHECK(has(wrong.out, "it ended with 1"));
}

TEST_CASE("what cannot be run, read or understood is refused with its name") {
  const TemporaryDirectory directory;
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& why) {
    const Run run = run_heddle(arguments);
    INFO(run.out << run.err);
    CHECK(run.exit_code == 2);
    CHECK(has(run.err, why));
  };
  refused({"test"}, "needs a program");
  refused({"test", "/no/such/program"}, "cannot run '/no/such/program': No such file");
  refused({"test", "--sweep", "weather=rain", "true"}, "'weather' is no parameter");
  for (const char* shard : {"3/2", "0/2", "1", "1/", "/2", "one/two", "1/2/3"})
    refused({"test", "--shard", shard, "true"}, "is not I/N with I from 1 to N");
  refused({"test", "--merge", directory.path("none")}, "cannot be read");
  refused({"test", "--merge", directory.write("odd", "{}\n")}, "odd:1: no line of a report");
  CHECK(has(run_heddle({"test", "--help"}).out, "--merge"));
  CHECK(has(run_heddle({"test", "--list-sweeps"}).out, "all pairs of values come up in "));
}

TEST_CASE("the examples of shards run as they are written") {
  const TemporaryDirectory directory;
  const std::string examples = HEDDLE_SOURCE_DIR "/samples/testing/shards/";
  const heddle::test::Variable heddle("HEDDLE", HEDDLE_PROGRAM);
  const heddle::test::Variable reports("REPORTS", directory.path());
  for (const char* task : {"1", "2"}) {
    const heddle::test::Variable id("SLURM_ARRAY_TASK_ID", task);
    const heddle::test::Variable count("SLURM_ARRAY_TASK_COUNT", "2");
    CHECK(shell("sh " + examples + "slurm.sh " HEDDLE_TESTS_UNDER_TEST) == 0);
  }
  CHECK(run_heddle({"test", "--merge", directory.path("1.json"), directory.path("2.json")}).exit_code == 0);
  // The two commands of heddle in the matrix, with what GitHub puts in.
  const std::string matrix = read_all(examples + "github.yml");
  const auto command = [&](const std::string& head) {
    const std::size_t begin = matrix.find(head);
    REQUIRE(begin != std::string::npos);
    std::string line = matrix.substr(begin, matrix.find('\n', begin) - begin);
    const auto replace_all = [&](const std::string& what, const std::string& by) {
      for (std::size_t at = line.find(what); at != std::string::npos; at = line.find(what, at + by.size()))
        line.replace(at, what.size(), by);
    };
    replace_all("${{ matrix.shard }}", "$shard");
    replace_all("build/my_test", HEDDLE_TESTS_UNDER_TEST);
    line.replace(0, std::string("heddle").size(), HEDDLE_PROGRAM);
    return line;
  };
  CHECK(shell("cd " + directory.path() + " && for shard in 1 2 3 4; do " + command("heddle test --shard") +
              " || exit 9; done && " + command("heddle test --merge") + " > /dev/null") == 0);
  if (shell("command -v parallel > /dev/null") != 0) {
    WARN("GNU parallel is not here (Debian: parallel): its example was not run");
    return;
  }
  CHECK(shell("SHARDS=2 sh " + examples + "parallel.sh " HEDDLE_TESTS_UNDER_TEST " > /dev/null") == 0);
}
