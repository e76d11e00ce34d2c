// Memory that runs out, of the program, of a kernel, and of heddle itself: a std::bad_alloc, or a finding that names
// the dispatch, and never an abort.

#include <dlfcn.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "tests/host/ends.h"

using namespace heddle;
using heddle::test::Death;
using heddle::test::end_of;
using heddle::test::kFound;
using heddle::test::kNoMemory;
using heddle::test::options_for;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// From now on the process gets no more than so many bytes of address space beside what it has.
void allow_only(std::uint64_t more_bytes) {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + more_bytes;
  const struct rlimit limit { bytes, bytes };
  setrlimit(RLIMIT_AS, &limit);
}

/// The library that has the function at `address`.
std::string library_of(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

constexpr auto allocates = [](auto& inv, std::uint64_t bytes) {
  if (inv.global_invocation_id().x == 5) {
    const std::vector<char> room(bytes);
    asm volatile("" : : "r"(room.data()) : "memory");
  }
  inv.workgroup_barrier();
};

/// All invocations wait at once, at a barrier or in a loop for the last one.
constexpr auto waits_at_barrier = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  inv.workgroup_barrier();
  x[0] = 1;
};
constexpr auto waits_for_last = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  if (inv.local_invocation_index() == 63) {
    inv.atomic_store(x[0], Scope::Device, MemorySemantics::Relaxed, 1u);
  } else {
    while (inv.atomic_load(x[0], Scope::Device, MemorySemantics::Relaxed) == 0) {
    }
  }
};

/// A dispatch that has no memory, and after it one that has enough.
template <typename Kernel>
bool runs_out_of_stacks(Mode mode, const Kernel& kernel) {
  allow_only(512 * kMiB);
  DeviceOptions options = options_for(mode);
  options.workers = 1;
  options.stack_bytes = 32 * kMiB;
  Device device(options);
  auto x = device.buffer({0u}, "x");
  try {
    device.dispatch(kernel, {1}, {64}, x);
    return false;
  } catch (const KernelError&) {
    device.dispatch(kernel, {1}, {1}, device.buffer({1u}, "y"));
    throw;
  }
}

}  // namespace

TEST_CASE("a program that links heddle has its own operator new and malloc") {
  if (HEDDLE_TEST_SANITIZED) return;
  Device device(Mode::Native);
  CHECK(test::turns_around(device));
  const auto address_of = [](auto function) { return reinterpret_cast<const void*>(function); };
  CHECK_THAT(library_of(address_of(static_cast<void* (*)(std::size_t)>(&operator new))), Catch::Contains("libstdc++"));
  CHECK_THAT(library_of(address_of(static_cast<void (*)(void*)>(&operator delete))), Catch::Contains("libstdc++"));
  CHECK_THAT(library_of(dlsym(RTLD_DEFAULT, "malloc")), Catch::Contains("libc.so"));
  CHECK_THAT(library_of(dlsym(RTLD_DEFAULT, "free")), Catch::Contains("libc.so"));
}

TEST_CASE("the memory of buffers is mimalloc's") {
  if (HEDDLE_TEST_SANITIZED) return;
  Device device(Mode::Native);
  auto x = device.buffer<std::uint32_t>(1000, "x");
  std::unique_ptr<void, int (*)(void*)> library(dlopen("libmimalloc.so.2", RTLD_NOW | RTLD_NOLOAD), &dlclose);
  REQUIRE(library);
  const auto is_its_own = reinterpret_cast<bool (*)(const void*)>(dlsym(library.get(), "mi_is_in_heap_region"));
  CHECK(is_its_own(x.map().data()));
  const auto program = std::make_unique<std::uint32_t>(1);
  CHECK_FALSE(is_its_own(program.get()));
}

TEST_CASE(
    "where memory is short a finding is told all the same, and where there is enough with the call that led there") {
  if (HEDDLE_TEST_SANITIZED) return;
  constexpr auto fails_in_helper = [](auto& inv) {
    const auto check = [&] { inv.require(inv.local_invocation_index() < 3); };
    check();
  };
  const auto found_with = [&](std::uint64_t mib) {
    return end_of([&] {
      Device device(options_for(Mode::Native));
      allow_only(mib * kMiB);
      device.dispatch(fails_in_helper, {1}, {4});
      return true;
    });
  };
  for (std::uint64_t mib = 1; mib < 200; ++mib) {
    CAPTURE(mib);
    CHECK(found_with(mib).exit_code == kFound);
  }
  CHECK_THAT(found_with(2048).text, Catch::Contains("called at"));
}

