#include <catch2/catch.hpp>

#include "tests/spirv/run_module.h"

using namespace heddle::spirv;

TEST_CASE("locks of four invocations and a global barrier of nine are proven, whatever the bound") {
  for (const char* name : {"ticket", "cas", "xf"}) {
    for (const std::uint64_t bound : {1U, 3U}) {
      INFO(name << " with the bound " << bound);
      const Answer answer = Ran(text_of("programs/" + std::string(name) + ".spvasm")).ask(true, bound);
      CHECK(answer.holds);
      CHECK_FALSE(answer.racy);
      CHECK(answer.complete);
    }
  }
}

TEST_CASE("a lock that is released without a release is racy") {
  const std::string text = text_of("programs/cas.spvasm");
  // Release and UniformMemory become an order of nothing.
  const std::string weaker = replaced(text, "OpConstant %uint 68", "OpConstant %uint 0");
  REQUIRE(weaker != text);
  const Answer answer = Ran(weaker).ask(true);
  CHECK(answer.racy);
  CHECK_FALSE(answer.holds);
}
