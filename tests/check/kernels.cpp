// A check that fails while a kernel runs tells the dispatch, the schedule, and the command that runs it again.

#include <tuple>

#include <heddle/detail/check.h>
#include <heddle/explore.h>
#include <heddle/heddle.h>

#include "tests/check/death.h"

using namespace heddle;
using heddle::test::Death;
using heddle::test::death_of;

namespace {

/// Fails a check of heddle in the second invocation, if `breaks`.
constexpr auto breaking = [](auto& inv, std::uint32_t breaks, StorageBuffer<std::uint32_t> auto out) {
  const auto i = inv.global_invocation_id().x;
  HEDDLE_CHECK(breaks == 0 || i != 1, "the engine is broken");
  out[i] = 1;
};

DeviceOptions weak_device() {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = memory_policy("random");
  options.seed = 7;
  return options;
}

void dispatch(const DeviceOptions& options, std::uint32_t breaks) {
  Device device(options);
  auto out = device.buffer<std::uint32_t>(2, "out");
  device.dispatch(breaking, 1, 2, 0u, out);
  device.dispatch(breaking, 1, 2, breaks, out);
}

/// Chooses a workgroup that is none of those it is asked of.
class Excessive final : public Choice {
 public:
  std::uint32_t below(std::uint32_t bound, ChoicePoint point) override {
    return point == ChoicePoint::Workgroup ? bound : 0;
  }
};

}  // namespace

TEST_CASE("a check that fails in a dispatch names the dispatch, its seed, and the command that runs it again") {
  CHECK(death_of([] { dispatch(weak_device(), 0); }).exit_code == 0);
  const Death broken = death_of([] { dispatch(weak_device(), 1); });
  INFO(broken.text);
  CHECK(broken.exit_code == 3);
  CHECK(broken.says("schedule: dispatch 1 of a device: emulated, memory 'random', seed 7"));
  CHECK(broken.says("again: HEDDLE_MODE=emulated HEDDLE_MEMORY=random HEDDLE_SEED=7 "));
  CHECK(broken.says("check_in_kernels_test"));
}

TEST_CASE("a check that fails in a trial names the seed that tries it again") {
  const Death broken = death_of([] {
    SeedOptions options;
    options.jobs = 1;
    options.first_seed = 23;
    options.print_to = nullptr;
    std::ignore = explore_seeds(
        [](Trial& trial) {
          auto out = trial.device().buffer<std::uint32_t>(2, "out");
          trial.device().dispatch(breaking, 1, 2, 1u, out);
        },
        1, options);
  });
  INFO(broken.text);
  CHECK(broken.exit_code == 3);
  CHECK(broken.says("schedule: a trial with seed 23"));
  CHECK(broken.says("HEDDLE_EXPLORE_SEED=23 "));
}

TEST_CASE("the scheduler does not go on with a workgroup that no oracle was asked of") {
  const Death broken = death_of([] {
    DeviceOptions options = weak_device();
    options.choices = [](std::uint64_t) { return std::make_unique<Excessive>(); };
    Device device(options);
    auto out = device.buffer<std::uint32_t>(4, "out");
    constexpr auto meets = [](auto& inv, StorageBuffer<std::uint32_t> auto to) {
      inv.workgroup_barrier();
      to[inv.global_invocation_id().x] = 1;
    };
    device.dispatch(meets, 2, 2, out);
  });
  INFO(broken.text);
  CHECK(broken.exit_code == 3);
  CHECK(broken.says("an oracle chose a workgroup"));
}
