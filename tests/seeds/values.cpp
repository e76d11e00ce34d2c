// What a unit test compares and prints: races of all seeds, and names.

#include <catch2/catch.hpp>

#include <sstream>
#include <string>

#include <heddle/heddle.h>
#include <heddle/memory_order.h>
#include <heddle/testing.h>

#include "tests/seeds/quiet.h"

using namespace heddle;
using heddle::test::quiet;

namespace {

constexpr std::uint32_t kWriteLine = __LINE__ + 9;

/// Each invocation tells its neighbour its number; with no barrier between the two if `wrong`.
template <bool wrong>
void neighbours(Trial& trial) {
  auto out = trial.device().buffer(std::vector<std::uint32_t>(8, 0), "out");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto to) {
    auto tile = inv.template workgroup<std::uint32_t[8]>("tile", kZeroed);
    const auto i = inv.local_invocation_index();
    tile[i] = i;
    if constexpr (!wrong) inv.workgroup_barrier();
    to[i] = tile[(i + 1) % 8];
  };
  trial.device().dispatch(kernel, {1}, {8}, out);
}

SeedOptions with_races() {
  SeedOptions options = quiet();
  options.device.races = true;
  options.device.memory = memory_policy("sequential");
  return options;
}

template <typename T>
std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

}  // namespace

static_assert(kWriteLine > 8);

TEST_CASE("a report has the races of all seeds, each once, and of the right kernel none") {
  const SeedReport wrong = explore_seeds(neighbours<true>, 20, with_races());
  CHECK_FALSE(wrong.failed());
  REQUIRE(wrong.races.races.size() == 1);
  CHECK(wrong.races.runs == 20);
  CHECK(wrong.races.races[0].runs > 1);
  CHECK(to_finding(wrong.races.races[0]).kind == FindingKind::DataRace);
  CHECK(race_places(wrong.races) == RacePlaces{{"tile", kWriteLine + 2, kWriteLine}});
  const SeedReport right = explore_seeds(neighbours<false>, 20, with_races());
  CHECK(right.races.runs == 20);
  CHECK(race_places(right.races) == RacePlaces{});
}

TEST_CASE("a report has no races where none were asked for") {
  CHECK(explore_seeds(neighbours<true>, 5, quiet()).races.runs == 0);
}

TEST_CASE("a race in another line, of another object, or one too many is not the one that is expected") {
  const RacePlaces expected{{"tile", 12, 15}};
  CHECK(expected == RacePlaces{{"tile", 15, 12}, {"tile", 12, 15}});
  CHECK_FALSE(expected == RacePlaces{{"tile", 12, 16}});
  CHECK_FALSE(expected == RacePlaces{{"data", 12, 15}});
  CHECK_FALSE(expected == RacePlaces{{"tile", 12, 15}, {"tile", 12, 12}});
  CHECK_FALSE(expected == RacePlaces{});
}

TEST_CASE("places of races are printed with their objects and lines") {
  CHECK(printed(RacePlaces{{"tile", 15, 12}, {"data", 3, 3}}) == "'data' in line 3, 'tile' in lines 12 and 15");
  CHECK(printed(RacePlaces{}) == "no race");
}

TEST_CASE("values are printed by their names, and what is none by its number") {
  CHECK(printed(FindingKind::DataRace) == "data race");
  CHECK(printed(Mode::Emulated) == "Emulated");
  CHECK(printed(Scope::QueueFamily) == "QueueFamily");
  CHECK(printed(StorageClass::Workgroup) == "Workgroup");
  CHECK(printed(MemorySemantics::None) == "None");
  CHECK(printed(kReleaseBuffers) == "Release|UniformMemory|MakeAvailable");
  CHECK(printed(OperationKind::Free) == "Free");
  CHECK(printed(MemoryOrder::SeqCst) == "SeqCst");
  CHECK(printed(ImageDim::Dim2DArray) == "Dim2DArray");
  CHECK(printed(LaneMapping::Shuffled) == "Shuffled");
  CHECK(printed(WorkgroupOrder::Ascending) == "Ascending");
  CHECK(printed(SameValueWrites::Notice) == "Notice");
  CHECK(printed(ReportFormat::GitHub) == "GitHub");
  CHECK(printed(ChoicePoint::Memory) == "Memory");
  CHECK(printed(static_cast<Mode>(7)) == "7");
  CHECK(printed(static_cast<Scope>(99)) == "99");
}

TEST_CASE("Catch2 prints a value by its name") {
  CHECK(Catch::Detail::stringify(Mode::Native) == "Native");
  CHECK(Catch::Detail::stringify(FindingKind::OutOfBounds) == "out of bounds");
}
