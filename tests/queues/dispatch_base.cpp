// Dispatches whose workgroup ids do not begin at 0.

#include <heddle/phases.h>

#include <catch2/catch.hpp>

#include <functional>

#include "tests/queues/programs.h"

using namespace queue_tests;

namespace {

constexpr uvec3 kBase{5, 3, 2};
constexpr Extent kGroups{3, 2, 2};
constexpr Extent kLocal{2, 1, 2};
constexpr std::uint32_t kInvocations = 3 * 2 * 2 * 2 * 2;

/// The number of the invocation with this id in the whole dispatch, x first.
constexpr std::uint32_t number_of(const uvec3& global) {
  const uvec3 at = global - kBase * uvec3{kLocal.x, kLocal.y, kLocal.z};
  return at.x + kGroups.x * kLocal.x * (at.y + kGroups.y * kLocal.y * at.z);
}

/// Each invocation notes, at its number, what it finds in the built-ins; one in whom they disagree notes nothing.
constexpr auto kNotes = [](auto& inv, StorageBuffer<std::uint32_t> auto notes) {
  const uvec3 group = inv.workgroup_id();
  const uvec3 global = inv.global_invocation_id();
  if (inv.num_workgroups() != uvec3{kGroups.x, kGroups.y, kGroups.z}) return;
  if (global != group * inv.workgroup_size() + inv.local_invocation_id()) return;
  notes[number_of(global)] = 1 + group.x + 16 * group.y + 256 * group.z;
};
constexpr auto kNotesInPhases = in_phases([](auto& group, StorageBuffer<std::uint32_t> auto notes) {
  const uvec3 id = group.workgroup_id();
  group.each([&](auto& inv) {
    if (inv.workgroup_id() == id) kNotes(inv, notes);
  });
});

/// `note` has what each invocation noted, by its number.
template <typename Note>
void check_notes(const Note& note) {
  for (std::uint32_t i = 0; i < kInvocations; ++i) {
    const uvec3 group = kBase + uvec3{i / kLocal.x % kGroups.x, i / (kLocal.x * kGroups.x) % kGroups.y,
                                      i / (kLocal.x * kGroups.x * kGroups.y) / kLocal.z};
    INFO("invocation " << i);
    CHECK(note(i) == 1 + group.x + 16 * group.y + 256 * group.z);
  }
}

/// A command buffer with what `record` records.
CommandBuffer recorded(const LogicalDevice& device, const std::function<void(CommandBuffer&)>& record,
                       const CommandBufferOptions& with = {}) {
  CommandBuffer commands = device.command_buffer("based", with);
  commands.begin();
  record(commands);
  commands.end();
  return commands;
}

template <typename Kernel>
void check_built_ins(const Kernel& kernel) {
  in_both_modes([&](const LogicalDeviceOptions& with) {
    const LogicalDevice device(with);
    const auto memory = device.allocate_memory<std::uint32_t>(kInvocations, MemoryProperty::HostCoherent, "notes");
    const auto notes = filled(memory, 0);
    device.queue().submit2(recorded(device, [&](CommandBuffer& commands) {
      commands.dispatch_base(kernel, kBase, kGroups, kLocal, memory.buffer());
      commands.pipeline_barrier2(kComputeToHost);
    }));
    device.wait_idle();
    check_notes([&](std::uint32_t i) { return notes.read(i); });
    device.require_no_races();
  });
}

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("workgroup ids of a dispatch with a base begin there, and global ids with them") {
  check_built_ins(kNotes);
}

TEST_CASE("workgroup ids of a kernel in phases that is dispatched with a base begin there") {
  check_built_ins(kNotesInPhases);
}

TEST_CASE("dispatches with bases are parts of one dispatch, and those without one begin at 0 behind them") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    for (const char* const policy : {"sequential", "random"}) {
      LogicalDeviceOptions wanted = with;
      wanted.device.memory = memory_policy(policy);
      const LogicalDevice device(wanted);
      const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
      const auto map = filled(memory, 1);
      auto buffer = memory.buffer();
      const CommandBuffer inner = recorded(device,
                                           [&](CommandBuffer& commands) {
                                             commands.dispatch_base(kSquares, {2, 0, 0}, {2}, {2}, buffer);
                                           },
                                           {.is_secondary = true});
      device.queue().submit2(recorded(device, [&](CommandBuffer& commands) {
        commands.dispatch(kSquares, {1}, {2}, buffer);
        commands.execute_commands(inner);
        commands.dispatch_base(kSquares, {1, 0, 0}, {1}, {2}, buffer);
        commands.pipeline_barrier2(kComputeToCompute);
        commands.dispatch(kTwice, {1}, {kCount / 2}, buffer);
        commands.pipeline_barrier2(kComputeToHost);
      }));
      device.wait_idle();
      for (std::uint32_t i = 0; i < kCount; ++i) CHECK(map.read(i) == (i < kCount / 2 ? 2 * i * i : i * i));
      device.require_no_races();
    }
  });
}

