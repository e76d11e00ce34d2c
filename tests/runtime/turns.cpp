// Workgroups whose invocations keep step take turns (runtime/rings.cpp). Here one invocation falls
// out of step, each one that is special and at each place: before the first barrier, between two,
// and after the last; the workgroups before and after keep step.

#include "tests/device_under_test.h"
#include "tests/divides_itself.h"

#include <algorithm>
#include <stdexcept>

using namespace heddle;
using heddle::test::finding_of;
using heddle::test::options_for;

namespace {

[[gnu::noinline, DIVIDES_ITSELF]] std::uint32_t hundred_by(std::int32_t divisor) {
  return static_cast<std::uint32_t>(100 / divisor);
}

enum class Irregular : std::uint32_t { Nothing, Spin, Subgroup, Throw, Divide, Return };

constexpr std::uint32_t kRounds = 3;
constexpr std::uint32_t kGroups = 7;

struct Plan {
  Irregular what = Irregular::Nothing;
  std::uint32_t who = 0;
  std::uint32_t when = 0;
  /// The workgroup in which it happens.
  std::uint32_t where = 3;
  std::int32_t zero = 0;
  /// Never the same twice: Workgroup memory may still hold what another dispatch left there.
  std::uint32_t token = 0;
  /// All wait once more at first: each turn after that goes the other way.
  bool once_more = false;
};

/// Each round reads what the next invocation wrote in the round. `flag` is for those that spin.
constexpr auto kernel = [](auto& inv, auto out, Plan plan) {
  auto tile = inv.template workgroup<std::uint32_t[256]>("tile");
  auto flag = inv.template workgroup<std::uint32_t[kRounds + 1]>("flag");
  const std::uint32_t i = inv.local_invocation_index();
  const std::uint32_t size = inv.workgroup_size().x;
  const bool bad_group = inv.workgroup_id().x == plan.where;
  std::uint32_t sum = 0;
  if (plan.once_more) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  for (std::uint32_t round = 0;; ++round) {
    if (bad_group && plan.when == round) {
      if (plan.what == Irregular::Spin) {
        // All but one wait for that one.
        if (i == plan.who) {
          inv.atomic_store(flag[round], Scope::Workgroup, MemorySemantics::Relaxed, plan.token);
        } else {
          while (inv.atomic_load(flag[round], Scope::Workgroup, MemorySemantics::Relaxed) != plan.token) {
          }
        }
      } else if (i == plan.who) {
        switch (plan.what) {
          case Irregular::Subgroup:
            sum += inv.group_non_uniform_i_add(GroupOperation::Reduce, 0u);
            break;
          case Irregular::Throw:
            throw std::runtime_error("out of step");
          case Irregular::Divide:
            sum += hundred_by(plan.zero);
            break;
          case Irregular::Return:
            return;
          default:
            break;
        }
      }
    }
    if (round == kRounds) break;
    tile[i] = 10 * round + i;
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    sum += tile[(i + 1) % size];
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  }
  out[inv.global_invocation_id().x] = sum;
};

std::vector<std::uint32_t> expected(std::uint32_t size) {
  std::vector<std::uint32_t> sums;
  for (std::uint32_t x = 0; x < kGroups * size; ++x) {
    sums.push_back(kRounds * ((x % size + 1) % size) + 10 * (0 + 1 + 2));
  }
  return sums;
}

/// Calls `test(plan, size)` for every special invocation and every place.
template <typename Test>
void for_each_plan(Irregular what, const Test& test) {
  static std::uint32_t token = 0;
  for (const std::uint32_t size : {2u, 5u, 70u}) {
    for (const std::uint32_t who : {0u, 1u, size / 2, size - 1}) {
      for (std::uint32_t when = 0; when <= kRounds; ++when) {
        // After the last workgroup the stacks go home.
        for (const std::uint32_t where : {3u, kGroups - 1}) {
          for (const bool once_more : {false, true}) {
            INFO("workgroup " << where << ", invocation " << who << " of " << size << ", round " << when
                              << (once_more ? ", after one more barrier" : ""));
            test(Plan{what, who, when, where, 0, ++token, once_more}, size);
          }
        }
      }
    }
  }
}

}  // namespace

