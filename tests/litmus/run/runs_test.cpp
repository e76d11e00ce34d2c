#include <catch2/catch.hpp>

#include <set>
#include <string>

#include "emulator/litmus/run/interleavings.h"
#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/memory/sequential.h"
#include "emulator/trace/recorder.h"
#include "tests/litmus/expectation.h"
#include "tests/litmus/run/memories_under_test.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

Test parsed(const std::string& source) {
  VulkanParse parse = parse_vulkan(source);
  for (const Diagnostic& error : parse.errors) UNSCOPED_INFO(describe("test", error));
  REQUIRE(parse.test);
  return *std::move(parse.test);
}

RunRequest request(std::uint64_t runs) {
  RunRequest out;
  out.memory = memories_under_test().front().make;
  out.runs = runs;
  return out;
}

std::set<Outcome> outcomes(const RunTotals& totals) {
  std::set<Outcome> out;
  for (const HistogramRow& row : totals.histogram) out.insert(row.values);
  return out;
}

std::set<Outcome> interleaved(const Test& test) {
  const auto out = interleaved_outcomes(test, 2, 100000);
  REQUIRE(out);
  return *out;
}

const std::string kStoreBuffering = R"(Vulkan SB
{ x=0; y=0; }
 P0@sg 0, wg 0, qf 0   | P1@sg 0, wg 1, qf 0   ;
 st.atom.dv.sc0 x, 1   | st.atom.dv.sc0 y, 1   ;
 ld.atom.dv.sc0 r0, y  | ld.atom.dv.sc0 r0, x  ;
exists (P0:r0 == 0 /\ P1:r0 == 0))";

const std::string kBarrier = R"(Vulkan barrier
{ x=0; y=0; }
 P0@sg 0, wg 0, qf 0                   | P1@sg 1, wg 0, qf 0                   ;
 st.nonpriv.sc0 x, 1                   | st.nonpriv.sc0 y, 2                   ;
 cbar.acq_rel.wg.semsc0.semav.semvis 1 | cbar.acq_rel.wg.semsc0.semav.semvis 1 ;
 ld.nonpriv.sc0 r0, y                  | ld.nonpriv.sc0 r0, x                  ;
exists (P0:r0 == 2 /\ P1:r0 == 1))";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("store buffering has three outcomes on sequentially consistent memory") {
  const Test test = parsed(kStoreBuffering);
  const std::set<Outcome> expected{{0, 1}, {1, 0}, {1, 1}};
  CHECK(interleaved(test) == expected);
  CHECK(outcomes(litmus::run(test, request(500))) == expected);
}

TEST_CASE("a run has the same outcome in whatever number of threads the runs are made") {
  const Test test = parsed(kStoreBuffering);
  RunRequest one = request(5000);
  one.judged = 300;
  RunRequest three = one;
  three.jobs = 3;
  const RunTotals a = litmus::run(test, one);
  const RunTotals b = litmus::run(test, three);
  REQUIRE(a.histogram.size() == b.histogram.size());
  for (std::size_t i = 0; i < a.histogram.size(); ++i) {
    CHECK(a.histogram[i].values == b.histogram[i].values);
    CHECK(a.histogram[i].count == b.histogram[i].count);
    CHECK(a.histogram[i].first_run == b.histogram[i].first_run);
  }
  CHECK(a.judged == 300);
  CHECK(b.judged == 300);
  CHECK(a.first_racy_run == b.first_racy_run);
}

TEST_CASE("another seed makes other runs") {
  const Test test = parsed(kStoreBuffering);
  RunRequest other = request(1000);
  other.seed = 2;
  const RunTotals a = litmus::run(test, request(1000));
  const RunTotals b = litmus::run(test, other);
  bool equal = true;
  for (std::size_t i = 0; i < a.histogram.size(); ++i) equal = equal && a.histogram[i].count == b.histogram[i].count;
  CHECK_FALSE(equal);
}

TEST_CASE("a run made alone ends as it ended among many") {
  const Test test = parsed(kStoreBuffering);
  const RunTotals totals = litmus::run(test, request(1000));
  for (const HistogramRow& row : totals.histogram) {
    TestRunner runner(test, request(1));
    runner.run(row.first_run);
    CHECK(runner.outcome() == row.values);
  }
}

