// Volatile memory: a loop may wait by plain loads of it. (A program of its own: where a kernel names volatile memory,
// native workgroups run in another way.)

#include <heddle/block.h>

#include <thread>

#include "tests/device_under_test.h"

struct Head {
  std::uint32_t flag;
  std::uint32_t seen;
};
HEDDLE_MEMBERS(Head, flag, seen)

using namespace heddle;
using heddle::test::contains;
using heddle::test::finding_of;
using heddle::test::options_for;

namespace {

DeviceOptions on_one_thread(Mode mode) {
  DeviceOptions options = options_for(mode);
  options.workers = 1;
  return options;
}

struct Pair {
  std::uint32_t first;
  std::uint32_t second;
};

/// The first one waits for what the last one writes, and passes it on.
template <typename Wait>
std::uint32_t passed_on(Mode mode, Extent groups, Extent local, const Wait& wait) {
  Device device(on_one_thread(mode));
  auto flag = device.buffer(std::vector<std::uint32_t>(4, 0), "flag");
  device.dispatch(
      [&](auto& inv, StorageBuffer<std::uint32_t> auto f) {
        const uvec3 last = inv.num_workgroups() * inv.workgroup_size() - 1u;
        if (inv.global_invocation_id() == last) {
          inv.atomic_store(f[2], Scope::Device, kReleaseBuffers, 7u);
        } else if (inv.global_invocation_id().x == 0) {
          f[1] = wait(f);
        }
      },
      groups, local, flag);
  return flag.read()[1];
}

constexpr MemorySemantics kReleaseTile =
    MemorySemantics::Release | MemorySemantics::WorkgroupMemory | MemorySemantics::MakeAvailable;

constexpr auto kByElement = [](const auto& f) {
  std::uint32_t seen = 0;
  while (seen == 0) seen = f.volatile_()[2];
  return seen;
};

}  // namespace

TEST_CASE("two invocations that take turns by volatile accesses are not told, however often they do") {
  DeviceOptions options = on_one_thread(Mode::Native);
  options.no_progress_time = std::chrono::milliseconds(1);
  Device device(options);
  auto turn = device.buffer({0u}, "turn");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto x, std::uint32_t often) {
    const std::uint32_t mine = inv.global_invocation_id().x;
    auto now = x.volatile_();
    for (std::uint32_t k = 0; k < often; ++k) {
      while (now[0] != mine) {
      }
      now[0] = 1 - mine;
    }
  };
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {2}, turn, 200'000u));
  CHECK_NOTHROW(device.dispatch(kernel, {2}, {1}, turn, 200'000u));
}

TEST_CASE("a poll of a volatile element ends by what another workgroup or invocation on the same thread writes") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  CHECK(passed_on(mode, {2}, {1}, kByElement) == 7);
  CHECK(passed_on(mode, {3}, {8}, kByElement) == 7);
  CHECK(passed_on(mode, {1}, {32}, kByElement) == 7);
}

TEST_CASE("volatile stays what is made of volatile memory: parts, views, what can only be read, members") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  CHECK(passed_on(mode, {2}, {1}, [](const auto& f) {
          const auto word = part(f.volatile_(), 2, 1);
          while (word[0] == 0) {
          }
          return std::uint32_t{word[0]};
        }) == 7);
  CHECK(passed_on(mode, {2}, {1}, [](const auto& f) {
          const auto words = read_only(f.volatile_());
          while (words[2] == 0) {
          }
          return std::uint32_t{words[2]};
        }) == 7);
  CHECK(passed_on(mode, {2}, {1}, [](const auto& f) {
          const auto pairs = view_as<Pair>(f.volatile_());
          while (pairs[1].at(&Pair::first) == 0) {
          }
          return std::uint32_t{pairs[1].at(&Pair::first)};
        }) == 7);
  CHECK(passed_on(mode, {2}, {1}, [](const auto& f) {
          const auto pairs = view_as<Pair>(f).volatile_();
          while (pairs[1].load().first == 0) {
          }
          return pairs[1].load().first;
        }) == 7);
}

