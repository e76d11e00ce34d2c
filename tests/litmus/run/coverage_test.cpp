#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>

#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/answer.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/program.h"
#include "tests/litmus/expectation.h"
#include "tests/litmus/run/linear.h"
#include "tests/litmus/run/memories_under_test.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

// So many runs of each policy, unless all outcomes were seen before.
constexpr std::uint64_t kRuns = 100000;
// Most outcomes come soon: a policy has so many runs before the next one is tried.
constexpr std::uint64_t kRound = 2000;

struct Coverage {
  std::size_t outcomes = 0;
  std::size_t reached = 0;
  /// How many of them need load buffering.
  std::size_t buffered = 0;
  std::size_t buffered_reached = 0;
  std::string missing;
};

double percent(std::size_t part, std::size_t all) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(all);
}

std::string spelled(const Test& test, const Outcome& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out += ' ' + test.observables[i].name + '=' + std::to_string(values[i]);
  return out;
}

void cover(const LibraryFile& file, Coverage& coverage) {
  const VulkanParse parse = parse_vulkan(file.source);
  REQUIRE(parse.test);
  if (needs_domains(*parse.test)) return;
  const std::set<Outcome> linear = outcomes_without_load_buffering(*parse.test);
  std::set<Outcome> left;
  for (const OutcomeRow& row : answer(*parse.test, {}).outcomes) left.insert(row.values);
  const auto buffered = [&](const std::set<Outcome>& outcomes) {
    return static_cast<std::size_t>(
        std::count_if(outcomes.begin(), outcomes.end(), [&](const Outcome& one) { return linear.count(one) == 0; }));
  };
  coverage.outcomes += left.size();
  coverage.buffered += buffered(left);
  coverage.reached += left.size();
  coverage.buffered_reached += buffered(left);
  for (std::uint64_t first = 0; first < kRuns && !left.empty(); first += kRound) {
    for (const MemoryUnderTest& memory : memories_under_test()) {
      RunRequest request;
      request.memory = memory.make;
      request.runs = kRound;
      request.seed = 1 + first;
      for (const HistogramRow& row : litmus::run(*parse.test, request).histogram) left.erase(row.values);
      if (left.empty()) break;
    }
  }
  coverage.reached -= left.size();
  coverage.buffered_reached -= buffered(left);
  for (const Outcome& values : left)
    coverage.missing += "  " + file.name + ':' + spelled(*parse.test, values) +
                        (linear.count(values) == 0 ? " (load buffering)\n" : "\n");
}

}  // namespace

TEST_CASE("95 in 100 of the outcomes that the model allows the library come up within 100000 runs") {
  Coverage coverage;
  for (const LibraryFile& file : read_library()) cover(file, coverage);
  std::cout << "reached " << coverage.reached << " of " << coverage.outcomes << " outcomes, "
            << percent(coverage.reached, coverage.outcomes) << " %; of them " << coverage.buffered_reached << " of "
            << coverage.buffered << " that need load buffering; of all others "
            << percent(coverage.reached - coverage.buffered_reached, coverage.outcomes - coverage.buffered)
            << " %; never seen:\n"
            << coverage.missing;
  CHECK(coverage.outcomes > 1400);
  CHECK(coverage.buffered > 0);
  CHECK(coverage.buffered_reached > 0);
  CHECK(percent(coverage.reached, coverage.outcomes) >= 95);
}
