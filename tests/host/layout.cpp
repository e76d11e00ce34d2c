// Subgroup size, lanes, residents and their order: from the environment, where the program does not say them.

#include <heddle/explore.h>
#include <heddle/heddle.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/device_under_test.h"
#include "tests/variable.h"

using namespace heddle;
using heddle::test::contains;
using heddle::test::options_for;
using heddle::test::Variable;

namespace {

struct Layout {
  std::uint32_t subgroup_size = 0;
  bool lanes_in_order = true;
  bool workgroups_in_order = true;
};

constexpr auto look = [](auto& inv, StorageBuffer<std::uint32_t> auto next, StorageBuffer<std::uint32_t> auto places,
                         StorageBuffer<std::uint32_t> auto groups) {
  const std::uint32_t i = inv.local_invocation_index();
  if (i == 0) groups[inv.atomic_i_increment(next[0], Scope::Device, MemorySemantics::Relaxed)] = inv.workgroup_id().x;
  if (inv.workgroup_id().x == 0)
    places[i] = inv.subgroup_id() * inv.subgroup_size() + inv.subgroup_local_invocation_id();
  inv.workgroup_barrier();
};

// What a kernel sees of a device.
Layout layout_of(const DeviceOptions& options) {
  Device device(options);
  auto next = device.buffer({0u});
  auto places = device.buffer<std::uint32_t>(64);
  auto groups = device.buffer<std::uint32_t>(20);
  device.dispatch(look, {20}, {64}, next, places, groups);
  const auto ascends = [](const std::vector<std::uint32_t>& v) { return std::is_sorted(v.begin(), v.end()); };
  return {*device.options().subgroup_size, ascends(places.read()), ascends(groups.read())};
}

// The layout of an emulated device, one workgroup after the other, with a variable.
Layout with(const char* variable, const char* value) {
  const Variable set(variable, value);
  DeviceOptions options = options_for(Mode::Emulated);
  options.resident_workgroups = 1;
  return layout_of(options);
}

}  // namespace

TEST_CASE("the subgroup size is that of the environment where the program says none, in both modes") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  CHECK(layout_of(options).subgroup_size == 32);
  const Variable set("HEDDLE_SUBGROUP_SIZE", "8");
  CHECK(layout_of(options).subgroup_size == 8);
  options.subgroup_size = 16;
  CHECK(layout_of(options).subgroup_size == 16);
}

TEST_CASE("the environment shuffles lanes where the program says nothing of them, in both modes") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  CHECK(layout_of(options).lanes_in_order);
  const Variable set("HEDDLE_LANE_MAPPING", "shuffled");
  CHECK_FALSE(layout_of(options).lanes_in_order);
  options.lane_mapping = LaneMapping::Linear;
  CHECK(layout_of(options).lanes_in_order);
}

TEST_CASE("the environment shuffles workgroups where the program says nothing of their order") {
  CHECK(with("HEDDLE_WORKGROUP_ORDER", "ascending").workgroups_in_order);
  CHECK_FALSE(with("HEDDLE_WORKGROUP_ORDER", "shuffled").workgroups_in_order);
  const Variable set("HEDDLE_WORKGROUP_ORDER", "shuffled");
  DeviceOptions options = options_for(Mode::Emulated);
  options.resident_workgroups = 1;
  options.workgroup_order = WorkgroupOrder::Ascending;
  CHECK(layout_of(options).workgroups_in_order);
}

TEST_CASE("as many workgroups are resident as the environment says where the program does not") {
  // Five workgroups that wait until all of them have begun.
  const auto five_meet = [](std::uint32_t residents, const char* variable) {
    const Variable set("HEDDLE_RESIDENT_WORKGROUPS", variable);
    DeviceOptions options = options_for(Mode::Emulated);
    options.resident_workgroups = residents;
    options.no_progress_rounds = 100;
    Device device(options);
    auto begun = device.buffer({0u});
    const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto count) {
      inv.atomic_i_increment(count[0], Scope::Device, MemorySemantics::Relaxed);
      while (inv.atomic_load(count[0], Scope::Device, MemorySemantics::Relaxed) < 5) {
      }
    };
    try {
      device.dispatch(kernel, {5}, {1}, begun);
      return true;
    } catch (const KernelError& error) {
      CHECK(error.finding().kind == FindingKind::NoProgress);
      return false;
    }
  };
  CHECK_FALSE(five_meet(0, ""));
  CHECK_FALSE(five_meet(0, "4"));
  CHECK(five_meet(0, "5"));
  CHECK_FALSE(five_meet(4, "5"));
  CHECK(five_meet(5, "4"));
}

