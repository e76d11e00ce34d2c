// Reads that are answered late: what load buffering needs, and what must never come of it.

#include <catch2/catch.hpp>

#include <set>
#include <string>

#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/memory/policy.h"
#include "emulator/trace/recorder.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

constexpr std::uint64_t kRuns = 4000;

/// Load buffering with these lines of code, left and right; a row for each.
std::string test_of(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string out =
      "Vulkan LB\n{ x=0; y=0; z=0; a aliases x; }\n"
      " P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n";
  for (const auto& [left, right] : rows) out += ' ' + left + " | " + right + " ;\n";
  return out + "exists (P0:r0 == 1 /\\ P1:r0 == 1)\n";
}

struct Result {
  /// Whether both threads read 1.
  bool buffered = false;
  bool allowed = false;
  std::uint64_t inconsistent = 0;
  std::uint64_t disagreements = 0;
  std::uint64_t forbidden = 0;
};

Result run_on(const std::string& source, MemoryPolicy policy) {
  const VulkanParse parse = parse_vulkan(source);
  for (const Diagnostic& error : parse.errors) UNSCOPED_INFO(describe("test", error));
  REQUIRE(parse.test);
  RunRequest request;
  request.memory = run::memory_of(policy);
  request.watch = [] { return detector_watch(true); };
  request.runs = kRuns;
  request.judged = kRuns;
  const RunTotals totals = litmus::run(*parse.test, request);
  std::set<Outcome> allowed;
  for (const OutcomeRow& row : answer(*parse.test, {}).outcomes) allowed.insert(row.values);
  const Outcome both{1, 1};
  Result result;
  result.allowed = allowed.count(both) > 0;
  result.inconsistent = totals.inconsistent;
  result.disagreements = *totals.detector_disagreements;
  for (const HistogramRow& row : totals.histogram) {
    result.buffered = result.buffered || row.values == both;
    if (allowed.count(row.values) == 0) ++result.forbidden;
  }
  return result;
}

MemoryPolicy answering_late(std::uint32_t chance) {
  MemoryPolicy policy = memory_policy("random");
  policy.late_reads = chance;
  return policy;
}

/// Load buffering comes up if and only if `possible`; every run is consistent, and the race detector knows
/// the judge's races.
void check(const std::vector<std::pair<std::string, std::string>>& rows, bool possible) {
  const std::string source = test_of(rows);
  INFO(source);
  const Result result = run_on(source, answering_late(192));
  CHECK(result.allowed == possible);
  CHECK(result.buffered == possible);
  CHECK(result.inconsistent == 0);
  CHECK(result.disagreements == 0);
  CHECK(result.forbidden == 0);
}

const std::string kLoadX = "ld.atom.dv.sc0 r0, x";
const std::string kLoadY = "ld.atom.dv.sc0 r0, y";
const std::string kStoreX = "st.atom.dv.sc0 x, 1";
const std::string kStoreY = "st.atom.dv.sc0 y, 1";

}  // namespace

TEST_CASE("load buffering comes up where reads are answered late, and nowhere else") {
  check({{kLoadX, kLoadY}, {kStoreY, kStoreX}}, true);
  const std::string source = test_of({{kLoadX, kLoadY}, {kStoreY, kStoreX}});
  CHECK_FALSE(run_on(source, answering_late(0)).buffered);
  for (const MemoryPolicy& policy : memory_policies()) {
    INFO(policy.name);
    // On "adversarial" no write moves before the end, so that there is nothing that a late read could meet.
    CHECK(run_on(source, policy).buffered == (policy.name == "random" || policy.name == "reordering"));
  }
}

//= vk:memory-model-program-order type=test
TEST_CASE("load buffering comes up with non-private and with private accesses, and through other accesses") {
  check({{"ld.nonpriv.sc0 r0, x", "ld.nonpriv.sc0 r0, y"}, {"st.nonpriv.sc0 y, 1", "st.nonpriv.sc0 x, 1"}}, true);
  check({{"ld.sc0 r0, x", "ld.sc0 r0, y"}, {"st.sc0 y, 1", "st.sc0 x, 1"}}, true);
  check({{kLoadX, kLoadY}, {"ld.atom.dv.sc0 r1, z", ""}, {"add r2, r1, 1", ""}, {kStoreY, kStoreX}}, true);
  check({{kLoadX, kLoadY}, {"rmw.atom.dv.sc0.add r1, y, 1", kStoreX}}, true);
}

