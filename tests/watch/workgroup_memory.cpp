// What is remembered of Workgroup memory while races are looked for: no more than the workgroups that are here have;
// and what is said of two workgroups that have it one after the other.

#include <catch2/catch.hpp>

#include <heddle/heddle.h>

#include <algorithm>
#include <string>

#include "emulator/host/device_state.h"
#include "emulator/memory/machine.h"
#include "emulator/watch/race_watch.h"

using namespace heddle;
using Catch::StartsWith;

namespace {

constexpr std::uint32_t kGroup = 8;
constexpr MemorySemantics kRelease =
    MemorySemantics::Release | MemorySemantics::WorkgroupMemory | MemorySemantics::MakeAvailable;
constexpr MemorySemantics kAcquire =
    MemorySemantics::Acquire | MemorySemantics::WorkgroupMemory | MemorySemantics::MakeVisible;

DeviceOptions racing(std::string_view memory, std::uint32_t resident) {
  DeviceOptions options;
  options.races = true;
  options.races_parallel = false;
  options.seed = 1;
  options.memory = memory_policy(memory);
  options.resident_workgroups = resident;
  return options;
}

/// Two variables, plain accesses on both sides of a barrier, and a message by an atomic.
constexpr auto busy = [](auto& inv) {
  auto tile = inv.template workgroup<std::uint32_t[kGroup]>("tile");
  auto flag = inv.template workgroup<std::uint32_t>("flag");
  const std::uint32_t me = inv.local_invocation_index();
  tile[me] = me;
  if (me == 0) inv.atomic_store(flag, Scope::Workgroup, kRelease, 0u);
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  inv.require(tile[(me + 1) % kGroup] == (me + 1) % kGroup, "");
  inv.atomic_i_add(flag, Scope::Workgroup, kRelease, 1u);
  inv.require(inv.atomic_load(flag, Scope::Workgroup, kAcquire) != 0, "");
};

struct Remembered {
  std::uint32_t numbers = 0;
  std::size_t allocations = 0;
  std::size_t releases = 0;
  std::size_t writers = 0;
};

/// What a device remembers after these dispatches of so many workgroups: in the middle of a submission, so that no
/// memory dependency ends anything.
Remembered remembered(std::string_view memory, std::uint32_t dispatches, std::uint32_t groups) {
  auto state = std::make_shared<detail::DeviceState>(racing(memory, 3));
  Device device(new detail::DeviceHandle{state});
  Remembered found;
  device.submit([&](Commands& commands) {
    for (std::uint32_t i = 0; i < dispatches; ++i) commands.dispatch(busy, groups, kGroup);
    const race::KernelDetector& detector = state->watchers.race_watch()->detector();
    found.allocations = detector.remembered_allocations();
    found.releases = detector.remembered_releases();
    if (const auto* machine = dynamic_cast<const memory::Machine*>(state->memory.get()))
      found.writers = machine->remembered_writers();
  });
  found.numbers = static_cast<std::uint32_t>(state->new_allocation_id());
  CHECK(device.races().empty());
  return found;
}

/// Both workgroups use a variable of their own; the first one hands a number to the second one.
template <MemorySemantics acquire>
constexpr auto message = [](auto& inv, StorageBuffer<std::uint32_t> auto data, StorageBuffer<std::uint32_t> auto flag) {
  auto own = inv.template workgroup<std::uint32_t>("own");
  own = 1u;
  if (inv.workgroup_id().x == 0) {
    data.non_private()[0] = 42u;
    inv.atomic_store(flag[0], Scope::Device, kReleaseBuffers, 1u);
  } else {
    while (inv.atomic_load(flag[0], Scope::Device, acquire) == 0u) {
    }
    own = own + data.non_private()[0];
  }
};

/// What is said of that where so many workgroups are there at a time.
template <MemorySemantics acquire>
std::string said(std::uint32_t resident) {
  DeviceOptions options = racing("sequential", resident);
  options.race_advice = true;
  Device device(options);
  auto data = device.buffer({0u}, "data");
  auto flag = device.buffer({0u}, "flag");
  device.dispatch(message<acquire>, 2, 1, data, flag);
  const RaceReport report = device.race_report();
  std::string text = std::to_string(report.races.size());
  for (const DataRace& race : report.races) {
    text += " " + race.object + ": " + race.reason;
    for (const std::string& change : race.changes) text += ", " + change;
  }
  for (const auto& advice : report.advice) text += "; " + advice.operation + ": " + advice.enough;
  return text;
}

}  // namespace

TEST_CASE("what is remembered of Workgroup memory does not grow with the workgroups that have been") {
  for (const char* memory : {"sequential", "random", "write-back", "incoherent-l1"}) {
    CAPTURE(memory);
    const Remembered of_few = remembered(memory, 1, 16);
    const Remembered of_many = remembered(memory, 20, 50);
    // For the detector that of a resident workgroup is an allocation that is touched, and has as many atomic
    // locations as variables.
    constexpr std::size_t kResident = 3;
    CHECK(of_many.numbers == of_few.numbers);
    CHECK(of_many.numbers <= kResident);
    CHECK(of_many.allocations <= 2 * kResident);
    CHECK(of_many.releases <= kResident);
    CHECK(of_many.writers <= kResident);
  }
}

TEST_CASE("advice takes the Workgroup memory of one workgroup for that of no other, whichever has its place") {
  const std::string right = said<kAcquireBuffers>(1);
  CHECK_THAT(right, StartsWith("0"));
  CHECK(right == said<kAcquireBuffers>(2));
  const std::string wrong = said<MemorySemantics::Relaxed>(1);
  CHECK_THAT(wrong, StartsWith("1 data: "));
  CHECK(wrong == said<MemorySemantics::Relaxed>(2));
}
