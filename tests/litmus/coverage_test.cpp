#include <catch2/catch.hpp>

#include <cstdlib>
#include <iostream>
#include <set>
#include <string>

#include "emulator/litmus/answer.h"
#include "emulator/litmus/program.h"
#include "emulator/litmus/run.h"
#include "emulator/litmus/vulkan_parser.h"
#include "tests/litmus/expectation.h"
#include "tests/litmus/linear.h"
#include "tests/litmus/memories_under_test.h"

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
  std::string missing;
};

std::string spelled(const Test& test, const Outcome& values) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out += ' ' + test.observables[i].name + '=' + std::to_string(values[i]);
  return out;
}

void cover(const LibraryFile& file, Coverage& coverage) {
  const VulkanParse parse = parse_vulkan(file.source);
  REQUIRE(parse.test);
  if (cannot_run(*parse.test)) return;
  std::set<Outcome> left = outcomes_without_load_buffering(*parse.test);
  coverage.outcomes += left.size();
  std::size_t unreached = left.size();
  for (std::uint64_t first = 0; first < kRuns && !left.empty(); first += kRound) {
    for (const MemoryUnderTest& memory : memories_under_test()) {
      RunRequest request;
      request.memory = memory.make;
      request.runs = kRound;
      request.seed = 1 + first;
      for (const HistogramRow& row : run(*parse.test, request).histogram) left.erase(row.values);
      if (left.empty()) break;
    }
  }
  unreached -= left.size();
  coverage.reached += unreached;
  for (const Outcome& values : left)
    coverage.missing += "  " + file.name + ':' + spelled(*parse.test, values) + '\n';
}

}  // namespace

TEST_CASE("95 in 100 of the outcomes that the model allows the library come up within 100000 runs") {
  Coverage coverage;
  for (const LibraryFile& file : read_library()) cover(file, coverage);
  const double percent =
      100.0 * static_cast<double>(coverage.reached) / static_cast<double>(coverage.outcomes);
  std::cout << "reached " << coverage.reached << " of " << coverage.outcomes << " outcomes, "
            << percent << " %; never seen:\n"
            << coverage.missing;
  CHECK(coverage.outcomes > 1400);
  CHECK(percent >= 95);
}
