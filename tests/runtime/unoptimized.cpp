// Compiled without optimization, which leaves much of each stack frame unset.

#include <ctime>

#include "tests/device_under_test.h"

using namespace heddle;
using heddle::test::finding_of;
using heddle::test::options_for;

TEST_CASE("a kernel that is not optimized and polls two atomics in vain is told within two seconds of processor time") {
  if (HEDDLE_TEST_SANITIZED) return;
  Device device(options_for(Mode::Emulated));
  auto flags = device.buffer({0u, 0u}, "flags");
  const auto waits = [](auto& inv, StorageBuffer<std::uint32_t> auto f) {
    while (inv.atomic_load(f[0], Scope::Device, kAcquireBuffers) == 0 &&
           inv.atomic_load(f[1], Scope::Device, MemorySemantics::Relaxed) == 0) {
    }
    inv.workgroup_barrier();
  };
  const std::clock_t begin = std::clock();
  const Finding finding = finding_of([&] { device.dispatch(waits, {2}, {1}, flags); });
  CHECK(finding.kind == FindingKind::NoProgress);
  CHECK(std::clock() - begin < 2 * CLOCKS_PER_SEC);
}
