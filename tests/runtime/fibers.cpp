// Fibers are made for invocations that wait, and for no others.

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::options_for;

namespace {

const auto kPlain = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
  const auto i = inv.global_invocation_id().x;
  out[i] = i;
};

const auto kWithBarrier = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
  auto tile = inv.template workgroup<std::uint32_t[64]>();
  const auto i = inv.local_invocation_index();
  tile[i] = i;
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  out[inv.global_invocation_id().x] = tile[63 - i];
};

DeviceOptions one_worker() {
  DeviceOptions options = options_for(Mode::Native);
  options.workers = 1;
  return options;
}

}  // namespace

TEST_CASE("a native kernel without barriers makes no fibers") {
  Device device(options_for(Mode::Native));
  auto out = device.buffer<std::uint32_t>(640);
  const DispatchResult result = device.dispatch(kPlain, {10}, {64}, out);
  CHECK(result.fibers == 0);
  CHECK(result.invocations == 640);
  CHECK(result.workgroups == 10);
  CHECK(out.read()[639] == 639);
}

TEST_CASE("with a barrier, all invocations of a workgroup but one need a fiber") {
  Device device(one_worker());
  auto out = device.buffer<std::uint32_t>(640);
  CHECK(device.dispatch(kWithBarrier, {10}, {64}, out).fibers == 63);
  CHECK(out.read()[0] == 63);
}

TEST_CASE("a later dispatch counts its own fibers, not those that an earlier one left behind") {
  Device device(one_worker());
  auto out = device.buffer<std::uint32_t>(640);
  CHECK(device.dispatch(kWithBarrier, {10}, {64}, out).fibers == 63);
  CHECK(device.dispatch(kWithBarrier, {10}, {64}, out).fibers == 63);
  CHECK(device.dispatch(kPlain, {10}, {64}, out).fibers == 0);
  CHECK(device.dispatch(kWithBarrier, {1}, {64}, out).fibers == 63);
}

TEST_CASE("a barrier of a workgroup of one invocation needs no fiber") {
  Device device(one_worker());
  auto out = device.buffer<std::uint32_t>(8);
  const auto kernel = [](auto& inv, auto results) {
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    inv.control_barrier(Scope::Subgroup, Scope::Subgroup, kWorkgroupBarrier);
    results[inv.global_invocation_id().x] = inv.group_non_uniform_i_add(GroupOperation::Reduce, 7u);
  };
  CHECK(device.dispatch(kernel, {8}, {1}, out).fibers == 0);
  CHECK(out.read() == std::vector<std::uint32_t>(8, 7));
}

TEST_CASE("invocations that run before the first one that waits stay plain calls") {
  // 60 invocations finish without waiting, then 4 meet in a subgroup operation: three fibers, and
  // the stack of the caller for the first of them.
  DeviceOptions options = one_worker();
  options.subgroup_size = 4;
  Device device(options);
  auto out = device.buffer<std::uint32_t>(64);
  const auto kernel = [](auto& inv, auto results) {
    const auto i = inv.local_invocation_index();
    results[i] = 0u;
    if (i >= 60) results[i] = inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
  };
  CHECK(device.dispatch(kernel, {1}, {64}, out).fibers == 3);
  CHECK(out.read()[59] == 0);
  CHECK(out.read()[60] == 4);
}

TEST_CASE("an emulated kernel that touches no memory makes no fibers; one that does is interrupted") {
  Device device(options_for(Mode::Emulated));
  auto out = device.buffer<std::uint32_t>(64);
  const auto nothing = [](auto& inv, auto) { (void)inv.local_invocation_index(); };
  CHECK(device.dispatch(nothing, {1}, {64}, out).fibers == 0);
  CHECK(device.dispatch(kPlain, {1}, {64}, out).fibers > 0);
  CHECK(out.read()[63] == 63);
}
