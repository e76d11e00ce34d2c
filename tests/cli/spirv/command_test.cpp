#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;
using Json = nlohmann::json;

namespace {

const std::string kCases = HEDDLE_SOURCE_DIR "/tests/spirv/cases/";

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) out.push_back(Json::parse(line));
  return out;
}

}  // namespace

TEST_CASE("heddle spirv prints a line of JSON for each file, in order, and goes on after one that is no module") {
  const TemporaryDirectory directory;
  const std::string bad = directory.write("bad.spvasm", "OpNop\nOpNope\n");
  const Run run = run_heddle({"spirv", "--json", "--no-times", kCases + "add.spvasm", bad, kCases + "spin.spvasm"});
  CHECK(run.exit_code == 2);
  const std::vector<Json> lines = lines_of(run.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0]["format"] == "spirv");
  CHECK(lines[0]["executions"] == 2);
  CHECK_FALSE(lines[0].contains("seconds"));
  CHECK(lines[1]["error"] == bad + ":2: there is no instruction \"OpNope\"");
  CHECK(lines[2]["holds"] == true);
}

TEST_CASE("heddle spirv ends with 1 for a race, and says where it is") {
  const Run run = run_heddle({"spirv", kCases + "race-shared.spvasm"});
  CHECK(run.exit_code == 1);
  CHECK(run.out.find("there is a data race") != std::string::npos);
  CHECK(run.out.find("invocation 1: OpStore %slot") != std::string::npos);
}

TEST_CASE("heddle spirv --machine counts what runs come to, and all of it is allowed") {
  const Run run = run_heddle(
      {"spirv", "--json", "--machine", "random", "--runs", "200", "--judge", "20", kCases + "mp-right.spvasm"});
  CHECK(run.exit_code == 0);
  const std::vector<Json> lines = lines_of(run.out);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["runs"] == 200);
  CHECK(lines[0]["inconsistent"] == 0);
  for (const Json& row : lines[0]["histogram"]) CHECK(row["allowed"] == true);
}

TEST_CASE("heddle spirv --list names entry points and buffers without running anything") {
  const Run run = run_heddle({"spirv", "--list", "--json", kCases + "structs.spvasm"});
  CHECK(run.exit_code == 0);
  const std::vector<Json> lines = lines_of(run.out);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0]["entry_points"] == Json{"main"});
  CHECK(lines[0]["buffers"][0]["type"] == "{{uint32, uint32 x 3, uint32}[]}");
}

TEST_CASE("heddle spirv compiles GLSL, or names the package that does") {
  const TemporaryDirectory directory;
  const std::string shader =
      directory.write("one.comp",
                      "// @Input: %out_ = {0}\n// @Output: forall (%out_[0] == 7)\n#version 450\n"
                      "layout(set = 0, binding = 0) buffer Out { uint v; } out_;\nvoid main() { out_.v = 7; }\n");
  const Run run = run_heddle({"spirv", "--json", shader});
  const std::vector<Json> lines = lines_of(run.out);
  REQUIRE(lines.size() == 1);
  if (lines[0].contains("error")) {
    WARN("no compiler of GLSL is installed: only the message was looked at");
    CHECK(lines[0]["error"].get<std::string>().find("glslang-tools") != std::string::npos);
  } else {
    CHECK(lines[0]["holds"] == true);
  }
}
