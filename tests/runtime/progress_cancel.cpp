// Loops that compute, and look each time whether they are to stop, go on; loops that only look are told.

#include "tests/device_under_test.h"

#include <heddle/phases.h>

#include <chrono>

using namespace heddle;
using heddle::test::finding_of;
using heddle::test::options_for;

// Sanitizers put variables elsewhere: in which state an invocation is, is not known then.
#if !HEDDLE_TEST_SANITIZED
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRelaxed = MemorySemantics::Relaxed;
constexpr std::chrono::milliseconds kPatience{50};
constexpr std::uint64_t kRounds = 64;
/// How many accesses it takes, of all invocations together, until one is told that is never in the same state.
constexpr std::uint64_t kMost = 16384 * kRounds;

DeviceOptions impatient(Mode mode) {
  DeviceOptions options = options_for(mode);
  options.no_progress_time = kPatience;
  options.no_progress_rounds = kRounds;
  return options;
}

/// How often all loops together have looked. It is no part of an invocation's state.
std::uint64_t g_looks = 0;

/// Where a loop has what it computes.
enum class Kept : std::uint32_t { InRegister, OnStack };

/// Looks so often whether it is to stop, and computes meanwhile. Then waits until it is to, if it `waits`.
template <Kept kept, bool waits>
constexpr auto sums =
    [](auto& inv, StorageBuffer<std::uint32_t> auto cancel, StorageBuffer<float> auto out, std::uint32_t often) {
      const auto is_to_stop = [&] {
        ++g_looks;
        return inv.atomic_load(cancel[0], Scope::Device, kRelaxed) != 0;
      };
      float in_register = 0;
      volatile float on_stack = 0;
      for (std::uint32_t k = 1; k <= often && !is_to_stop(); ++k) {
        const float term = 1.0f / static_cast<float>(k);
        if (kept == Kept::InRegister) in_register += term;
        if (kept == Kept::OnStack) on_stack = on_stack + term;
      }
      while (waits && !is_to_stop()) {
      }
      out[inv.global_invocation_id().x] = in_register + on_stack;
    };

template <Kept kept, bool waits = false>
void run(std::uint32_t often) {
  Device device(impatient(Mode::Emulated));
  auto cancel = device.buffer({0u}, "cancel");
  auto out = device.buffer<float>(4, "out");
  g_looks = 0;
  device.dispatch(sums<kept, waits>, {2}, {2}, cancel, out, often);
}

/// Looks for so long whether it is to stop, and counts meanwhile.
const auto kCountsFor = [](auto& inv, StorageBuffer<std::uint32_t> auto cancel, StorageBuffer<std::uint32_t> auto out,
                           Clock::duration time) {
  std::uint32_t n = 0;
  const auto begin = Clock::now();
  while (inv.atomic_load(cancel[0], Scope::Device, kRelaxed) == 0 && Clock::now() - begin < time) ++n;
  out[inv.global_invocation_id().x] = n;
};

/// Counts for so long in a region of a kernel in phases.
const auto kCountsInRegion =
    in_phases([](auto& group, StorageBuffer<std::uint32_t> auto cancel, StorageBuffer<std::uint32_t> auto out,
                 Clock::duration time) { group.each([&](auto& inv) { kCountsFor(inv, cancel, out, time); }); });

void counts_for(const auto& kernel, Extent size, Clock::duration time) {
  Device device(impatient(Mode::Native));
  auto cancel = device.buffer({0u}, "cancel");
  auto out = device.buffer<std::uint32_t>(8, "out");
  device.dispatch(kernel, {2}, size, cancel, out, time);
}

/// Counts in memory alone while `goes_on`, which keeps nothing of it in a register.
const auto kCountsInMemory = [](auto& inv, StorageBuffer<std::uint32_t> auto cancel,
                                StorageBuffer<std::uint32_t> auto out, bool (*goes_on)(std::uint32_t)) {
  const std::uint32_t i = inv.global_invocation_id().x;
  const auto step = [&]() __attribute__((noinline)) {
    out[i] += 1u;
    return goes_on(out[i]);
  };
  while (inv.atomic_load(cancel[0], Scope::Device, kRelaxed) == 0 && step()) {
  }
};

/// Counts in memory alone in a region of a kernel in phases.
const auto kCountsInMemoryInRegion = in_phases(
    [](auto& group, StorageBuffer<std::uint32_t> auto cancel, StorageBuffer<std::uint32_t> auto out,
       bool (*goes_on)(std::uint32_t)) { group.each([&](auto& inv) { kCountsInMemory(inv, cancel, out, goes_on); }); });

