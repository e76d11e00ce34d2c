// Changes that `heddle races` tries on the program, and orderings that `heddle mutate` weakens.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <signal.h>

#include <filesystem>
#include <string>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

Run run_on_kernels(std::vector<std::string> arguments, const std::string& what) {
  arguments.emplace_back(HEDDLE_KERNELS);
  arguments.push_back(what);
  return run_heddle(arguments);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string file_of(const std::string& text, const std::string& head) {
  const std::size_t begin = text.find(head) + head.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE(
    "the report comes first, without a change that was not tried, and the change that mends the program follows") {
  const Run run = run_on_kernels({"races", "--change-seconds", "20"}, "tile");
  INFO(run.out << run.err);
  CHECK(run.exit_code == 1);
  const std::size_t summary = run.out.find("1 data race in 1 run\n");
  REQUIRE(summary != std::string::npos);
  CHECK(run.out.find("put a control barrier") > summary);
  CHECK(has(run.out,
            "this change, and 40 runs were clean:\n  put a control barrier, (Scope::Workgroup, "
            "Scope::Workgroup, kWorkgroupBarrier), "));
  CHECK(has(run.out, "(tried: in 20 runs with it this race did not come back, and nothing new came)"));
}

TEST_CASE("as JSON the changes are those that were tried, with how often, and those of the recorded run without time") {
  const auto race_of = [](const Run& run) { return Json::parse(run.out.substr(0, run.out.find('\n'))); };
  const Json tried = race_of(run_on_kernels({"races", "--json", "--change-seconds", "20"}, "tile"));
  CHECK(tried.at("tried_runs") == 20);
  CHECK(has(tried.at("changes").at(0), "put a control barrier"));
  const Json untried = race_of(run_on_kernels({"races", "--json", "--change-seconds", "0"}, "tile"));
  CHECK(untried.at("tried_runs") == 0);
  CHECK_FALSE(untried.at("changes").empty());
}

TEST_CASE("the option --apply writes the change as a patch, with which the source has the barrier, and over no file") {
  const TemporaryDirectory directory;
  const std::string file = directory.path("mend.patch");
  const Run run = run_on_kernels({"races", "--change-seconds", "20", "--apply", file}, "tile");
  INFO(run.out << run.err);
  REQUIRE(has(run.err, "the patch is in '" + file + "'"));
  CHECK(has(read_all(file), "+  inv.workgroup_barrier();\n"));
  CHECK(has(file_of(read_all(file), "--- "), "kernels_under_test.cpp"));
  CHECK(has(run_on_kernels({"races", "--change-seconds", "20", "--apply", file}, "tile").err, "is there already"));
}

TEST_CASE("a change that ends the race of a program, and not its failure, is told as that, and is no patch") {
  const TemporaryDirectory directory;
  const std::string file = directory.path("mend.patch");
  const Run run = run_on_kernels({"races", "--apply", file}, "racy_and_wrong");
  INFO(run.out << run.err);
  CHECK(run.exit_code == 1);
  CHECK(has(run.out,
            "no data race came in 40 runs, but the program failed as it does without (the program ended with 7)"));
  CHECK_FALSE(has(run.out, "clean"));
  CHECK(has(run.err, "the program still fails as it does without: no patch is written"));
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("where the time is up before a patch is found, that is said, with what gives more") {
  const TemporaryDirectory directory;
  const Run run = run_on_kernels({"races", "--change-seconds", "0.001", "--apply", directory.path("none")}, "tile");
  INFO(run.out << run.err);
  CHECK(has(run.err, "the time was up before changes that make the program clean were found"));
  CHECK(has(run.err, "--change-seconds 20 gives more"));
}

TEST_CASE("Ctrl-C while changes are tried is told, with the exit code of a run that is interrupted") {
  const Run run = run_and_interrupt({"races", "--change-seconds", "600", HEDDLE_KERNELS, "slow_tile"}, SIGINT);
  INFO(run.out << run.err);
  CHECK(run.exit_code == 130);
  CHECK(has(run.out, "1 data race in 1 run\n"));
  CHECK(has(run.out, "interrupted before"));
  CHECK(has(run.err, "heddle: interrupted"));
  CHECK_FALSE(has(run.out, "lack of time"));
  const Run mutation = run_and_interrupt({"mutate", "--seconds", "600", HEDDLE_KERNELS, "unchecked_message"}, SIGINT);
  INFO(mutation.out << mutation.err);
  CHECK(mutation.exit_code == 130);
  CHECK(has(mutation.out, "interrupted before"));
}

TEST_CASE("mutation tells what a test notices, what it misses, and what no seed shows, with a score") {
  const Run noticed = run_on_kernels({"mutate", "--seeds", "20", "--seconds", "120"}, "checked_message");
  INFO(noticed.out << noticed.err);
  CHECK(noticed.exit_code == 0);
  CHECK(has(noticed.out, "noticed  give the atomic write in line"));
  CHECK(has(noticed.out, "weakened orderings that a seed shows are noticed"));
  const Run missed = run_on_kernels({"mutate", "--seeds", "4", "--seconds", "120"}, "unchecked_message");
  INFO(missed.out << missed.err);
  CHECK(missed.exit_code == 1);
  CHECK(has(missed.out, "missed   give the atomic write in line"));
  CHECK(has(missed.out, "data race on data[0]"));
}

TEST_CASE("advice by mutation tells only what no seed needs, tries it together, and leaves out what one does") {
  const Run run = run_on_kernels({"mutate", "--advise", "--seeds", "10", "--seconds", "120"}, "checked_message");
  INFO(run.out << run.err);
  CHECK(run.exit_code == 0);
  CHECK_FALSE(has(run.out, "noticed "));
  CHECK_FALSE(has(run.out, "missed "));
  CHECK_FALSE(has(run.out, "the semantics Relaxed"));
  CHECK(has(run.out, "shown to be wrong by none of 10 seeds"));
}

TEST_CASE("a weakened ordering is equivalent within the bound if all executions that a program explores are the same") {
  const Run run = run_on_kernels({"mutate", "--seeds", "1", "--seconds", "120"}, "explored");
  INFO(run.out << run.err);
  CHECK(run.exit_code == 0);
  // What nobody acquires.
  CHECK(has(run.out, "equivalent  give the atomic write in line"));
  CHECK(has(run.out, "all executions of what the program explores are the same"));
  CHECK(has(run.out, "noticed  give the atomic write in line"));
  CHECK(has(run.out, "noticed  give the atomic read in line"));
  CHECK(has(run.out, "equivalent within the bound"));
}

TEST_CASE("mutation of a program that is wrong as it is, or orders nothing, is refused with the reason") {
  const Run racy = run_on_kernels({"mutate"}, "racy");
  CHECK(racy.exit_code == 2);
  CHECK(has(racy.err, "is wrong as it is (data race on sum[0]"));
  const Run nothing = run_on_kernels({"mutate"}, "unordered");
  CHECK(nothing.exit_code == 2);
  CHECK(has(nothing.err, "order nothing"));
  const Run no_kernel = run_on_kernels({"mutate"}, "none");
  CHECK(no_kernel.exit_code == 2);
  CHECK(has(no_kernel.err, "dispatched no kernel"));
}
