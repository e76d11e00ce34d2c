#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "emulator/domains/domain_memory.h"
#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/how_many.h"
#include "tests/litmus/expectation.h"
#include "tests/litmus/vulkan/random_host.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

std::string spelled(const Outcome& values) {
  std::string out;
  for (const Integer value : values) out += ' ' + std::to_string(value);
  return out;
}

Test parsed(const std::string& source) {
  VulkanParse parse = parse_vulkan(source);
  if (!parse.test) FAIL(parse.errors.front().message << '\n' << source);
  return std::move(*parse.test);
}

RunTotals totals_of(const Test& test, const MemoryPolicy& policy, std::uint64_t runs, bool judged) {
  RunRequest request;
  request.memory = memory_of(test, policy);
  request.watch = [] { return detector_watch(true); };
  request.runs = runs;
  request.judged = judged ? runs : 0;
  request.seed = 1 + first_seed();
  return litmus::run(test, request);
}

/// Whether all runs are consistent, the detector names the races that the judge names, and the ends are allowed.
bool is_sound(const std::string& name, const Test& test, std::uint64_t runs, const std::set<Outcome>* allowed) {
  bool sound = true;
  for (const MemoryPolicy& policy : memory_policies()) {
    const RunTotals totals = totals_of(test, policy, runs, true);
    if (totals.inconsistent > 0)
      WARN(name << " on " << policy.name << ": inconsistent, first run " << *totals.first_inconsistent_run);
    if (totals.detector_disagreements != 0)
      WARN(name << " on " << policy.name << ": detector and judge disagree, first run "
                << *totals.first_disagreement_run);
    sound = sound && totals.inconsistent == 0 && totals.detector_disagreements == 0;
    for (const HistogramRow& row : totals.histogram) {
      if (allowed == nullptr || allowed->count(row.values) != 0) continue;
      WARN(name << " on " << policy.name << ": forbidden outcome" << spelled(row.values) << ", run " << row.first_run);
      sound = false;
    }
  }
  return sound;
}

struct Case {
  std::string name;
  Test test;
  std::set<Outcome> allowed;
  bool racy = false;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  const std::string directory = std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/host/";
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".litmus") continue;
    Case one{entry.path().stem().string(), parsed(read_text(entry.path().string())), {}, false};
    const Answer answered = answer(one.test, {});
    for (const OutcomeRow& row : answered.outcomes) one.allowed.insert(row.values);
    one.racy = answered.racy;
    all.push_back(std::move(one));
  }
  std::sort(all.begin(), all.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return all;
}

}  // namespace

//= vk:memory-model-vulkan-availability-visibility type=test
//= vk:memory-model-system-synchronizes-with type=test
TEST_CASE("whatever the memory, every run of the 180 host tests is consistent and ends as the model allows",
          "[nightly]") {
  const std::uint64_t runs = how_many("HEDDLE_MACHINE_RUNS", 20, 1000);
  std::size_t sound = 0;
  for (const Case& one : cases()) sound += is_sound(one.name, one.test, runs, &one.allowed) ? 1 : 0;
  CHECK(sound == 180);
}

//= vk:memory-model-shader-io type=test
TEST_CASE("fragment shader interlock and shader inputs run on memory with domains as the model has them") {
  for (const char* name : {"Interlock+first", "Interlock+last", "Interlock+unavailable", "Interlock+image-class",
                           "Interlock+workgroup-class", "Input+fed", "Input+unfed", "Input+vertex"}) {
    INFO(name);
    std::vector<LibraryFile> library = read_library();
    const auto file =
        std::find_if(library.begin(), library.end(), [&](const LibraryFile& one) { return one.name == name; });
    REQUIRE(file != library.end());
    const Test test = parsed(file->source);
    const Answer answered = answer(test, {});
    std::set<Outcome> allowed;
    for (const OutcomeRow& row : answered.outcomes) allowed.insert(row.values);
    CHECK(is_sound(name, test, 300, &allowed));
    const RunTotals totals = totals_of(test, memory_policy("random"), 1000, true);
    // Storage classes apart, which this memory does not tell from each other, all of them come up.
    const bool of_classes = std::string_view(name).find("-class") != std::string_view::npos;
    CHECK((of_classes || totals.histogram.size() == allowed.size()));
    CHECK((totals.racy_runs > 0) == answered.racy);
  }
}

TEST_CASE("memory with domains runs all of the library as the model has it, with a host's side or without",
          "[nightly]") {
  const std::uint64_t runs = how_many("HEDDLE_MACHINE_RUNS", 10, 500);
  for (const LibraryFile& file : read_library()) {
    INFO(file.name);
    const Test test = parsed(file.source);
    std::set<Outcome> allowed;
    for (const OutcomeRow& row : answer(test, {}).outcomes) allowed.insert(row.values);
    for (const char* policy : {"random", "adversarial"}) {
      RunRequest request;
      request.memory = [policy = memory_policy(policy)](Choice& choice) {
        return std::make_unique<domains::DomainMemory>(policy, choice);
      };
      request.watch = [] { return detector_watch(true); };
      request.runs = request.judged = runs;
      request.seed = 1 + first_seed();
      const RunTotals totals = litmus::run(test, request);
      CHECK(totals.inconsistent == 0);
      CHECK(totals.detector_disagreements == 0);
      for (const HistogramRow& row : totals.histogram) CHECK(allowed.count(row.values) == 1);
    }
  }
}

TEST_CASE("what a host test may end with comes up within a thousand runs, and its race with it") {
  std::size_t allowed = 0;
  std::size_t seen = 0;
  std::size_t racy = 0;
  std::size_t caught = 0;
  std::string missed;
  for (const Case& one : cases()) {
    std::set<Outcome> found;
    bool raced = false;
    for (const auto& [policy, runs] : {std::pair("random", 1000), std::pair("adversarial", 200)}) {
      const RunTotals totals = totals_of(one.test, memory_policy(policy), static_cast<std::uint64_t>(runs), false);
      for (const HistogramRow& row : totals.histogram) found.insert(row.values);
      raced = raced || totals.racy_runs > 0;
    }
    allowed += one.allowed.size();
    seen += found.size();
    racy += one.racy ? 1 : 0;
    caught += raced ? 1 : 0;
    for (const Outcome& outcome : one.allowed)
      if (found.count(outcome) == 0) missed += '\n' + one.name + ':' + spelled(outcome);
  }
  CHECK(caught == racy);
  INFO("never came up:" << missed);
  // Left are reads of what is written later, and writes that race and have one order for everybody.
  CHECK(allowed == 335);
  CHECK(seen >= 315);
}

TEST_CASE("whatever the memory, every run of a random host test is consistent, and its races are the judge's",
          "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_MACHINE_PROGRAMS", 300, 100000);
  const std::uint64_t first = first_seed();
  std::uint64_t made = 0;
  std::uint64_t sound = 0;
  for (std::uint64_t seed = first; made < programs; ++seed) {
    const std::string source = random_host_test(seed);
    const VulkanParse parse = parse_vulkan(source);
    if (!parse.test) continue;
    ++made;
    const bool good = is_sound("random host test " + std::to_string(seed), *parse.test, 3, nullptr);
    if (!good) WARN(source);
    sound += good ? 1 : 0;
  }
  CHECK(sound == programs);
}
