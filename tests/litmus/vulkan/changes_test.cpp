// What is proposed to mend a litmus test is tried: here again, by the race detector on weak memory.
#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/litmus/run/race_watch.h"
#include "emulator/litmus/vulkan/changes.h"
#include "emulator/litmus/vulkan/forbidden.h"
#include "emulator/litmus/vulkan/forbidding_changes.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/trace/fork.h"
#include "emulator/trace/recorder.h"
#include "tests/how_many.h"
#include "tests/litmus/expectation.h"
#include "tests/litmus/run/memories_under_test.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

/// The thread of an operation's instruction, and where that stands: a change may put others in between.
using Spot = std::tuple<std::size_t, std::uint32_t, std::uint32_t>;
Spot spot(const Test& test, const Operation& operation) {
  const auto thread = static_cast<std::size_t>(operation.agent);
  const std::vector<Instruction>& code = test.threads.at(thread).code;
  const auto found = std::find_if(code.begin(), code.end(),
                                  [&](const Instruction& one) { return one.text.c_str() == operation.where.function; });
  if (found == code.end()) return {thread, 0, 0};
  return {thread, found->place.line, found->place.column};
}
using Pair = std::set<Spot>;
Pair pair_of(const Test& test, const Operation& a, const Operation& b) {
  return {spot(test, a), spot(test, b)};
}

/// Whether the two instructions race in one of so many runs on this memory.
bool races_in_runs(const Test& test, const Pair& pair, const MemoryUnderTest& memory, std::uint64_t runs) {
  RunRequest request;
  request.memory = memory.make;
  request.seed = 1 + first_seed();
  TestRunner runner(test, request);
  const auto watch = detector_watch(true);
  trace::Recorder recorder;
  trace::Fork both({&recorder, &watch->listener()});
  runner.listen(&both);
  for (std::uint64_t i = 0; i < runs; ++i) {
    recorder.clear();
    watch->restart();
    runner.run(i);
    if (!watch->racy() || !runner.passes_filter()) continue;
    const model::Execution execution = recorder.execution();
    for (const auto& [a, b] : watch->races())
      if (pair_of(test, execution.operations[recorder.position(a)], execution.operations[recorder.position(b)]) == pair)
        return true;
  }
  return false;
}

TestChanges changes_of(const Test& test, Pair* pair = nullptr) {
  Question question;
  question.keep_examples = true;
  const Answer found = answer(test, question);
  if (!found.race) return {};
  const std::vector<Operation>& all = found.race->execution.operations;
  if (pair) *pair = pair_of(test, all[found.race->first], all[found.race->second]);
  return changes_without_race(test, question, *found.race);
}

Test parsed(const std::string& source) {
  VulkanParse parse = parse_vulkan(source);
  REQUIRE(parse.test);
  return std::move(*parse.test);
}

/// A message from one workgroup to another one by a store and a load of this kind.
std::string message(const std::string& store, const std::string& load) {
  return "Vulkan MP\n{ x = 0; y = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n st.nonpriv.sc0 x, 1 | " + load +
         " r0, y ;\n " + store +
         " y, 1 | beq r0, 0, LC00 ;\n  | ld.nonpriv.sc0 r1, x ;\n  | LC00: ;\nexists (P1:r1 = 0)\n";
}

}  // namespace

TEST_CASE("the change of a litmus test mends the end that lacks something, and no more") {
  const std::string release = "st.atom.rel.dv.sc0.semsc0.semav";
  const std::string acquire = "ld.atom.acq.dv.sc0.semsc0.semvis";
  const auto first = [&](const std::string& store, const std::string& load) {
    const TestChanges found = changes_of(parsed(message(store, load)));
    REQUIRE_FALSE(found.changes.empty());
    CHECK_FALSE(found.changes[0].unordered);
    return found.changes[0].text;
  };
  CHECK(changes_of(parsed(message(release, acquire))).changes.empty());
  CHECK(first("st.atom.rel.dv.sc0.semsc0", acquire).find("add MakeAvailable to the atomic write in P0's `") == 0);
  CHECK(
      first(release, "ld.atom.acq.wg.sc0.semsc0.semvis").find("widen the memory scope of the atomic read in P1's `") ==
      0);
  CHECK(first("st.atom.dv.sc0", acquire).find("give the atomic write in P0's `") == 0);
}

