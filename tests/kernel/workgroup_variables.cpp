// Variables in Workgroup memory: zeroed ones, those sized at dispatch, the everyday barrier.

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::contains;
using heddle::test::finding_of;
using heddle::test::options_for;

namespace {

// Leaves something else than zeros in Workgroup memory, for the next workgroup.
const auto kLitter = [](auto& inv) {
  auto tile = workgroup<std::uint32_t[64]>(inv, "litter");
  tile[inv.local_invocation_index()] = ~0u;
  inv.workgroup_barrier();
};

}  // namespace

TEST_CASE("a zeroed variable starts at zero in each workgroup of each dispatch, whatever was there before") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto wrong = device.buffer({0u}, "wrong");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto wrong_, bool waits) {
    auto first = workgroup<std::uint32_t>(inv, "first");
    auto bins = workgroup<std::uint32_t[30]>(inv, "bins", kZeroed);
    auto last = workgroup<std::uint32_t>(inv, "last", kZeroed);
    const auto i = inv.local_invocation_index();
    // Counted by all: the second one must not set to zero what the first one counted.
    inv.atomic_i_increment(bins[i % 30], Scope::Workgroup, MemorySemantics::Relaxed);
    if (inv.atomic_i_increment(last, Scope::Workgroup, MemorySemantics::Relaxed) == 63 && !waits) first = 1u;
    if (waits) inv.workgroup_barrier();
    if (i == 63) {
      for (std::uint32_t k = 0; k < 30; ++k) {
        const std::uint32_t count = inv.atomic_load(bins[k], Scope::Workgroup, MemorySemantics::Relaxed);
        if (count != (k < 4 ? 3u : 2u)) inv.atomic_i_increment(wrong_[0], Scope::Device, MemorySemantics::Relaxed);
      }
    }
  };
  for (int turn = 0; turn < 3; ++turn) {
    device.dispatch(kLitter, {3}, {64});
    device.dispatch(kernel, {5, 2}, {64}, wrong, true);
    if (mode == Mode::Native) device.dispatch(kernel, {5, 2}, {64}, wrong, false);
  }
  CHECK(wrong.read()[0] == 0);
}

TEST_CASE(
    "on a device whose Workgroup memory is zeroed variables start at zero that do not ask for it, and only there") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  options.workgroup_memory_zeroed = true;
  Device device(options);
  auto sums = device.buffer(std::vector<std::uint32_t>(10, 9), "sums");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto to) {
    auto count = workgroup<std::uint32_t>(inv, "count");
    auto bins = workgroup<std::uint32_t[16]>(inv, "bins");
    inv.atomic_i_add(bins[inv.local_invocation_index() % 16], Scope::Workgroup, MemorySemantics::Relaxed, 1u);
    inv.workgroup_barrier();
    if (inv.local_invocation_index() == 0) {
      std::uint32_t sum = count;
      for (std::uint32_t k = 0; k < 16; ++k) sum += bins[k];
      to[inv.workgroup_id().x] = sum;
    }
  };
  device.dispatch(kLitter, {3}, {64});
  device.dispatch(kernel, {10}, {64}, sums);
  CHECK(sums.read() == std::vector<std::uint32_t>(10, 64));
  Device other(options_for(Mode::Emulated));
  auto out = other.buffer(std::vector<std::uint32_t>(10, 9), "out");
  CHECK(finding_of([&] { other.dispatch(kernel, {10}, {64}, out); }).kind == FindingKind::UninitializedRead);
}

TEST_CASE("a variable that is not zeroed holds nothing that may be read; a zeroed one does") {
  const InitialValue initial = GENERATE(InitialValue::Undefined, InitialValue::Zero);
  Device device(options_for(Mode::Emulated));
  auto out = device.buffer({7u}, "out");
  const auto dispatch = [&] {
    device.dispatch(
        [initial](auto& inv, auto to) {
          auto tile = workgroup<std::uint32_t[4]>(inv, "tile", initial);
          to[0] = tile[2];
        },
        {1}, {1}, out);
  };
  if (initial == InitialValue::Zero) {
    dispatch();
    CHECK(out.read()[0] == 0);
  } else {
    const Finding finding = finding_of(dispatch);
    CHECK(finding.kind == FindingKind::UninitializedRead);
    CHECK(finding.object == "tile");
  }
}

TEST_CASE("zeros of a workgroup race with no writes after a barrier, and are seen on weak memory") {
  DeviceOptions options = options_for(Mode::Emulated, GENERATE(1u, 2u, 3u));
  options.memory = memory_policy("adversarial");
  options.races = true;
  Device device(options);
  auto out = device.buffer(std::vector<std::uint32_t>(64, 9), "out");
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto to) {
        auto tile = workgroup<std::uint32_t[32]>(inv, "tile", kZeroed);
        const auto i = inv.local_invocation_index();
        to[inv.global_invocation_id().x] = tile[(i + 1) % 32];
        inv.workgroup_barrier();
        tile[i] = 5u;
      },
      {2}, {32}, out);
  CHECK(out.read() == std::vector<std::uint32_t>(64, 0));
  CHECK(device.races().empty());
}