TEST_CASE("a write whose value, or whose coming, depends on a read waits for it") {
  check({{kLoadX, kLoadY}, {"st.atom.dv.sc0 y, r0", "st.atom.dv.sc0 x, r0"}}, false);
  check({{kLoadX, kLoadY}, {"add r1, r0, 0", "add r1, r0, 0"}, {"st.atom.dv.sc0 y, r1", "st.atom.dv.sc0 x, r1"}},
        false);
  check({{kLoadX, kLoadY}, {"bne r0, 1, LC00", "bne r0, 1, LC01"}, {kStoreY, kStoreX}, {"LC00:", "LC01:"}}, false);
  // A dependency of one thread only leaves the other free.
  check({{kLoadX, kLoadY}, {"st.atom.dv.sc0 y, r0", kStoreX}}, true);
}

//= vk:memory-model-synchronizes-with type=test
TEST_CASE("a read is answered before whatever synchronizes behind it") {
  // The store to z is one that a late read may be behind; that to y is not.
  const std::string store_z = "st.atom.dv.sc0 z, 1";
  check({{kLoadX, "ld.atom.acq.dv.sc0.semsc0 r0, y"}, {store_z, kStoreX}, {"st.atom.rel.dv.sc0.semsc0 y, 1", ""}},
        false);
  check({{kLoadX, "ld.atom.acq.dv.sc0.semsc0 r0, y"}, {store_z, kStoreX}, {kStoreY, ""}}, true);
  check({{kLoadX, kLoadY}, {store_z, "membar.acq.dv.semsc0"}, {"membar.rel.dv.semsc0", kStoreX}, {kStoreY, ""}}, false);
}

//= vk:memory-model-location-ordered type=test
TEST_CASE("a read is answered before an access to its own bytes, under whatever name") {
  const auto own_write_read = [](const std::string& store) {
    return "Vulkan own\n{ x=0; y=0; a aliases x; }\n P0@sg 0, wg 0, qf 0 ;\n ld.atom.dv.sc0 r0, x ;\n"
           " st.atom.dv.sc0 y, 1 ;\n " +
           store +
           " ;\n ld.atom.dv.sc0 r1, y ;\n"
           "exists (P0:r0 == 1 /\\ P0:r1 == 1)\n";
  };
  for (const std::string store : {"st.atom.dv.sc0 x, 1", "st.atom.dv.sc0 a, 1"}) {
    INFO(store);
    const Result result = run_on(own_write_read(store), answering_late(256));
    CHECK_FALSE(result.buffered);
    CHECK(result.inconsistent == 0);
    CHECK(result.forbidden == 0);
  }
}

TEST_CASE("a recorded execution has a read that was answered late where program order has it") {
  const VulkanParse parse = parse_vulkan(test_of({{kLoadX, kLoadY}, {kStoreY, kStoreX}}));
  REQUIRE(parse.test);
  RunRequest request;
  request.memory = run::memory_of(answering_late(256));
  TestRunner runner(*parse.test, request);
  std::uint64_t late = 0;
  for (std::uint64_t number = 0; number < 100; ++number) {
    trace::Recorder recorder;
    runner.listen(&recorder);
    runner.run(number);
    const model::Execution execution = recorder.execution();
    REQUIRE(execution.operations.size() == 4);
    for (const AgentId agent : {AgentId{0}, AgentId{1}}) {
      std::vector<OperationKind> kinds;
      for (const Operation& operation : execution.operations)
        if (operation.agent == agent) kinds.push_back(operation.kind);
      CHECK(kinds == std::vector<OperationKind>{OperationKind::Read, OperationKind::Write});
    }
    for (model::OperationIndex told = 0; told < 4; ++told) {
      CHECK(recorder.told_as(recorder.position(told)) == told);
      if (recorder.position(told) != told) ++late;
    }
    for (const model::ReadsFrom& edge : execution.reads_from) {
      CHECK(execution.operations[edge.read].kind == OperationKind::Read);
      if (edge.write == model::kInitialValue) continue;
      CHECK(execution.read_values[edge.read] == execution.written_values[edge.write]);
      CHECK(execution.operations[edge.read].locations == execution.operations[edge.write].locations);
    }
  }
  CHECK(late > 0);
}