/// When those that count in memory natively are to stop.
Clock::time_point g_end;

[[gnu::noinline]] bool is_before_end(std::uint32_t) {
  return Clock::now() < g_end;
}

[[gnu::noinline]] bool is_below_100000(std::uint32_t n) {
  return n < 100'000;
}

void counts_in_memory(const auto& kernel, Mode mode, Extent size, bool (*goes_on)(std::uint32_t)) {
  Device device(impatient(mode));
  auto cancel = device.buffer({0u}, "cancel");
  auto out = device.buffer(std::vector<std::uint32_t>(8, 0), "out");
  g_end = Clock::now() + 4 * kPatience;
  device.dispatch(kernel, {2}, size, cancel, out, goes_on);
}

/// A hundred times as long as anybody waits.
constexpr Clock::duration kForEver = 100 * 32 * kPatience;

}  // namespace

TEST_CASE(
    "an invocation that computes, and looks each time whether it is to stop, goes on for 16384 accesses of each "
    "round") {
  CHECK_NOTHROW(run<Kept::InRegister>(kMost / 4 - kMost / 64));
  CHECK_NOTHROW(run<Kept::OnStack>(kMost / 4 - kMost / 64));
}

TEST_CASE("an invocation that counts how often it has looked is told after some 16384 accesses of each round") {
  CHECK(finding_of([] { run<Kept::InRegister>(kMost); }).kind == FindingKind::NoProgress);
  CHECK(g_looks < kMost + kMost / 16);
  CHECK(finding_of([] { run<Kept::OnStack>(kMost); }).kind == FindingKind::NoProgress);
  CHECK(g_looks < kMost + kMost / 16);
}

TEST_CASE("an invocation that computes first, and then waits in vain, is told by the time it has waited as long") {
  constexpr std::uint32_t kComputed = kMost / 16;
  CHECK(finding_of([] { run<Kept::InRegister, true>(kComputed); }).kind == FindingKind::NoProgress);
  CHECK(g_looks > 4 * kComputed);
  CHECK(g_looks < 9 * kComputed);
}

TEST_CASE(
    "natively an invocation that computes and looks whether it is to stop goes on, many times as long as "
    "no_progress_time") {
  CHECK_NOTHROW(counts_for(kCountsFor, 1, 4 * kPatience));
  CHECK_NOTHROW(counts_for(kCountsFor, 4, 4 * kPatience));
  CHECK_NOTHROW(counts_for(kCountsInRegion, 1, 4 * kPatience));
}

TEST_CASE("an invocation that counts in memory alone, and looks each time whether it is to stop, goes on") {
  CHECK_NOTHROW(counts_in_memory(kCountsInMemory, Mode::Emulated, 1, is_below_100000));
  CHECK_NOTHROW(counts_in_memory(kCountsInMemory, Mode::Emulated, 4, is_below_100000));
  CHECK_NOTHROW(counts_in_memory(kCountsInMemory, Mode::Native, 1, is_before_end));
  CHECK_NOTHROW(counts_in_memory(kCountsInMemory, Mode::Native, 4, is_before_end));
  CHECK_NOTHROW(counts_in_memory(kCountsInMemoryInRegion, Mode::Native, 1, is_before_end));
}

TEST_CASE("natively an invocation that counts how often it has looked is told at last") {
  CHECK(finding_of([] { counts_for(kCountsFor, 4, kForEver); }).kind == FindingKind::NoProgress);
  CHECK(finding_of([] { counts_for(kCountsInRegion, 1, kForEver); }).kind == FindingKind::NoProgress);
}

TEST_CASE("what a region polled in the dispatch before does not count") {
  DeviceOptions options = impatient(Mode::Native);
  options.no_progress_time = std::chrono::milliseconds(1);
  Device device(options);
  auto cancel = device.buffer({0u}, "cancel");
  auto out = device.buffer<std::uint32_t>(1, "out");
  const auto kernel =
      in_phases([](auto& group, StorageBuffer<std::uint32_t> auto f, StorageBuffer<std::uint32_t> auto x) {
        group.each([&](auto& inv) {
          std::uint32_t n = 0;
          while (n < 64 && inv.atomic_load(f[0], Scope::Device, kRelaxed) == 0) ++n;
          x[0] = n;
        });
      });
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, cancel, out));
  for (const auto end = Clock::now() + std::chrono::milliseconds(2); Clock::now() < end;) {
  }
  CHECK_NOTHROW(device.dispatch(kernel, {1}, {1}, cancel, out));
  CHECK(out.read()[0] == 64);
}
#endif