TEST_CASE("no thread passes a control barrier before all have arrived") {
  CHECK(outcomes(litmus::run(parsed(kBarrier), request(500))) == std::set<Outcome>{{2, 1}});
  // Without P1's barrier no other thread takes part in P0's.
  const Test apart = parsed(replaced(kBarrier, "| cbar.acq_rel.wg.semsc0.semav.semvis 1", "| "));
  CHECK(outcomes(litmus::run(apart, request(500))).size() > 1);
}

TEST_CASE("a run in which a thread waits for ever at a barrier is blocked") {
  // P1 jumps over its barrier.
  const Test test = parsed(R"(Vulkan jump
{ x=0; }
 P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 ;
 cbar.wg 1           | goto LC00           ;
                     | cbar.wg 1           ;
                     | LC00:               ;
exists (0 == 0))");
  const RunTotals totals = litmus::run(test, request(100));
  CHECK(totals.blocked == 100);
  CHECK(totals.histogram.empty());
}

TEST_CASE("a thread that has arrived may be in the set that synchronizes at a quorum") {
  const Test test = parsed(R"(Vulkan quorum
{ x=0; }
 P0@sg 0, wg 0, qf 0      | P1@sg 1, wg 0, qf 0      | P2@sg 2, wg 0, qf 0      ;
 cbar.acq_rel.wg.semsc0 1, r, 2 | cbar.acq_rel.wg.semsc0 1, r, 2 | cbar.acq_rel.wg.semsc0 1, r, 2 ;
exists (0 == 0))");
  std::set<std::vector<AgentId>> sets;
  TestRunner runner(test, request(1));
  for (std::uint64_t number = 0; number < 500; ++number) {
    trace::Recorder recorder;
    runner.listen(&recorder);
    REQUIRE(runner.run(number) == run::RunEnd::Terminated);
    const model::Execution execution = recorder.execution();
    REQUIRE(execution.quorum_choices.size() == 1);
    std::vector<AgentId> agents;
    for (const auto arrival : execution.quorum_choices[0].synchronizing)
      agents.push_back(execution.operations[arrival].agent);
    std::sort(agents.begin(), agents.end());
    sets.insert(agents);
  }
  // The three pairs, and all.
  CHECK(sets.size() == 4);
  for (const auto& agents : sets) CHECK(agents.size() >= 2);
}

TEST_CASE("a spinning thread goes on when what it waits for comes, whatever the bound") {
  const std::string spin = R"(Vulkan spin
{ x=0; }
 P0@sg 0, wg 0, qf 0  | P1@sg 0, wg 1, qf 0 ;
 LC00:                | st.atom.dv.sc0 x, 1 ;
 ld.atom.dv.sc0 r0, x | st.atom.dv.sc0 x, 2 ;
 bne r0, 2, LC00      | st.atom.dv.sc0 x, 2 ;
exists (P0:r0 == 2))";
  RunRequest asked = request(200);
  asked.bound = 1;
  const RunTotals totals = litmus::run(parsed(spin), asked);
  REQUIRE(totals.histogram.size() == 1);
  CHECK(totals.histogram[0].count == 200);

  const RunTotals for_ever = litmus::run(parsed(replaced(spin, "bne r0, 2", "bne r0, 3")), asked);
  CHECK(for_ever.blocked == 200);
}

TEST_CASE("a loop that changes something is cut at the bound, as the explorer cuts it") {
  const std::string loop = R"(Vulkan loop
{ x=0; }
 P0@sg 0, wg 0, qf 0   ;
 LC00:                 ;
 add r0, r0, 1         ;
 bne r0, 3, LC00       ;
exists (P0:r0 == 3))";
  RunRequest asked = request(10);
  asked.bound = 2;
  CHECK(litmus::run(parsed(loop), asked).cut == 10);
  asked.bound = 3;
  CHECK(litmus::run(parsed(loop), asked).histogram.size() == 1);
}

TEST_CASE("a run that divides by zero is cut there") {
  const Test test = parsed(R"(Vulkan division
{ x=0; }
 P0@sg 0, wg 0, qf 0   ;
 ld.atom.dv.sc0 r0, x  ;
 div r1, 6, r0         ;
 st.atom.dv.sc0 x, 1   ;
exists (x == 1))");
  TestRunner runner(test, request(1));
  CHECK(runner.run(0) == run::RunEnd::Cut);
  CHECK(runner.outcome() == Outcome{0});
}