TEST_CASE(
    "a buffer for whose bytes there is memory, and not for what is known of them, is refused and leaves nothing") {
  if (HEDDLE_TEST_SANITIZED) return;
  const Death end = end_of([] {
    allow_only(288 * kMiB);
    Device device(Mode::Emulated);
    // 256 MiB, and a bit for each byte.
    constexpr std::uint64_t kElements = std::uint64_t{1} << 26;
    try {
      (void)device.buffer<std::uint32_t>(kElements, "x");
      return false;
    } catch (const std::bad_alloc&) {
      if (device.buffer({1u}, "y").read() != std::vector{1u}) return false;
    }
    (void)device.buffer<std::uint32_t>(kElements, "x");
    return false;
  });
  CHECK(end.exit_code == kNoMemory);
  CHECK(end.text == "no memory for 'x': 67108864 elements of 4 bytes");
}

TEST_CASE("where the program has no memory it gets a std::bad_alloc, with heddle as without") {
  if (HEDDLE_TEST_SANITIZED) return;
  const Death end = end_of([] {
    allow_only(1024 * kMiB);
    const std::vector<char> room(4096 * kMiB);
    return room.empty();
  });
  INFO(end.text);
  CHECK(end.exit_code == kNoMemory);
}

TEST_CASE("a kernel that gets no memory is a finding that names the dispatch") {
  if (HEDDLE_TEST_SANITIZED) return;
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const Death end = end_of([&] {
    Device device(options_for(mode));
    device.dispatch(allocates, {1}, {8}, std::uint64_t{16});
    device.dispatch(allocates, {1}, {8}, std::uint64_t{1} << 46);
    return false;
  });
  INFO(end.text);
  CHECK(end.exit_code == kFound);
  CHECK(end.says("the kernel threw: std::bad_alloc"));
  CHECK(end.says("memory ran out in dispatch 1 of a device"));
  CHECK(end.says("1 x 1 x 1 workgroups of 8 x 1 x 1"));
}

TEST_CASE("where there is no room for the stacks of a dispatch it fails and says so, and the next one runs") {
  if (HEDDLE_TEST_SANITIZED) return;
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  for (const bool at_barrier : {true, false}) {
    const Death end = end_of([&] {
      return at_barrier ? runs_out_of_stacks(mode, waits_at_barrier) : runs_out_of_stacks(mode, waits_for_last);
    });
    INFO(at_barrier << end.text);
    CHECK(end.exit_code == kFound);
    CHECK(end.says("out of memory: "));
    CHECK(end.says("no room for another fiber stack (33554432 bytes"));
    CHECK(end.says("DeviceOptions::stack_bytes"));
    CHECK(end.says("in dispatch 0 of a device"));
  }
}

TEST_CASE("a dispatch of many invocations that do little remembers nothing of each of them") {
  if (HEDDLE_TEST_SANITIZED) return;
  Device device(options_for(Mode::Emulated));
  constexpr std::uint32_t kGroups = 1 << 11;
  auto x = device.buffer(std::vector<std::uint32_t>(std::size_t{kGroups} * 64, 1u), "x");
  const auto doubles = [](auto& inv, StorageBuffer<std::uint32_t> auto all) { all[inv.global_invocation_id().x] *= 2; };
  device.dispatch(doubles, {1}, {64}, x);
  const std::size_t before = mallinfo2().uordblks;
  device.dispatch(doubles, {kGroups}, {64}, x);
  CHECK(mallinfo2().uordblks < before + kMiB);
}

