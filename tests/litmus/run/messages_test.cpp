// Messages that must arrive on every memory, and those that lack one thing, which must not always arrive.

#include <catch2/catch.hpp>

#include <string>
#include <utility>

#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/litmus/run/memories_under_test.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

struct Ends {
  std::uint64_t all = 0;
  /// That satisfy the assertion.
  std::uint64_t asked = 0;
};

Ends ends_of(const std::string& source, const MemoryUnderTest& memory, std::uint64_t runs) {
  const VulkanParse parse = parse_vulkan(source);
  for (const Diagnostic& error : parse.errors) UNSCOPED_INFO(describe("test", error));
  REQUIRE(parse.test);
  RunRequest request;
  request.memory = memory.make;
  request.runs = runs;
  request.judged = runs / 10;
  const RunTotals totals = litmus::run(*parse.test, request);
  CHECK(totals.inconsistent == 0);
  Ends ends;
  for (const HistogramRow& row : totals.histogram) {
    ends.all += row.count;
    if (satisfies(row.values, *parse.test->assertion)) ends.asked += row.count;
  }
  return ends;
}

// Some policies rarely show the flag to threads that look at it once.
void check_never_stale(const std::string& source) {
  for (const MemoryUnderTest& memory : memories_under_test()) {
    INFO(memory.name << '\n' << source);
    const Ends ends = ends_of(source, memory, 1000);
    CHECK(ends.asked == 0);
    if (memory.name == "random") CHECK(ends.all > 50);
  }
}

/// In how many of 100 runs on the policy `random`, of those that the filter lets through.
std::uint64_t percent_stale(const std::string& source) {
  for (const MemoryUnderTest& memory : memories_under_test()) {
    if (memory.name != "random") continue;
    const Ends ends = ends_of(source, memory, 4000);
    return ends.all == 0 ? 0 : 100 * ends.asked / ends.all;
  }
  return 0;
}

const std::string kMessage = R"(Vulkan Message
{ x = 0; y = 0; }
 P0@sg 0, wg 0, qf 0                  | P1@sg 0, wg 1, qf 0                     ;
 st.nonpriv.sc0 x, 1                  | ld.atom.acq.dv.sc0.semsc0.semvis r0, y  ;
 st.atom.rel.dv.sc0.semsc0.semav y, 1 | ld.nonpriv.sc0 r1, x                    ;
filter (P1:r0 == 1)
exists (P1:r1 == 0))";

const std::string kByBarrier = R"(Vulkan Message
{ x = 0; y = 0; }
 P0@sg 0, wg 0, qf 0                  | P1@sg 0, wg 1, qf 0                   ;
 st.nonpriv.sc0 x, 1                  | ld.atom.dv.sc0 r0, y                  ;
 st.atom.rel.dv.sc0.semsc0.semav y, 1 | cbar.acq_rel.dv.semsc0.semav.semvis 1 ;
                                      | ld.nonpriv.sc0 r1, x                  ;
filter (P1:r0 == 1)
exists (P1:r1 == 0))";

const std::string kByBarrierOfTwo = R"(Vulkan Message
{ x = 0; y = 0; }
 P0@sg 0, wg 0, qf 0                  | P1@sg 0, wg 1, qf 0                   | P2@sg 1, wg 1, qf 0                   ;
 st.nonpriv.sc0 x, 1                  | ld.atom.dv.sc0 r0, y                  | cbar.acq_rel.dv.semsc0.semav.semvis 1 ;
 st.atom.rel.dv.sc0.semsc0.semav y, 1 | cbar.acq_rel.dv.semsc0.semav.semvis 1 | ld.nonpriv.sc0 r2, x                  ;
                                      | ld.nonpriv.sc0 r1, x                  |                                       ;
filter (P1:r0 == 1)
exists (P1:r1 == 0 \/ P2:r2 == 0))";

/// P1 makes visible and hands on, and P2 makes visible behind an acquire that does not.
const std::string kVisibleByTwo = R"(Vulkan Message
{ x = 0; f = 0; g = 0; }
 P0@sg 0, wg 0, qf 0                  | P1@sg 0, wg 1, qf 0                    | P2@sg 1, wg 1, qf 0             ;
 st.nonpriv.sc0 x, 1                  | LC0:                                   | LC0:                            ;
 st.atom.rel.dv.sc0.semsc0.semav f, 1 | ld.atom.acq.dv.sc0.semsc0.semvis r0, f | ld.atom.acq.dv.sc0.semsc0 r0, g ;
                                      | beq r0, 0, LC0                         | beq r0, 0, LC0                  ;
                                      | st.atom.rel.dv.sc0.semsc0 g, 1         | membar.acq.wg.semsc0.semvis     ;
                                      |                                        | ld.nonpriv.sc0 r1, x            ;
filter (P1:r0 == 1 /\ P2:r0 == 1)
exists (P2:r1 == 0))";

}  // namespace

