#include <heddle/memory_policy.h>

#include <catch2/catch.hpp>

#include "emulator/spirv/numbers.h"
#include "emulator/spirv/print.h"
#include "emulator/spirv/run/run.h"
#include "tests/spirv/run_module.h"

using namespace heddle::spirv;

namespace {

constexpr ScalarType kInt{ScalarType::Kind::Int, 32, true};
constexpr ScalarType kFloat{ScalarType::Kind::Float, 32, true};

}  // namespace

TEST_CASE("values are printed as their places in the format say") {
  CHECK(printed("%d of %u, %x%%", {0xffffffff, 7, 255}, {kInt, kInt, kInt}) == "-1 of 7, ff%");
  CHECK(printed("[%5d|%-5d|%05d]", {42, 42, 42}, {kInt, kInt, kInt}) == "[   42|42   |00042]");
  CHECK(printed("%.2f %g", {float_bits(1.5, 32), float_bits(0.25, 32)}, {kFloat, kFloat}) == "1.50 0.25");
  CHECK(printed("at %v3d", {1, 2, 3}, {kInt, kInt, kInt}) == "at 1, 2, 3");
  CHECK(printed("%d and %d", {1}, {kInt}) == "1 and %d");
  CHECK(printed("100%", {}, {}) == "100%");
}

TEST_CASE("what an invocation prints is told of the first run") {
  const std::string text = text_of("cases/add.spvasm");
  const std::size_t type = text.find("OpMemoryModel");
  const std::string imports =
      "%printf = OpExtInstImport \"NonSemantic.DebugPrintf\"\n%format = OpString \"it is %u\"\n";
  std::string with = text.substr(0, type) + imports + text.substr(type);
  with = replaced(with, "OpReturn\n", "%printed = OpExtInst %void %printf 1 %format %c1\n OpReturn\n");
  INFO(with);
  const Ran ran(with);
  RunRequest request;
  request.policy = heddle::memory_policy("random");
  request.runs = 3;
  const RunTotals totals = run(ran.analysis, ran.question, request);
  REQUIRE(totals.prints.size() == ran.dispatch.agents());
  for (const Print& each : totals.prints) CHECK(each.text == "it is 1");
}