TEST_CASE("workgroups of a dispatch with a base have their own Workgroup memory, and meet at their barriers") {
  const auto swaps = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
    auto tile = inv.template workgroup<std::uint32_t[2]>("tile");
    const std::uint32_t me = inv.local_invocation_index();
    tile[me] = inv.global_invocation_id().x;
    inv.workgroup_barrier();
    x[inv.global_invocation_id().x] = tile[1 - me];
  };
  in_both_modes([&](const LogicalDeviceOptions& with) {
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = filled(memory, 9);
    device.queue().submit2(recorded(device, [&](CommandBuffer& commands) {
      commands.dispatch_base(swaps, {1, 0, 0}, {3}, {2}, memory.buffer());
      commands.pipeline_barrier2(kComputeToHost);
    }));
    device.wait_idle();
    for (std::uint32_t i = 0; i < kCount; ++i) CHECK(map.read(i) == (i < 2 ? 9 : i % 2 == 0 ? i + 1 : i - 1));
  });
}

TEST_CASE("races and findings of a dispatch with a base name the workgroup that the kernel sees") {
  LogicalDeviceOptions wanted = options(Mode::Emulated);
  wanted.device.races = true;
  const LogicalDevice device(wanted);
  const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
  const auto same = [](auto& inv, StorageBuffer<std::uint32_t> auto x) { x[0] = inv.global_invocation_id().x; };
  const auto beyond = [](auto& inv, StorageBuffer<std::uint32_t> auto x) { x[inv.global_invocation_id().x] = 0; };
  device.queue().submit2(recorded(device, [&](CommandBuffer& commands) {
    commands.dispatch_base(same, {40, 0, 0}, {2}, {1}, memory.buffer());
    commands.dispatch_base(kSquares, {7, 0, 0}, {1}, {1}, memory.buffer());
    commands.dispatch_base(kSquares, {7, 0, 0}, {1}, {1}, memory.buffer());
  }));
  device.wait_idle();
  const std::vector<DataRace> inside = device.device().races();
  REQUIRE(inside.size() == 1);
  CHECK(inside[0].first.invocation.workgroup.x + inside[0].second.invocation.workgroup.x == 40 + 41);
  CHECK(inside[0].first.invocation.global == inside[0].first.invocation.workgroup);
  const std::vector<DataRace> between = device.races();
  REQUIRE_FALSE(between.empty());
  for (const DataRace& race : between) {
    CHECK(race.first.invocation.workgroup == uvec3{7, 0, 0});
    CHECK(race.second.invocation.global == uvec3{7, 0, 0});
  }
  const CommandBuffer wrong = recorded(device, [&](CommandBuffer& commands) {
    commands.dispatch_base(beyond, {kCount / 2 - 1, 0, 0}, {2}, {2}, memory.buffer());
  });
  try {
    device.queue().submit2(wrong);
    device.wait_idle();
    FAIL("the kernel went out of its buffer, and nobody told");
  } catch (const KernelError& error) {
    CHECK(error.finding().invocation.workgroup == uvec3{kCount / 2, 0, 0});
  }
}