TEST_CASE("what is asked for and comes with a race is forbidden by a change of what sends or gets the message") {
  const auto forbidding = [](const std::string& store, const std::string& load, const std::string& asked) {
    const Test test = parsed("Vulkan MP\n{ x = 0; f = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n" +
                             std::string(" st.av.dv.sc0 x, 1 | ") + load + " r0, f ;\n " + store +
                             " f, 1 | ld.vis.dv.sc0 r1, x ;\n" + asked + "\n");
    const std::vector<TestChange> found = changes_that_forbid(test, {}, answer(test, {}));
    for (const TestChange& change : found) {
      INFO(change.text);
      CHECK_FALSE(change.unordered);
      for (const OutcomeRow& row : answer(change.changed, {}).outcomes) CHECK_FALSE(is_asked(test, row.values));
    }
    return found;
  };
  const std::string release = "st.atom.rel.dv.sc0.semsc0.semav";
  const std::string acquire = "ld.atom.acq.dv.sc0.semsc0.semvis";
  const std::string stale = "exists (P1:r0 = 1 /\\ P1:r1 = 0)";
  const auto found = forbidding("st.atom.dv.sc0", acquire, stale);
  REQUIRE_FALSE(found.empty());
  CHECK_THAT(found[0].text, Catch::StartsWith("give the atomic write in P0's `st.atom.dv.sc0 f, 1`") &&
                                Catch::EndsWith("Release | UniformMemory | MakeAvailable"));
  CHECK_THAT(found[0].other_race, Catch::Contains("still races with P1's"));
  CHECK_FALSE(forbidding(release, "ld.atom.dv.sc0", stale).empty());
  CHECK_FALSE(forbidding("st.atom.dv.sc0", "ld.atom.dv.sc0", stale).empty());
  CHECK_FALSE(forbidding("st.atom.dv.sc0", acquire, "forall (P1:r0 = 0 \\/ P1:r1 = 1)").empty());
  const auto narrow = forbidding("st.atom.rel.wg.sc0.semsc0.semav", acquire, stale);
  REQUIRE(narrow.size() == 1);
  CHECK_THAT(narrow[0].text, Catch::EndsWith("from Workgroup to QueueFamily"));
  // An outcome that no execution has, and one whose executions have no race, need no change.
  CHECK(forbidding(release, acquire, stale).empty());
  CHECK(forbidding("st.atom.dv.sc0", acquire, "exists (P1:r0 = 2)").empty());
}

TEST_CASE("with what is proposed no run of a random test has the race", "[nightly]") {
  const std::uint64_t wanted = how_many("HEDDLE_CHANGED_TESTS", 40, 1000);
  const std::uint64_t runs = how_many("HEDDLE_CHANGED_RUNS", 20, 500);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/tests/litmus/random"))
    if (entry.path().extension() == ".litmus") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::uint64_t racy = 0;
  std::size_t tried = 0;
  const std::size_t step = std::max<std::size_t>(files.size() / wanted, 1);
  for (std::size_t i = first_seed() % step; i < files.size(); i += step) {
    INFO(files[i]);
    const Test test = parsed(read_text(files[i]));
    if (needs_domains(test)) continue;
    Pair pair;
    const TestChanges found = changes_of(test, &pair);
    racy += pair.empty() ? 0 : 1;
    for (const TestChange& change : found.changes) {
      INFO(change.text);
      ++tried;
      for (const MemoryUnderTest& memory : memories_under_test())
        REQUIRE_FALSE(races_in_runs(change.changed, pair, memory, runs));
    }
  }
  REQUIRE(racy > 0);
  REQUIRE(tried >= racy);
}
