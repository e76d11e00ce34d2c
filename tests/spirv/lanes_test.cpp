#include <heddle/memory_policy.h>

#include <catch2/catch.hpp>

#include "emulator/spirv/run/run.h"
#include "emulator/spirv/termination.h"
#include "tests/spirv/run_module.h"

using namespace heddle::spirv;

namespace {

std::vector<std::uint8_t> bytes_of(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> out;
  for (const std::uint32_t word : words)
    for (unsigned shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::uint8_t>(word >> shift));
  return out;
}

/// What the program leaves in its second buffer, in a run on the weak machine.
std::vector<std::uint8_t> left_by_lanes(bool maximal) {
  DispatchOptions options;
  options.groups = {2, 1, 1};
  options.buffers[{0, 0}] = bytes_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  options.buffers[{0, 1}] = bytes_of(std::vector<std::uint32_t>(16));
  options.reconverge_maximal = maximal;
  const Ran ran(text_of("programs/lanes.spvasm"), options);
  RunRequest request;
  request.policy = heddle::memory_policy("random");
  request.runs = 20;
  request.kept = {ran.dispatch.object_at({0, 1})};
  const RunTotals totals = run(ran.analysis, ran.question, request);
  CHECK(totals.racy_runs == 0);
  CHECK(totals.blocked == 0);
  CHECK(totals.findings.empty());
  REQUIRE(totals.first_ended);
  return totals.memory.front();
}

Ran lane_waits(bool stores_first) {
  DispatchOptions options;
  options.specialization[0] = stores_first ? "1" : "0";
  options.buffers[{0, 0}] = bytes_of({0});
  options.buffers[{0, 1}] = bytes_of({0, 0});
  return Ran(text_of("programs/lane_waits.spvasm"), options);
}

}  // namespace

// Each number: the scan, then two digits counted within the loop, then the lanes behind it, those that the function
// counts or twice the lane, and the lanes behind the call.
TEST_CASE("lanes that were not promised to be together again stay apart") {
  CHECK(left_by_lanes(false) == bytes_of({803, 100823, 306843, 600855, 1010855, 1500855, 2110855, 2800855, 812302,
                                          1700221, 2712342, 3800211, 5012311, 0, 0, 0}));
}

TEST_CASE("with --reconverge maximal lanes are together behind each construct and each call") {
  CHECK(left_by_lanes(true) == bytes_of({808, 100828, 306848, 600858, 1010858, 1500858, 2110858, 2800858, 812505,
                                         1700525, 2712545, 3800525, 5012525, 0, 0, 0}));
}

TEST_CASE("an instruction of a subgroup waits for a lane that spins, on the machine and for progress") {
  for (const bool stores_first : {true, false}) {
    INFO("stores first: " << stores_first);
    const Ran ran = lane_waits(stores_first);
    RunRequest request;
    request.policy = heddle::memory_policy("random");
    request.runs = 20;
    request.bound = 500;
    const RunTotals totals = run(ran.analysis, ran.question, request);
    CHECK(totals.cut == (stores_first ? 0 : 20));
    CHECK(totals.racy_runs == 0);
    const Termination ends =
        termination(ran.analysis, ran.question, heddle::progress::parse_progress_models("fair"), nullptr);
    REQUIRE(ends.terminates);
    CHECK(*ends.terminates == stores_first);
  }
}
