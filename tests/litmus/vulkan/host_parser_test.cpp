#include <catch2/catch.hpp>
#include <string>

#include "emulator/litmus/vulkan/host_test.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/spelling.h"

using namespace heddle::litmus;

namespace {

// A test of one host thread and one batch on queue 0, with a dispatch.
std::string small(const std::string& declarations, const std::string& host, const std::string& batch) {
  return "Vulkan small\n{ x=0; y=0; " + declarations + " }\n H0@host | B0@q 0, qf 0 | P0@sg 0, wg 0, qf 0 ;\n " + host +
         " | " + batch + " | ld.sc0 r0, x ;\n submit B0 | dispatch P0 | ;\n";
}

std::string error_of(const std::string& text) {
  const VulkanParse parse = parse_vulkan(text);
  return parse.test ? "" : parse.errors.front().message;
}

Place place_of_error(const std::string& text) {
  const VulkanParse parse = parse_vulkan(text);
  REQUIRE_FALSE(parse.test);
  return parse.errors.front().place;
}

std::string two_batches(const std::string& host, const std::string& b0, const std::string& b1) {
  return "Vulkan two\n{ x=0; }\n H0@host | B0@q 0, qf 0 | B1@q 1, qf 0 ;\n submit B0 | " + b0 + " | " + b1 +
         " ;\n submit B1 | | ;\n " + host + " | | ;\n";
}

}  // namespace

TEST_CASE("columns of the host and of batches are understood with their masks, names and calls") {
  const VulkanParse parse = parse_vulkan(small("noncoherent x, y; uniform x; exclusive y;", "flush x y",
                                               "dep compute+copy.shader_write+transfer_write host.host_read x, y"));
  REQUIRE(parse.test);
  REQUIRE(parse.test->host);
  const HostTest& host = *parse.test->host;
  CHECK(host.noncoherent.size() == 2);
  CHECK(host.uniform.size() == 1);
  CHECK(host.exclusive.size() == 1);
  const BatchCommand& barrier = host.batches.front().commands.front();
  CHECK(barrier.first->stages == (heddle::model::Stages::Compute | heddle::model::Stages::Copy));
  CHECK(barrier.second->accesses == heddle::model::Accesses::HostRead);
  CHECK(barrier.variables.size() == 2);
  CHECK(host.calls.size() == 1);
}

TEST_CASE("a host test is written as tags, with its columns as they stand, and understood again") {
  const std::string text = small("atom x y;", "st x, 1", "fill y, 2");
  const VulkanParse parse = parse_vulkan(text);
  REQUIRE(parse.test);
  const std::string spelled = spell(*parse.test, Spelling::Tags);
  const VulkanParse again = parse_vulkan(spelled);
  REQUIRE(again.test);
  CHECK(spell(*again.test, Spelling::Tags) == spelled);
  CHECK(again.test->host->batches.front().commands.front().text == "fill y, 2");
  CHECK_FALSE(why_not_spelled(*parse.test, Spelling::Calls).empty());
}

TEST_CASE("what no mask, order or column has is refused at its place") {
  CHECK(error_of(small("", "st x, 1", "dep compute.host_read compute")) ==
        "no stage of this mask has the access 'host_read'");
  const Place place = place_of_error(small("", "st x, 1", "dep compute.host_read compute"));
  CHECK(place.line == 4);
  CHECK(place.column == std::string(" st x, 1 | dep compute.").size() + 1);
  CHECK(error_of(small("", "st x, 1", "dep vertex compute")).find("expected a stage") == 0);
  CHECK(error_of(small("", "ld.atom.seq_cst r0, x", "fill x, 1")).find("a host column has no order 'seq_cst'") == 0);
  CHECK(error_of(small("", "membar.acq.dv.semsc0", "fill x, 1")).find("a host column has no fences") == 0);
  CHECK(error_of(small("", "cbar.wg 0", "fill x, 1")).find("expected an instruction of the host") == 0);
  CHECK(error_of(small("", "st x, 1", "st x, 1")).find("expected a command") == 0);
  CHECK(error_of("Vulkan plain\n{ x=0; noncoherent x; }\n P0@sg 0, wg 0, qf 0 ;\n st.sc0 x, 1 ;\n")
            .find("only a host test has memory that is 'noncoherent'") == 0);
}

TEST_CASE("a host's side that would wait for ever, or uses an object twice, is refused") {
  CHECK(error_of(small("", "wait f", "fill x, 1")).find("no submission signals fence 'f'") == 0);
  CHECK(error_of(two_batches("idle", "fill x, 1", "wait s")).find("nothing signals semaphore 's'") == 0);
  CHECK(error_of(two_batches("idle", "wait t, 1", "wait s, 1")).find("nothing signals semaphore") == 0);
  CHECK(error_of(two_batches("signal t, 1", "wait t, 2", "fill x, 1")).find("nothing signals semaphore 't'") == 0);
  CHECK(error_of(two_batches("idle", "signal s", "signal s")).find("binary semaphore 's' is signaled twice") == 0);
  CHECK(error_of(two_batches("submit B0", "fill x, 1", "fill x, 1")).find("batch B0 is submitted twice") == 0);
  CHECK(error_of(two_batches("idle", "await e", "fill x, 1")).find("nothing sets event 'e'") == 0);
  CHECK(error_of("Vulkan cycle\n{ x=0; }\n H0@host | B0@q 0, qf 0 ;\n submit B0, f | wait t, 1 ;\n wait f | ;\n"
                 " signal t, 1 | ;\n")
            .find("a cycle of waits") == 0);
  CHECK(error_of("Vulkan two-threads\n{ x=0; }\n H0@host | H1@host | B0@q 0, qf 0 | B1@q 0, qf 0 ;\n"
                 " submit B0 | submit B1 | fill x, 1 | fill x, 2 ;\n")
            .find("two threads of the host submit to queue 0") == 0);
  CHECK(error_of("Vulkan values\n{ x=0; }\n H0@host | B0@q 0, qf 0 ;\n submit B0 | fill x, 1 ;\n signal t, 2 | ;\n"
                 " signal t, 1 | ;\n")
            .find("semaphore 't' is signaled with 1 after 2") == 0);
}

TEST_CASE("dispatches, batches and jumps that cannot be are refused") {
  CHECK(error_of("Vulkan none\n{ x=0; }\n H0@host | B0@q 0, qf 0 | P0@sg 0, wg 0, qf 0 ;\n submit B0 | fill x, 1 | "
                 "ld.sc0 r0, x ;\n")
            .find("no batch dispatches thread P0") == 0);
  CHECK(error_of(small("", "st x, 1", "dispatch P0")).find("thread P0 is dispatched twice") == 0);
  CHECK(error_of(small("", "st x, 1", "signal s")).find("a batch has its waits first") == 0);
  CHECK(error_of("Vulkan unsent\n{ x=0; }\n H0@host | B0@q 0, qf 0 ;\n st x, 1 | fill x, 1 ;\n")
            .find("no host column submits batch B0") == 0);
  CHECK(error_of(
            "Vulkan jump\n{ x=0; noncoherent x; }\n H0@host ;\n ld r0, x ;\n beq r0, 0, LC00 ;\n flush x ;\n LC00: ;\n")
            .find("this jump skips the call in line 6") == 0);
}