TEST_CASE("a layout that nobody understands is refused with its variable, its value, and what it may be") {
  const auto refused = [](const char* variable, const char* value) {
    const Variable set(variable, value);
    try {
      Device device(options_for(Mode::Emulated));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(refused("HEDDLE_SUBGROUP_SIZE", "128") == "accepted");
  CHECK(refused("HEDDLE_SUBGROUP_SIZE", "129") == "HEDDLE_SUBGROUP_SIZE is '129'; it may be a number from 1 to 128");
  CHECK(refused("HEDDLE_RESIDENT_WORKGROUPS", "0") ==
        "HEDDLE_RESIDENT_WORKGROUPS is '0'; it may be a number from 1 to 65536");
  CHECK(refused("HEDDLE_LANE_MAPPING", "Linear") ==
        "HEDDLE_LANE_MAPPING is 'Linear'; it may be 'linear' or 'shuffled'");
  CHECK(refused("HEDDLE_WORKGROUP_ORDER", "random") ==
        "HEDDLE_WORKGROUP_ORDER is 'random'; it may be 'ascending' or 'shuffled'");
}

TEST_CASE("a finding's command has the layout that the environment gave, and none where it gave none") {
  const auto again = [] {
    Device device(options_for(Mode::Emulated));
    auto x = device.buffer({0u}, "x");
    return test::finding_of(
               [&] { device.dispatch([](auto&, StorageBuffer<std::uint32_t> auto a) { a[1] = 1; }, {1}, {1}, x); })
        .replay;
  };
  CHECK(again() == "HEDDLE_MODE=emulated HEDDLE_SEED=1 (dispatch 0 of the device)");
  const Variable size("HEDDLE_SUBGROUP_SIZE", "8");
  const Variable order("HEDDLE_WORKGROUP_ORDER", "shuffled");
  CHECK(again() ==
        "HEDDLE_MODE=emulated HEDDLE_SUBGROUP_SIZE=8 HEDDLE_WORKGROUP_ORDER=shuffled HEDDLE_SEED=1 (dispatch 0 of the "
        "device)");
}

TEST_CASE("a race's command has the layout that the environment gave, and none where it gave none") {
  const auto again = [] {
    DeviceOptions options = options_for(Mode::Emulated);
    options.races = true;
    Device device(options);
    auto x = device.buffer({0u}, "x");
    device.dispatch([](auto& inv, StorageBuffer<std::uint32_t> auto a) { a[0] = inv.local_invocation_index(); }, {1},
                    {2}, x);
    return device.races().at(0).replay;
  };
  CHECK_FALSE(contains(again(), "HEDDLE_RESIDENT_WORKGROUPS"));
  const Variable residents("HEDDLE_RESIDENT_WORKGROUPS", "7");
  CHECK(contains(again(), "HEDDLE_SEED=1 HEDDLE_RESIDENT_WORKGROUPS=7 "));
}

TEST_CASE("the command of a race in a trial has the layout that the environment gave, too") {
  const auto again = [] {
    SeedOptions options;
    options.print_to = nullptr;
    options.device.races = true;
    const SeedReport report = explore_seeds(
        [](Trial& trial) {
          auto x = trial.device().buffer({0u}, "x");
          trial.device().dispatch(
              [](auto& inv, StorageBuffer<std::uint32_t> auto a) { a[0] = inv.local_invocation_index(); }, {1}, {2}, x);
        },
        1, options);
    return report.races.races.at(0).replay;
  };
  CHECK_FALSE(contains(again(), "HEDDLE_RESIDENT_WORKGROUPS"));
  const Variable residents("HEDDLE_RESIDENT_WORKGROUPS", "7");
  CHECK(contains(again(), "HEDDLE_EXPLORE_SEED=1 HEDDLE_RESIDENT_WORKGROUPS=7 "));
}