//= vk:memory-model-availability-visibility type=test
TEST_CASE("a visibility operation goes on with the chain of one in its own instance, and of no other one") {
  check_never_stale(kVisibleByTwo);
  // The second one is in another workgroup, or of a narrower scope, or the first one is missing.
  for (const auto& [from, to] : {std::pair{"P2@sg 1, wg 1", "P2@sg 0, wg 2"},
                                 {"membar.acq.wg", "membar.acq.sg"},
                                 {"ld.atom.acq.dv.sc0.semsc0.semvis r0, f", "ld.atom.acq.dv.sc0.semsc0 r0, f"}}) {
    INFO(from << " becomes " << to);
    CHECK(percent_stale(replaced(kVisibleByTwo, from, to)) >= 5);
  }
  // The reading operation's own visibility operation is the second one.
  const std::string by_read =
      replaced(replaced(kVisibleByTwo, "membar.acq.wg.semsc0.semvis    ", "membar.acq.dv.semsc0"),
               "ld.nonpriv.sc0 r1, x", "ld.vis.wg.sc0 r1, x");
  check_never_stale(by_read);
  CHECK(percent_stale(replaced(by_read, "P2@sg 1, wg 1", "P2@sg 0, wg 2")) >= 5);
}

TEST_CASE("a message is stale on no memory, and on the policy random whatever it lacks") {
  check_never_stale(kMessage);
  const std::pair<const char*, const char*> lacks[] = {{"st.nonpriv", "st"},
                                                       {"ld.nonpriv", "ld"},
                                                       {".semav", ""},
                                                       {".semvis", ""},
                                                       {"rel.dv.sc0.semsc0", "rel.dv.sc0.semsc1"},
                                                       {"acq.dv.sc0.semsc0", "acq.dv.sc0.semsc1"},
                                                       {"st.atom.rel.dv", "st.atom.rel.wg"},
                                                       {"ld.atom.acq.dv", "ld.atom.acq.wg"},
                                                       {"st.atom.rel.dv.sc0.semsc0.semav", "st.atom.dv.sc0"},
                                                       {"ld.atom.acq.dv.sc0.semsc0.semvis", "ld.atom.dv.sc0"}};
  for (const auto& [from, to] : lacks) {
    INFO(from << " becomes " << to);
    CHECK(percent_stale(replaced(kMessage, from, to)) >= 5);
  }
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a control barrier acquires by a relaxed load in front of it, for its own thread and who meets it there") {
  check_never_stale(kByBarrier);
  check_never_stale(kByBarrierOfTwo);
  // A scope that does not have the sender.
  CHECK(percent_stale(replaced(kByBarrier, "cbar.acq_rel.dv", "cbar.acq_rel.wg")) >= 5);
  CHECK(percent_stale(replaced(kByBarrier, "cbar.acq_rel.dv.semsc0.semav.semvis", "cbar.dv")) >= 5);
  CHECK(percent_stale(replaced(kByBarrier, "cbar.acq_rel.dv.semsc0.semav.semvis", "cbar.rel.dv.semsc0.semav")) >= 5);
  CHECK(percent_stale(replaced(kByBarrierOfTwo, "1 ;\n st.atom", "2 ;\n st.atom")) >= 5);
}

//= vk:memory-model-tessellation-output-ordering type=test
TEST_CASE(
    "what one tessellation control thread read of an output no other one reads an older value of, past a barrier") {
  const std::string outputs = R"(Vulkan Outputs
{ x = 0; }
 P0@sg 0, wg 1, qf 0, stage tesscontrol | P1@sg 0, wg 0, qf 0, stage tesscontrol | P2@sg 1, wg 0, qf 0, stage tesscontrol ;
 st.av.dv.sc3 x, 1                      | ld.sc3 r0, x                           | cbar.wg 1                              ;
                                        | cbar.wg 1                              | ld.vis.dv.sc3 r1, x                    ;
filter (P1:r0 == 1)
exists (P2:r1 == 0))";
  check_never_stale(outputs);
  std::string compute = outputs;
  for (std::size_t at = 0; (at = compute.find("tesscontrol")) != std::string::npos;) compute.replace(at, 11, "compute");
  CHECK(percent_stale(compute) >= 1);
}

// The store is known to the reader by a barrier of another class; the update, which waits, goes in front of it.
//= vk:memory-model-location-ordered type=test
TEST_CASE(
    "a thread whose update went to the cache in front of somebody's store reads that store, or its update there") {
  check_never_stale(R"(Vulkan Update
{ x = 0; }
 P0@sg 1, wg 1, qf 0                   | P1@sg 1, wg 1, qf 0                   ;
 st.atom.wg.sc0 x, 2                   | rmw.atom.wg.sc0.add r0, x, 4          ;
 cbar.acq_rel.qf.semsc2.semav.semvis 1 | cbar.acq_rel.qf.semsc2.semav.semvis 1 ;
                                       | ld.atom.sg.sc0 r1, x                  ;
exists (P1:r1 == 0))");
}
