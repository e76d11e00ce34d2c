// Kernels that say how large their workgroups are.

#include <heddle/heddle.h>
#include <heddle/phases.h>

#include <string>
#include <vector>

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::options_for;

namespace {

constexpr auto turn_around = [](auto& inv, std::uint32_t add, StorageBuffer<std::uint32_t> auto x) {
  auto tile = workgroup<std::uint32_t[8]>(inv, "tile");
  const auto i = inv.local_invocation_index();
  tile[i] = i + add;
  inv.workgroup_barrier();
  x[inv.global_invocation_id().x] = tile[7 - i];
};
constexpr auto of_eight = required_workgroup_size<8>(turn_around);

const std::vector<std::uint32_t> kTurned = {10, 9, 8, 7, 6, 5, 4, 3, 10, 9, 8, 7, 6, 5, 4, 3};

template <typename Dispatch>
std::string refusal(const Dispatch& dispatch) {
  try {
    dispatch();
    return "accepted";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a kernel that requires a size runs with it, said or left out, and is refused with another, with both") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer(std::vector<std::uint32_t>(16, 0), "x");
  device.dispatch(of_eight, {2}, {8}, 3u, x);
  CHECK(x.read() == kTurned);
  x.fill(0);
  device.dispatch(of_eight, {2}, 3u, x);
  CHECK(x.read() == kTurned);
  x.fill(0);
  CHECK(refusal([&] { device.dispatch(of_eight, {4}, {4}, 3u, x); }) ==
        "workgroups of 4 x 1 x 1 invocations, and the kernel requires 8 x 1 x 1 (required_workgroup_size): dispatch it "
        "with those, or leave the size out");
  CHECK(x.read() == std::vector<std::uint32_t>(16, 0));
}

TEST_CASE("a size may be left out of a submission's dispatches, too, and a wrong one is refused there") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto x = device.buffer(std::vector<std::uint32_t>(16, 0), "x");
  device.submit([&](Commands& commands) {
    commands.dispatch(of_eight, {2}, 3u, x);
    CHECK(refusal([&] { commands.dispatch(of_eight, {2}, {8, 2}, 3u, x); }) != "accepted");
  });
  CHECK(x.read() == kTurned);
}

TEST_CASE("a size whose dimensions are others is another size, though it has as many invocations") {
  Device device(options_for(Mode::Native));
  constexpr auto kernel = required_workgroup_size<4, 2>([](auto& inv, StorageBuffer<std::uint32_t> auto x) {
    x[inv.local_invocation_index()] = inv.local_invocation_id().y;
  });
  auto x = device.buffer(std::vector<std::uint32_t>(8, 0), "x");
  CHECK(refusal([&] { device.dispatch(kernel, {1}, {8}, x); }) ==
        "workgroups of 8 x 1 x 1 invocations, and the kernel requires 4 x 2 x 1 (required_workgroup_size): dispatch it "
        "with those, or leave the size out");
  CHECK(refusal([&] { device.dispatch(kernel, {1}, {4, 2}, x); }) == "accepted");
  CHECK(x.read() == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 1});
}

TEST_CASE("a kernel in phases may require a size") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  constexpr auto kernel = required_workgroup_size<8>(in_phases([](auto& group, StorageBuffer<std::uint32_t> auto x) {
    auto tile = workgroup<std::uint32_t[8]>(group, "tile");
    group.each([&](auto& inv) { tile[inv.local_invocation_index()] = inv.local_invocation_index() + 3; });
    group.each([&](auto& inv) { x[inv.global_invocation_id().x] = tile[7 - inv.local_invocation_index()]; });
  }));
  auto x = device.buffer(std::vector<std::uint32_t>(16, 0), "x");
  device.dispatch(kernel, {2}, x);
  CHECK(x.read() == kTurned);
  CHECK(refusal([&] { device.dispatch(kernel, {4}, {4}, x); }) != "accepted");
}

TEST_CASE("a kernel that requires a size is called as the one that it is made of, with what that one holds") {
  std::uint32_t calls = 0;
  const auto kernel = required_workgroup_size<8>([&calls](auto& value) { calls += value; });
  std::uint32_t seven = 7;
  kernel(seven);
  CHECK(calls == 7);
  STATIC_REQUIRE(decltype(kernel)::kWorkgroupSize == uvec3{8, 1, 1});
}