TEST_CASE("who spins or acts in a subgroup out of step computes what those in step compute") {
  const Irregular what = GENERATE(Irregular::Nothing, Irregular::Spin, Irregular::Subgroup);
  const std::uint32_t workers = GENERATE(1u, 2u);
  DeviceOptions options = options_for(Mode::Native);
  options.workers = workers;
  Device device(options);
  for_each_plan(what, [&](const Plan& plan, std::uint32_t size) {
    auto out = device.buffer<std::uint32_t>(kGroups * size);
    device.dispatch(kernel, {kGroups}, {size}, out, plan);
    CHECK(out.read() == expected(size));
  });
}

TEST_CASE("who throws or divides by zero out of step is named, and the next dispatch is whole") {
#ifdef HEDDLE_TEST_NO_DIVISION_TRAPS
  const Irregular what = Irregular::Throw;
#else
  const Irregular what = GENERATE(Irregular::Throw, Irregular::Divide);
#endif
  DeviceOptions options = options_for(Mode::Native);
  options.workers = 1;
  Device device(options);
  for_each_plan(what, [&](const Plan& plan, std::uint32_t size) {
    // Plain calls do not say which one trapped (see traps.cpp): those come before the first wait.
    const bool known = what == Irregular::Throw || plan.when > 0 || plan.once_more;
    auto out = device.buffer<std::uint32_t>(kGroups * size);
    const Finding finding = finding_of([&] { device.dispatch(kernel, {kGroups}, {size}, out, plan); });
    CHECK(finding.kind == (what == Irregular::Throw ? FindingKind::Exception : FindingKind::DivisionByZero));
    CHECK(finding.invocation.workgroup.x == plan.where);
    if (known) CHECK(finding.invocation.local.x == plan.who);
    device.dispatch(kernel, {kGroups}, {size}, out, Plan{});
    CHECK(out.read() == expected(size));
  });
}

TEST_CASE("who returns before the last barrier is reported, after it is fine") {
  Device device(options_for(Mode::Native));
  for_each_plan(Irregular::Return, [&](const Plan& plan, std::uint32_t size) {
    auto out = device.buffer(std::vector<std::uint32_t>(kGroups * size, 0u));
    if (plan.when == kRounds) {
      CHECK_NOTHROW(device.dispatch(kernel, {kGroups}, {size}, out, plan));
      CHECK(out.read()[plan.where * size + plan.who] == 0);
    } else {
      const Finding finding = finding_of([&] { device.dispatch(kernel, {kGroups}, {size}, out, plan); });
      CHECK(finding.kind == FindingKind::BarrierDivergence);
      CHECK(test::contains(finding.message, "1 invocation finished"));
    }
  });
}

namespace {

/// Sums over subgroups of eight, and a barrier between; in round `when` invocation `who` of the bad
/// workgroup polls first, or the lanes below it take part in an operation of their own.
constexpr auto sums = [](auto& inv, auto out, Plan plan) {
  auto flag = inv.template workgroup<std::uint32_t[1]>("flag");
  const std::uint32_t i = inv.local_invocation_index();
  const bool bad_group = inv.workgroup_id().x == plan.where;
  std::uint32_t sum = 0;
  if (plan.once_more) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    if (bad_group && plan.when == round && plan.what == Irregular::Spin) {
      if (i == plan.who) {
        inv.atomic_store(flag[0], Scope::Workgroup, MemorySemantics::Relaxed, plan.token);
      } else if (i / 8 != plan.who / 8) {
        while (inv.atomic_load(flag[0], Scope::Workgroup, MemorySemantics::Relaxed) != plan.token) {
        }
      }
    }
    if (bad_group && plan.when == round && plan.what == Irregular::Subgroup && i < plan.who) {
      sum += 1000 * inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
    }
    sum += inv.group_non_uniform_i_add(GroupOperation::Reduce, i + round);
    sum += inv.group_non_uniform_i_add(GroupOperation::ExclusiveScan, i);
    if (round == 1) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  }
  out[inv.global_invocation_id().x] = sum;
};