TEST_CASE("a thread that another system-synchronizes with begins when that has finished") {
  const std::string source = R"(Vulkan ssw
{ x=0; P1:r0=0; }
{ ssw 0 1; }
 P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;
 st.sc0 x, 1         | ld.sc0 r0, x        ;
exists (P1:r0 == 1))";
  CHECK(outcomes(litmus::run(parsed(source), request(200))) == std::set<Outcome>{{1}});
  const std::string apart = replaced(source, "{ ssw 0 1; }", "{ }");
  CHECK(outcomes(litmus::run(parsed(apart), request(200))) == std::set<Outcome>{{0}, {1}});
}

TEST_CASE("the judge finds no fault with sequentially consistent memory, and the races it has") {
  RunRequest asked = request(200);
  asked.judged = 200;
  const RunTotals racy =
      litmus::run(parsed(replaced(kBarrier, "wg.semsc0.semav.semvis 1", "wg.semsc1.semav.semvis 1")), asked);
  CHECK(racy.judged == 200);
  CHECK(racy.inconsistent == 0);
  CHECK(racy.watched == 200);
  CHECK(racy.racy_runs == 200);
  CHECK(racy.first_racy_run == 0);
  const RunTotals clean = litmus::run(parsed(kBarrier), asked);
  CHECK(clean.inconsistent == 0);
  CHECK(clean.racy_runs == 0);
  CHECK_FALSE(clean.first_racy_run);
}

TEST_CASE("runs that the filter discards are counted apart") {
  const Test test = parsed(replaced(kStoreBuffering, "exists", "filter (P0:r0 == 1) exists"));
  const RunTotals totals = litmus::run(test, request(500));
  CHECK(outcomes(totals) == std::set<Outcome>{{1, 0}, {1, 1}});
  std::uint64_t counted = totals.filtered;
  for (const HistogramRow& row : totals.histogram) counted += row.count;
  CHECK(totals.filtered > 0);
  CHECK(counted == 500);
}

//= vk:memory-model-deallocation type=test
TEST_CASE("judged runs tell whether accesses happen before their memory is freed") {
  const std::string source = R"(Vulkan free
{ x=0; }
{ ssw 0 1; }
 P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;
 st.sc0 x, 1         | free x              ;
exists (x == 1))";
  RunRequest asked = request(100);
  asked.judged = 60;
  const RunTotals ordered = litmus::run(parsed(source), asked);
  CHECK(ordered.freed_early == 0);
  CHECK_FALSE(ordered.first_freed_early_run);
  const RunTotals unordered = litmus::run(parsed(replaced(source, "{ ssw 0 1; }", "{ }")), asked);
  CHECK(unordered.freed_early == 60);
  CHECK(unordered.first_freed_early_run == 0);
}

//= vk:memory-model-cooperative-matrix type=test
TEST_CASE("any of the threads of a cooperative access may perform it in a run, and one does") {
  const std::string source = R"(Vulkan coop
{ x=7; P0:r0=0; P1:r0=0; P2:r0=0; }
 P0@sg 0, wg 0, qf 0          | P1@sg 1, wg 0, qf 0          | P2@sg 2, wg 0, qf 0          ;
 coopld.wg.sc0 r0, x, tile    | coopld.wg.sc0 r0, x, tile    | coopld.wg.sc0 r0, x, tile    ;
exists (P0:r0 == 7 /\ P1:r0 == 7 /\ P2:r0 == 7))";
  const std::set<Outcome> one_of_three{{7, 0, 0}, {0, 7, 0}, {0, 0, 7}};
  CHECK(outcomes(litmus::run(parsed(source), request(200))) == one_of_three);
  CHECK(interleaved(parsed(source)) == one_of_three);
  const Test apart = parsed(replaced(source, "coopld.wg.sc0 r0, x, tile    ;", "coopld.wg.sc0 r0, x, other   ;"));
  CHECK(outcomes(litmus::run(apart, request(200))) == std::set<Outcome>{{7, 0, 7}, {0, 7, 7}});
}

TEST_CASE("sequentially consistent memory reaches every interleaving, and nothing that is forbidden") {
  std::size_t interleavings = 0;
  for (const LibraryFile& file : read_library()) {
    INFO(file.path);
    const Test test = parsed(file.source);
    const std::set<Outcome> all = interleaved(test);
    interleavings += all.size();
    std::set<Outcome> allowed;
    for (const OutcomeRow& row : answer(test, {}).outcomes) allowed.insert(row.values);
    CHECK(std::includes(allowed.begin(), allowed.end(), all.begin(), all.end()));
    // The rarest of the interleavings has a chance of more than one in a thousand.
    const std::set<Outcome> reached = outcomes(litmus::run(test, request(20000)));
    CHECK(reached == all);
  }
  CHECK(interleavings > 300);
}
