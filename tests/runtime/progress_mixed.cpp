// Two invocations wait in vain, each in its own way: what is told.

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::finding_of;
using heddle::test::options_for;

namespace {

/// How an invocation waits in vain.
enum class Way : std::uint32_t { OneAtomic, TwoAtomics, Exchange, CompareExchange, PlainRead, TwoPlainReads, Barrier };
constexpr std::uint32_t kWays = 7;

/// Whether what it waits for has not come.
const auto kNotYet = [](auto& inv, auto& f, Way way) {
  constexpr auto kRelaxed = MemorySemantics::Relaxed;
  const auto load = [&](std::uint32_t i) { return inv.atomic_load(f[i], Scope::Device, kRelaxed); };
  switch (way) {
    case Way::OneAtomic:
      return load(0) == 0;
    case Way::TwoAtomics:
      return load(0) == 0 && load(1) == 0;
    case Way::Exchange:
      return inv.atomic_exchange(f[1], Scope::Device, kRelaxed, 0u) == 0 && load(0) == 0;
    case Way::CompareExchange:
      return load(0) == 0 && inv.atomic_compare_exchange(f[1], Scope::Device, kRelaxed, kRelaxed, 2u, 1u) == 0;
    case Way::PlainRead:
      return f[0] == 0;
    case Way::TwoPlainReads:
      return f[0] == 0 && f[1] == 0;
    case Way::Barrier:
      inv.workgroup_barrier();
      return load(0) == 0;
  }
  return false;
};

const auto kWaits = [](auto& inv, StorageBuffer<std::uint32_t> auto f, Way even, Way odd) {
  const Way way = inv.workgroup_id().x % 2 == 0 ? even : odd;
  while (kNotYet(inv, f, way)) {
  }
};

}  // namespace

TEST_CASE("two workgroups that wait in vain are told, in whichever two ways they do") {
  DeviceOptions options = options_for(Mode::Emulated);
  options.memory = memory_policy(GENERATE("sequential", "adversarial"));
  options.operations_between_switches = GENERATE(1u, 16u);
  options.no_progress_rounds = 64;
  CAPTURE(options.memory->name, options.operations_between_switches);
  // With a sanitizer one of them polls a single atomic.
  constexpr std::uint32_t kPairs = HEDDLE_TEST_SANITIZED ? kWays : kWays * kWays;
  for (std::uint32_t pair = 0; pair < kPairs; ++pair) {
    const auto even = static_cast<Way>(pair / kWays);
    const auto odd = static_cast<Way>(pair % kWays);
    CAPTURE(pair / kWays, pair % kWays);
    Device device(options);
    auto f = device.buffer({0u, 0u}, "f");
    CHECK(finding_of([&] { device.dispatch(kWaits, {2}, {1}, f, even, odd); }).kind == FindingKind::NoProgress);
  }
}

#if !HEDDLE_TEST_SANITIZED
TEST_CASE("one that polls two atomics in turn and one that polls a single one are told with the default options, too") {
  DeviceOptions options = options_for(Mode::Emulated);
  options.memory = memory_policy("sequential");
  Device device(options);
  auto f = device.buffer({0u, 0u}, "f");
  CHECK(finding_of([&] { device.dispatch(kWaits, {2}, {1}, f, Way::TwoAtomics, Way::OneAtomic); }).kind ==
        FindingKind::NoProgress);
}
#endif