TEST_CASE("a poll of a volatile pointer, block or Workgroup variable ends by what another invocation writes") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(on_one_thread(mode));
  auto words = device.buffer(std::vector<std::uint32_t>(2, 0), "words");
  const auto by_pointer = [](auto& inv, DeviceAddress<std::uint32_t> address) {
    auto p = inv.pointer(address);
    if (inv.workgroup_id().x == 1) {
      inv.atomic_store(p[0], Scope::Device, kReleaseBuffers, 7u);
    } else {
      while (*p.volatile_() == 0) {
      }
      p[1] = p.volatile_()[0];
    }
  };
  device.dispatch(by_pointer, {2}, {1}, words.address());
  CHECK(words.read()[1] == 7);

  auto queue = block<Head, std::uint32_t>(device, 4, "queue");
  queue.write_header({0, 0});
  const auto by_block = [](auto& inv, StorageBlock<Head, std::uint32_t> auto b) {
    if (inv.workgroup_id().x == 1) {
      inv.atomic_store(b.header.at(&Head::flag), Scope::Device, kReleaseBuffers, 7u);
    } else {
      while (b.volatile_().header.flag == 0) {
      }
      b.volatile_().header.seen = b.volatile_().header.flag;
    }
  };
  device.dispatch(by_block, {2}, {1}, queue);
  CHECK(queue.header().seen == 7);

  auto out = device.buffer<std::uint32_t>(1, "out");
  const auto by_variable = [](auto& inv, StorageBuffer<std::uint32_t> auto seen) {
    auto word = workgroup<std::uint32_t[1]>(inv, "word", kZeroed);
    if (inv.local_invocation_index() == 7) {
      inv.atomic_store(word[0], Scope::Workgroup, kReleaseTile, 7u);
    } else if (inv.local_invocation_index() == 0) {
      while (word.volatile_()[0] == 0) {
      }
      seen[0] = word.volatile_()[0];
    }
  };
  device.dispatch(by_variable, {1}, {8}, out);
  CHECK(out.read()[0] == 7);
}

TEST_CASE("a poll of a volatile element that nobody ends is told, with the line and what it polls") {
  Device device([] {
    DeviceOptions options = on_one_thread(Mode::Native);
    options.no_progress_time = std::chrono::milliseconds(50);
    options.no_progress_rounds = 16;
    return options;
  }());
  auto flag = device.buffer(std::vector<std::uint32_t>(2, 0), "flag");
  const std::uint32_t line = __LINE__ + 3;
  const auto waits = [](auto& inv, StorageBuffer<std::uint32_t> auto f) {
    (void)inv;
    while (f.volatile_()[1] == 0) {
    }
  };
  const Finding finding = finding_of([&] { device.dispatch(waits, {2}, {1}, flag); });
  INFO(to_string(finding));
  CHECK(finding.kind == FindingKind::NoProgress);
  CHECK(finding.where.line == line);
  CHECK(contains(finding.message, "poll a volatile load of flag[1], which stays 0, at volatile.cpp:"));
  flag.fill(1);
  CHECK_NOTHROW(device.dispatch(waits, {2}, {1}, flag));
}

TEST_CASE("barriers, subgroups and kernels in phases work where a program has volatile memory") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(options_for(mode));
  auto out = device.buffer(std::vector<std::uint32_t>(4 * 64, 0), "out");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
    auto tile = workgroup<std::uint32_t[64]>(inv, "tile");
    const auto i = inv.local_invocation_index();
    tile[i] = i;
    inv.workgroup_barrier();
    const std::uint32_t sum = inv.group_non_uniform_i_add(GroupOperation::Reduce, std::uint32_t{tile[63 - i]});
    inv.workgroup_barrier();
    x[inv.global_invocation_id().x] = sum + tile[(i + 1) % 64];
  };
  device.dispatch(kernel, {4}, {64}, out);
  const std::uint32_t size = *device.options().subgroup_size;
  const std::vector<std::uint32_t> seen = out.read();
  for (std::uint32_t k = 0; k < seen.size(); ++k) {
    const std::uint32_t i = k % 64;
    std::uint32_t sum = 0;
    for (std::uint32_t j = i / size * size; j < i / size * size + size; ++j) sum += 63 - j;
    REQUIRE(seen[k] == sum + (i + 1) % 64);
  }
}
