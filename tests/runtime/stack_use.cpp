// How much memory stacks use. The order of the tests matters: the high-water mark is that of the
// process, so the modest kernels come first.

#include "tests/device_under_test.h"

#include <fstream>
#include <sstream>

using namespace heddle;
using heddle::test::options_for;

namespace {

constexpr std::size_t kKiB = 1024;

/// Touches about `kib` KiB of the stack, a page at a time.
[[gnu::noinline]] std::uint32_t use_stack(std::uint32_t kib) {
  volatile char frame[1024];
  frame[0] = static_cast<char>(kib);
  frame[1023] = static_cast<char>(kib);
  if (kib <= 1) return static_cast<std::uint32_t>(frame[0]);
  const std::uint32_t below = use_stack(kib - 1);
  // The frame is wanted until here: the recursion must not become a loop.
  asm volatile("" : : "r"(&frame) : "memory");
  return below + static_cast<std::uint32_t>(frame[1023] != 0);
}

/// The most memory that this process ever had, in bytes.
std::size_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) {
      std::size_t kib = 0;
      std::istringstream(line.substr(6)) >> kib;
      return kib * kKiB;
    }
  }
  return 0;
}

const auto kTouchStack = [](auto& inv, auto out, std::uint32_t kib) {
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  const auto i = inv.local_invocation_index();
  out[i] = i == 1 ? use_stack(kib) : 0u;
};

}  // namespace

TEST_CASE("an ordinary kernel touches at most 16 KiB of stack for each resident invocation") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    Device device(options_for(mode));
    auto in = device.buffer(std::vector<float>(1024, 1.0f));
    auto out = device.buffer<float>(8);
    const auto sum = [](auto& inv, StorageBuffer<const float> auto x, StorageBuffer<float> auto sums) {
      auto tile = inv.template workgroup<float[128]>();
      const auto i = inv.local_invocation_index();
      tile[i] = x[inv.global_invocation_id().x];
      for (std::uint32_t step = 64; step != 0; step /= 2) {
        inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
        if (i < step) tile[i] = tile[i] + tile[i + step];
      }
      if (i == 0) sums[inv.workgroup_id().x] = tile[0];
      (void)inv.group_non_uniform_f_add(GroupOperation::Reduce, 1.0f);
    };
    device.dispatch(sum, {8}, {128}, in, out);
    CHECK(out.read() == std::vector<float>(8, 128.0f));
    INFO("high-water mark " << stack_high_water_bytes());
    CHECK(stack_high_water_bytes() > 0);
    if (!HEDDLE_TEST_SANITIZED) CHECK(stack_high_water_bytes() <= 16 * kKiB);
  }
}

TEST_CASE("2^24 invocations in one dispatch take no more memory than those that are resident") {
  const bool barrier = GENERATE(false, true);
  const std::uint32_t groups = HEDDLE_TEST_SANITIZED ? 1u << 10 : 1u << 16;
  DeviceOptions options = options_for(Mode::Native);
  options.workers = 2;
  Device device(options);
  auto count = device.buffer({0u});
  const auto kernel = [](auto& inv, auto counter, std::uint32_t wait) {
    if (wait) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    if (inv.local_invocation_index() == 255) {
      inv.atomic_i_increment(counter[0], Scope::Device, MemorySemantics::Relaxed);
    }
  };
  device.dispatch(kernel, {16}, {256}, count, std::uint32_t{barrier});
  const std::size_t before = peak_memory_bytes();
  REQUIRE(before != 0);
  const DispatchResult result = device.dispatch(kernel, {groups}, {256}, count, std::uint32_t{barrier});
  CHECK(result.invocations == std::uint64_t{groups} * 256);
  CHECK(count.read()[0] == groups + 16);
  const std::size_t grown = peak_memory_bytes() - before;
  INFO("grown by " << grown << " bytes");
  // A worker that had no work in the small dispatch makes its stacks in the large one.
  const std::size_t allowed = barrier ? 2 * 256 * 16 * kKiB : 1024 * kKiB;
  if (!HEDDLE_TEST_SANITIZED) CHECK(grown < allowed);
}

TEST_CASE("the high-water mark grows with what a kernel really uses") {
  DeviceOptions options = options_for(Mode::Native);
  options.stack_bytes = 2048 * kKiB;
  Device device(options);
  auto out = device.buffer<std::uint32_t>(4);
  device.dispatch(kTouchStack, {1}, {4}, out, 100u);
  const std::size_t first = stack_high_water_bytes();
  CHECK(first >= 100 * kKiB);
  device.dispatch(kTouchStack, {1}, {4}, out, 600u);
  const std::size_t second = stack_high_water_bytes();
  CHECK(second >= 600 * kKiB);
  CHECK(second > first + 400 * kKiB);
  if (!HEDDLE_TEST_SANITIZED) CHECK(second < 800 * kKiB);
  device.dispatch(kTouchStack, {1}, {4}, out, 1u);
  CHECK(stack_high_water_bytes() == second);
}

TEST_CASE("what does not fit in stack_bytes fits in more of them") {
  DeviceOptions options = options_for(Mode::Native);
  options.stack_bytes = (HEDDLE_TEST_SANITIZED ? 256 : 128) * kKiB;
  const std::uint32_t kib = HEDDLE_TEST_SANITIZED ? 512 : 256;
  {
    Device device(options);
    auto out = device.buffer<std::uint32_t>(4);
    const Finding finding = test::finding_of([&] { device.dispatch(kTouchStack, {1}, {4}, out, kib); });
    CHECK(finding.kind == FindingKind::StackOverflow);
  }
  options.stack_bytes = 4096 * kKiB;
  Device device(options);
  auto out = device.buffer<std::uint32_t>(4);
  CHECK_NOTHROW(device.dispatch(kTouchStack, {1}, {4}, out, kib));
}