TEST_CASE("where there is no room for the memory of workgroups a dispatch fails and says so") {
  if (HEDDLE_TEST_SANITIZED) return;
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const Death end = end_of([&] {
    allow_only(512 * kMiB);
    DeviceOptions options = options_for(mode);
    options.workgroup_memory_bytes = 128 * kMiB;
    options.resident_workgroups = 64;
    Device device(options);
    auto x = device.buffer({0u}, "x");
    // Each workgroup waits for the last one, so that all are resident.
    const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto y) {
      auto tile = workgroup<std::uint32_t>(inv, "tile");
      tile = 1;
      inv.atomic_i_add(y[0], Scope::Device, MemorySemantics::Relaxed, 1u);
      while (inv.atomic_load(y[0], Scope::Device, MemorySemantics::Relaxed) < 64) {
      }
    };
    device.dispatch(kernel, {64}, {1}, x);
    return false;
  });
  INFO(end.text);
  CHECK(end.exit_code == kFound);
  CHECK(end.says("no room for another workgroup"));
  CHECK(end.says("DeviceOptions::workgroup_memory_bytes"));
  CHECK(end.says("in dispatch 0 of a device"));
}

namespace {

/// Whether a workgroup has come past its first accesses, all of which race.
std::atomic<bool> g_has_raced{false};

/// Each invocation leaves something to remember at every access, and races at the first.
constexpr auto leaves_much_behind = [](auto& inv, StorageBuffer<std::uint32_t> auto x, std::uint32_t rounds) {
  const std::uint32_t i = inv.global_invocation_id().x;
  x[0] = i;
  inv.workgroup_barrier();
  g_has_raced = true;
  for (std::uint32_t k = 0; k < rounds; ++k) {
    x[1 + i * rounds + k] = k;
    inv.atomic_i_add(x[1 + (i * 7919 + k * 31) % (rounds * 64)], Scope::Device, kBufferBarrier, 1u);
    if (k % 4 == 0) inv.workgroup_barrier();
  }
};

constexpr auto does_little = [](auto& inv, StorageBuffer<std::uint32_t> auto y) {
  for (std::uint32_t k = 0; k < 1000; ++k) y[inv.global_invocation_id().x] = k;
};

struct Looking {
  std::string_view policy;
  bool parallel = false;
  std::vector<std::uint64_t> mib;
};

/// Dispatches that kernel with so much memory. False: a race that must have been found is in no report.
bool keeps_what_it_found(const Looking& looking, std::uint64_t mib) {
  DeviceOptions options = options_for(Mode::Emulated);
  options.memory = memory_policy(looking.policy);
  options.races = true;
  options.races_parallel = looking.parallel;
  options.workers = looking.parallel ? 2 : 1;
  Device device(options);
  constexpr std::uint32_t kRounds = 1600;
  auto x = device.buffer(std::vector<std::uint32_t>(1 + 64 * kRounds, 0), "x");
  // Threads that there are need none of it.
  if (looking.parallel) device.dispatch(does_little, {256}, {8}, device.buffer<std::uint32_t>(2048, "y"));
  g_has_raced = false;
  allow_only(mib * kMiB);
  const auto is_kept = [&] { return !g_has_raced || !device.races().empty(); };
  try {
    device.dispatch(leaves_much_behind, {8}, {8}, x, kRounds);
  } catch (const KernelError&) {
    if (is_kept()) throw;
    return false;
  } catch (const std::bad_alloc&) {
    if (is_kept()) throw;
    return false;
  }
  return is_kept();
}

}  // namespace

TEST_CASE(
    "where what looks for races has no more room the dispatch fails and says so, whenever that is, and what was found "
    "is in the report") {
  if (HEDDLE_TEST_SANITIZED) return;
  const Looking looking = GENERATE(Looking{"sequential", false, {1, 2, 4, 8, 9, 12, 16}},
                                   Looking{"random", false, {1, 4, 8, 12}}, Looking{"sequential", true, {1, 4, 8, 16}});
  std::uint32_t failed = 0;
  for (const std::uint64_t mib : looking.mib) {
    const Death end = end_of([&] { return keeps_what_it_found(looking, mib); });
    INFO(looking.policy << (looking.parallel ? ", on all cores, " : ", ") << mib << " MiB: " << end.exit_code << ' '
                        << end.text);
    CHECK((end.exit_code == kFound || end.exit_code == kNoMemory || end.exit_code == test::kWorks));
    if (end.exit_code == test::kWorks) continue;
    ++failed;
    CHECK(end.says(looking.parallel ? "dispatch 1 of " : "dispatch 0 of "));
  }
  CHECK(failed > 1);
}