TEST_CASE("workgroups of a dispatch with a base that have not begun are named as the kernel sees them") {
  LogicalDeviceOptions wanted = options(Mode::Emulated);
  wanted.device.resident_workgroups = 1;
  const LogicalDevice device(wanted);
  const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
  filled(memory, 0);
  const auto waits = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
    while (inv.atomic_load(x[0], Scope::Device, MemorySemantics::Relaxed) == 0) {
    }
  };
  const std::string refusal = refusal_of([&] {
    device.queue().submit2(recorded(device, [&](CommandBuffer& commands) {
      commands.dispatch_base(waits, {40, 0, 3}, {2}, {1}, memory.buffer());
    }));
    device.wait_idle();
  });
  CHECK_THAT(refusal, Catch::Contains(" Not started is workgroup (41,0,3)."));
}

TEST_CASE("a device dispatches with a base as a command buffer does, by itself and in a submission") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  const bool in_submission = GENERATE(true, false);
  Device device(mode);
  auto notes = device.buffer(std::vector<std::uint32_t>(kInvocations, 0), "notes");
  if (in_submission) {
    device.submit([&](Commands& commands) { commands.dispatch_base(kNotes, kBase, kGroups, kLocal, notes); });
  } else {
    device.dispatch_base(kNotes, kBase, kGroups, kLocal, notes);
  }
  const std::vector<std::uint32_t> found = notes.read();
  check_notes([&](std::uint32_t i) { return found[i]; });
  // A dispatch behind it begins at 0 again.
  device.dispatch([](auto& inv, auto x) { x[0] = inv.workgroup_id().x; }, {1}, {1}, notes);
  CHECK(notes.read()[0] == 0);
  CHECK_THROWS_WITH(device.dispatch_base(kNotes, {~0u, 0, 0}, {1}, {1}, notes),
                    Catch::Contains("dispatch_base: 1 x 1 x 1 workgroups of 1 x 1 x 1 from (4294967295,0,0) on"));
}

TEST_CASE("a base from which ids would not fit in 32 bits is refused by the name of the call") {
  constexpr std::uint32_t kMost = ~std::uint32_t{0};
  const LogicalDevice device(Mode::Native);
  const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
  const auto with = [&](const uvec3& base, const Extent& groups, const Extent& local) {
    return refusal_of([&] {
      recorded(device,
               [&](CommandBuffer& commands) { commands.dispatch_base(kTwice, base, groups, local, memory.buffer()); });
    });
  };
  CHECK(with({kMost - 1, 0, 0}, {1}, {1}) == "accepted");
  CHECK(with({kMost, 0, 0}, {1}, {1}) ==
        "heddle: dispatch_base of 'based': 1 x 1 x 1 workgroups of 1 x 1 x 1 from (4294967295,0,0) on: no global "
        "invocation id may reach 2^32; begin lower, or dispatch in parts");
  CHECK_THAT(with({0, kMost / 2, 0}, {1}, {1, 2}), Catch::Contains("dispatch_base"));
  CHECK_THAT(with({0, 0, kMost}, {1, 1, kMost}, {1}), Catch::Contains("dispatch_base"));
}

TEST_CASE("a base beyond the workgroups that a device can count is refused with its limit") {
  in_both_modes([](LogicalDeviceOptions with) {
    with.device.limits.emplace();
    with.device.limits->max_compute_work_group_count = {8, 8, 8};
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    filled(memory, 1);
    const auto run = [&](std::uint32_t base) {
      return refusal_of([&] {
        device.queue().submit2(recorded(device, [&](CommandBuffer& commands) {
          commands.dispatch_base(kTwice, {base, 0, 0}, {1}, {1}, memory.buffer());
        }));
        device.wait_idle();
      });
    };
    CHECK(run(7) == "accepted");
    CHECK_THAT(run(8), Catch::Contains("a dispatch of 1 x 1 x 1 workgroups from (8,0,0) on") &&
                           Catch::Contains("max_compute_work_group_count.x"));
  });
}
