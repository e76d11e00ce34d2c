#include <catch2/catch.hpp>
#include <string>

#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/litmus/vulkan/cases.h"

using namespace heddle::litmus;

namespace {

// A thread of the host that spins until `l` is set, and then submits a dispatch.
Answer submitted_after_spinning(const std::string& head, const std::string& store) {
  const VulkanParse parse = parse_vulkan("Vulkan spin\n{ x=0; l=0; }\n H0@host | B0@q 0, qf 0 | P0@sg 0, wg 0, qf 0" +
                                         head + " ;\n LC00: ld.atom.acq r0, l | dispatch P0 | st.sc0 x, 1" + store +
                                         " ;\n beq r0, 0, LC00 | |" + (head.empty() ? "" : " |") +
                                         " ;\n submit B0 | |" + (head.empty() ? "" : " |") + " ;\nexists (x == 1)\n");
  if (!parse.test) FAIL(parse.errors.front().message);
  return answer(*parse.test, {});
}

}  // namespace

TEST_CASE("180 tests of the host's side, in pairs and random, have their answers, with chains") {
  check_cases("host", 180, true);
}

TEST_CASE("180 tests of the host's side, in pairs and random, have their answers, without chains") {
  check_cases("host", 180, false);
}

TEST_CASE("what is behind a call that a spinning thread never makes does not happen") {
  const Answer never = submitted_after_spinning("", "");
  CHECK(never.executions == 0);
  CHECK(never.blocked > 0);
  CHECK_FALSE(never.holds);
  const Answer set = submitted_after_spinning(" | H1@host", " | st.atom.rel l, 1");
  CHECK(set.executions > 0);
  CHECK(set.holds);
  CHECK_FALSE(set.racy);
}