std::vector<std::uint32_t> expected_sums(const Plan& plan, std::uint32_t size) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t x = 0; x < kGroups * size; ++x) {
    const std::uint32_t i = x % size;
    const std::uint32_t first = i / 8 * 8;
    std::uint32_t sum = 0;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      for (std::uint32_t lane = first; lane < std::min(first + 8, size); ++lane) {
        sum += lane + round + (lane < i ? lane : 0);
      }
    }
    const bool apart = plan.what == Irregular::Subgroup && plan.when < kRounds;
    if (apart && x / size == plan.where && i < plan.who) sum += 1000 * std::min(8u, plan.who - first);
    all.push_back(sum);
  }
  return all;
}

}  // namespace

TEST_CASE("subgroup operations in step compute what those out of step compute") {
  const Irregular what = GENERATE(Irregular::Nothing, Irregular::Spin, Irregular::Subgroup);
  DeviceOptions options = options_for(Mode::Native);
  options.workers = 1;
  options.subgroup_size = 8;
  options.lane_mapping = LaneMapping::Linear;
  Device device(options);
  for_each_plan(what, [&](const Plan& plan, std::uint32_t size) {
    auto out = device.buffer<std::uint32_t>(kGroups * size);
    device.dispatch(sums, {kGroups}, {size}, out, plan);
    CHECK(out.read() == expected_sums(plan, size));
  });
}

TEST_CASE("turns go there and back again") {
  DeviceOptions options = options_for(Mode::Native);
  options.workers = 1;
  Device device(options);
  std::vector<std::uint32_t> order;
  const auto noting = [&order](auto& inv, auto) {
    for (std::uint32_t turn = 0; turn < 3; ++turn) {
      order.push_back(inv.local_invocation_index());
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    }
    order.push_back(inv.local_invocation_index());
  };
  auto none = device.buffer<std::uint32_t>(1);
  device.dispatch(noting, {2}, {3}, none);
  const std::vector<std::uint32_t> there_and_back = {0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0};
  std::vector<std::uint32_t> twice = there_and_back;
  twice.insert(twice.end(), there_and_back.begin(), there_and_back.end());
  // A sanitizer's switches need the scheduler, which has an order of its own.
  if (!HEDDLE_TEST_SANITIZED) CHECK(order == twice);
  std::sort(order.begin(), order.end());
  std::sort(twice.begin(), twice.end());
  CHECK(order == twice);
}

TEST_CASE("a barrier and a subgroup operation on one line are not taken for each other") {
  Device device(options_for(Mode::Native));
  auto out = device.buffer<std::uint32_t>(64);
  const auto with = [](auto& inv, auto results, std::uint32_t diverges) {
    const std::uint32_t i = inv.local_invocation_index();
    const bool here = diverges == 0 || i < 32;
    // clang-format off
    if (here) { inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier); } else { results[i] = inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u); }
    // clang-format on
    results[i] = i;
  };
  CHECK_NOTHROW(device.dispatch(with, {1}, {64}, out, 0u));
  const Finding finding = finding_of([&] { device.dispatch(with, {1}, {64}, out, 1u); });
  CHECK(finding.kind == FindingKind::BarrierDivergence);
  CHECK(test::contains(finding.message, "32 invocations wait at the workgroup barrier"));
}

TEST_CASE("the stacks of one kernel serve another, and workgroups of another size") {
  DeviceOptions options = options_for(Mode::Native);
  options.workers = 1;
  Device device(options);
  const auto other = [](auto& inv, auto out) {
    auto tile = inv.template workgroup<float[128]>();
    const auto i = inv.local_invocation_index();
    tile[i] = static_cast<float>(i);
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    out[inv.global_invocation_id().x] = tile[inv.workgroup_size().x - 1 - i];
  };
  for (const std::uint32_t size : {64u, 128u, 3u, 64u, 2u}) {
    auto round_sums = device.buffer<std::uint32_t>(kGroups * size);
    device.dispatch(kernel, {kGroups}, {size}, round_sums, Plan{});
    CHECK(round_sums.read() == expected(size));
    auto out = device.buffer<float>(2 * size);
    device.dispatch(other, {2}, {size}, out);
    CHECK(out.read()[2 * size - 1] == 0.0f);
    CHECK(out.read()[size] == static_cast<float>(size - 1));
  }
}
