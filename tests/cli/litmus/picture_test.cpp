#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;

namespace {

std::string library(const std::string& name) {
  return std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/library/generated/" + name + ".litmus";
}

}  // namespace

TEST_CASE("the option --dot draws an execution for each outcome, and one for a race") {
  const TemporaryDirectory directory;
  const std::string name = "MP+rel-acq+wg-in-wg+flags+relmask";
  CHECK(run_heddle({"litmus", "--quiet", "--dot", directory.path("new/dir"), library(name)}).exit_code == 1);
  for (const std::string suffix : {"-outcome-1", "-outcome-2", "-race"}) {
    INFO(suffix);
    const std::string base = directory.path("new/dir/" + name + suffix);
    CHECK(std::filesystem::exists(base + ".dot"));
    // Graphviz is one of the packages that a build needs.
    CHECK(read_all(base + ".svg").find("</svg>") != std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists(directory.path("new/dir/" + name + "-outcome-3.dot")));
}

TEST_CASE("a race is red, a test without one has no red arrow") {
  const TemporaryDirectory directory;
  run_heddle({"litmus", "--dot", directory.path(), library("MP+rel-acq+wg-in-wg+flags"),
              library("MP+rel-acq+wg-in-wg+flags+noacq")});
  const std::string ordered = read_all(directory.path("MP+rel-acq+wg-in-wg+flags-outcome-1.dot"));
  CHECK(ordered.find("color=red") == std::string::npos);
  for (const char* const relation : {"label=po", "\"rf\"", "\"sw\""}) {
    INFO(relation);
    CHECK(ordered.find(relation) != std::string::npos);
  }
  const std::string racy = read_all(directory.path("MP+rel-acq+wg-in-wg+flags+noacq-race.dot"));
  CHECK(racy.find("label=race, dir=none, color=red") != std::string::npos);
  CHECK(racy.find("\"sw\"") == std::string::npos);
}

TEST_CASE("two files of one name have pictures of their own") {
  const TemporaryDirectory directory;
  const std::string source = read_all(library("CoWW"));
  std::filesystem::create_directory(directory.path("other"));
  const std::string first = directory.write("x.litmus", source);
  const std::string second = directory.write("other/x.litmus", source);
  run_heddle({"litmus", "--dot", directory.path("out"), first, second});
  CHECK(std::filesystem::exists(directory.path("out/x-outcome-1.dot")));
  CHECK(std::filesystem::exists(directory.path("out/x.2-outcome-1.dot")));
}

TEST_CASE("a directory that cannot be made is bad input") {
  const TemporaryDirectory directory;
  const std::string file = directory.write("file", "");
  CHECK(run_heddle({"litmus", "--dot", file + "/below", library("CoWW")}).exit_code == 2);
}
