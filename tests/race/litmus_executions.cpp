#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "emulator/explore/explore.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/program.h"
#include "emulator/race/detector.h"
#include "tests/race/linearization.h"

using namespace heddle;

namespace {

constexpr int kOrders = 2;
// So many executions of each test are tried; the families' tests have some tens, the largest some thousands.
constexpr std::uint64_t kMostExecutions = 60;

std::vector<std::string> files(const std::string& directory) {
  std::vector<std::string> all;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/" + directory))
    if (entry.path().extension() == ".litmus") all.push_back(entry.path().string());
  std::sort(all.begin(), all.end());
  return all;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

struct Counts {
  std::uint64_t told = 0;
  std::uint64_t untellable = 0;
  std::uint64_t racy = 0;
};

using Pairs = std::vector<model::OperationPair>;

Pairs judged(const judge::Judgement& judgement, const std::vector<model::OperationIndex>& told_as) {
  Pairs pairs;
  for (const judge::Race& race : judgement.races())
    pairs.push_back(std::minmax(told_as[race.first], told_as[race.second]));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

Pairs detected(const race::Detector& detector) {
  Pairs pairs;
  for (const race::Race& race : detector.races()) pairs.push_back(std::minmax(race.first, race.second));
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

/// Whether the execution has what no memory runs, so that no listener is told of it.
bool has_stages_of_graphics(const model::Execution& execution) {
  return !execution.shader_inputs.empty() || !execution.interlock_order.empty() || !execution.shader_calls.empty();
}

void check_file(const std::string& path, bool chains, Counts& counts) {
  INFO(path << ", chains " << chains);
  const litmus::VulkanParse parse = litmus::parse_vulkan(read(path));
  REQUIRE(parse.test);
  const litmus::TestProgram program(*parse.test);
  explore::Options options;
  options.model.chains = chains;
  options.limit = kMostExecutions;
  std::mt19937_64 random(7);
  race::Detector detector({chains});
  explore::explore(program.program(), options, [&](const explore::Found& found) {
    if (has_stages_of_graphics(found.execution)) return true;
    for (int order = 0; order < kOrders; ++order) {
      std::vector<model::OperationIndex> told_as;
      detector.clear();
      if (!race::tell(found.execution, random, detector, told_as)) {
        ++counts.untellable;
        break;
      }
      ++counts.told;
      const Pairs expected = judged(found.judgement, told_as);
      counts.racy += expected.empty() ? 0 : 1;
      if (expected != detected(detector)) REQUIRE(expected == detected(detector));
    }
    return true;
  });
}

void check_directory(const std::string& directory) {
  Counts counts;
  for (const bool chains : {true, false})
    for (const std::string& path : files(directory)) check_file(path, chains, counts);
  INFO(counts.told << " told, " << counts.untellable << " have no order, " << counts.racy << " racy");
  // Both verdicts are there, and load buffering is rare.
  CHECK(counts.racy > counts.told / 20);
  CHECK(counts.racy < counts.told);
  CHECK(counts.untellable < counts.told / 10);
}

}  // namespace

TEST_CASE("the detector reports the races of every execution of the handwritten litmus tests") {
  check_directory("library/handwritten");
}

TEST_CASE("the detector reports the races of every execution of the generated litmus tests") {
  check_directory("library/generated");
}

TEST_CASE("the detector reports the races of every execution of the random litmus tests") {
  check_directory("random");
}

TEST_CASE("the detector reports the races of every execution of the litmus tests in pairs that pin down chains") {
  check_directory("chains");
}

TEST_CASE("the detector reports the races of every execution of the litmus tests of tags") {
  check_directory("mmra");
}