TEST_CASE("an array sized at dispatch has as many elements as it was asked for") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const std::uint32_t count = GENERATE(1u, 7u, 32u);
  Device device(options_for(mode));
  auto out = device.buffer(std::vector<std::uint32_t>(2, 0), "out");
  device.dispatch(
      [](auto& inv, std::uint32_t n, StorageBuffer<std::uint32_t> auto to) {
        auto row = workgroup<std::uint32_t[]>(inv, n, "row");
        auto pairs = workgroup<std::uint32_t[][2]>(inv, n, "pairs", kZeroed);
        const auto i = inv.local_invocation_index();
        row[i] = i;
        pairs[i][1] += row[i];
        inv.workgroup_barrier();
        if (i == 0) {
          std::uint32_t sum = 0;
          for (std::uint32_t k = 0; k < row.size(); ++k) sum += pairs[k][1];
          to[inv.workgroup_id().x] = sum;
        }
      },
      {2}, {count}, count, out);
  CHECK(out.read() == std::vector<std::uint32_t>(2, count * (count - 1) / 2));
}

TEST_CASE("an array sized at dispatch is as large for all invocations, and its end is the end") {
  Device device(options_for(Mode::Emulated));
  const auto of_two_sizes = [](auto& inv, std::uint32_t more) {
    auto row = workgroup<std::uint32_t[]>(inv, 4 + (inv.local_invocation_index() == 1 ? more : 0), "row");
    row[inv.local_invocation_index()] = 1u;
  };
  const std::uint32_t line = __LINE__ - 3;
  CHECK_NOTHROW(device.dispatch(of_two_sizes, {1}, {2}, 0u));
  const Finding two = finding_of([&] { device.dispatch(of_two_sizes, {1}, {2}, 4u); });
  CHECK(two.kind == FindingKind::WorkgroupVariables);
  CHECK(two.where.line == line);

  const Finding outside = finding_of([&] { device.dispatch(of_two_sizes, {1}, {5}, 0u); });
  CHECK(outside.kind == FindingKind::OutOfBounds);
  CHECK(outside.where.line == line + 1);
  CHECK(contains(to_string(outside), "element 4 of Workgroup 'row', which has 4 elements"));
}

TEST_CASE("what does not fit into Workgroup memory is reported in either mode, however much it is") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const std::uint64_t count = GENERATE(std::uint64_t{1} << 14, ~std::uint64_t{0});
  Device device(options_for(mode));
  const Finding finding = finding_of([&] {
    device.dispatch(
        [](auto& inv, std::uint64_t n) {
          auto fits = workgroup<std::uint32_t>(inv, "fits");
          auto row = workgroup<std::uint32_t[]>(inv, n, "row");
          fits = 1u;
          row[0] = 1u;
        },
        {1}, {1}, count);
  });
  CHECK(finding.kind == FindingKind::WorkgroupVariables);
  CHECK(finding.where.line == __LINE__ - 7);
}

TEST_CASE("the everyday barrier orders Workgroup memory; buffers only where it is told to") {
  const bool buffers = GENERATE(false, true);
  DeviceOptions options = options_for(Mode::Emulated);
  options.races = true;
  Device device(options);
  auto data = device.buffer(std::vector<std::uint32_t>(8, 0), "data");
  device.dispatch(
      [buffers](auto& inv, StorageBuffer<std::uint32_t> auto x) {
        auto tile = workgroup<std::uint32_t[8]>(inv, "tile");
        const auto i = inv.local_invocation_index();
        auto shared = x.non_private();
        tile[i] = i;
        shared[i] = i;
        if (buffers) {
          inv.workgroup_barrier(kWorkgroupBarrier | kBufferBarrier);
        } else {
          inv.workgroup_barrier();
        }
        inv.require(tile[7 - i] == 7 - i, "the tile is there");
        const std::uint32_t other = shared[7 - i];
        inv.require(other <= 7);
      },
      {1}, {8}, data);
  CHECK(device.races().empty() == buffers);
}

TEST_CASE("a uniform load gives the whole workgroup one value, which may change right after it") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  DeviceOptions options = options_for(mode);
  if (mode == Mode::Emulated) options.races = true;
  Device device(options);
  auto out = device.buffer(std::vector<std::uint32_t>(32, 0), "out");
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto to) {
        auto turn = workgroup<std::uint32_t>(inv, "turn");
        const auto i = inv.local_invocation_index();
        std::uint32_t sum = 0;
        for (std::uint32_t k = 0; k < 4; ++k) {
          if (i == k) turn = 10 * k;
          sum += inv.workgroup_uniform_load(turn);
        }
        to[inv.global_invocation_id().x] = sum;
      },
      {2}, {16}, out);
  CHECK(out.read() == std::vector<std::uint32_t>(32, 60));
  if (mode == Mode::Emulated) CHECK(device.races().empty());
}
