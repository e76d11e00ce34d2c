#include <catch2/catch.hpp>

#include "tests/check/death.h"
#include "tests/queues/programs.h"

using namespace queue_tests;

namespace {

/// Two queues, each of which computes in memory of its own and signals the timeline and the fence with its number.
struct TwoQueues {
  explicit TwoQueues(const LogicalDevice& device) : logical(device) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      maps.push_back(filled(memories[i], 3));
      commands[i].begin();
      commands[i].dispatch(kTwice, {1}, {kCount}, memories[i].buffer());
      commands[i].pipeline_barrier2(kComputeToHost);
      commands[i].end();
    }
  }
  void submit(std::uint32_t i) const {
    logical.queue(0, i).submit2({{.command_buffers = {commands[i]}, .signal_semaphores = {{timelines[i], 2}}}},
                                fences[i]);
  }

  const LogicalDevice& logical;
  std::vector<DeviceMemory<std::uint32_t>> memories{numbers(logical, MemoryProperty::HostCoherent, "first"),
                                                    numbers(logical, MemoryProperty::HostCoherent, "second")};
  std::vector<MappedMemory<std::uint32_t>> maps;
  std::vector<CommandBuffer> commands{logical.command_buffer("first"), logical.command_buffer("second")};
  std::vector<Fence> fences{logical.fence("first"), logical.fence("second")};
  std::vector<Semaphore> timelines{logical.timeline_semaphore(0, "first"), logical.timeline_semaphore(0, "second")};
};

}  // namespace

TEST_CASE("a wait for all fences or timelines is behind each of them") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    for (const bool of_fences : {false, true}) {
      const LogicalDevice device(with);
      const TwoQueues two(device);
      two.submit(0);
      two.submit(1);
      if (of_fences) {
        device.wait_for_fences(two.fences);
      } else {
        device.wait_semaphores({{two.timelines[0], 2}, {two.timelines[1], 1}});
      }
      for (const auto& map : two.maps) CHECK(map.read(3) == 6);
      device.require_no_races();
    }
  });
}

TEST_CASE("a wait for any fence or timeline is over when one of them is signaled") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    for (const bool of_fences : {false, true}) {
      const LogicalDevice device(with);
      const TwoQueues two(device);
      two.submit(1);
      if (of_fences) {
        device.wait_for_fences(two.fences, WaitFor::Any);
      } else {
        device.wait_semaphores({{two.timelines[0], 2}, {two.timelines[1], 2}}, WaitFor::Any);
      }
      CHECK_FALSE(two.fences[0].is_signaled());
      CHECK(two.maps[1].read(3) == 6);
      device.require_no_races();
    }
  });
}

TEST_CASE("who waits for any of two fences, and reads behind the other one, has a race") {
  std::uint32_t racing = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    for (const bool asks : {false, true}) {
      const LogicalDevice device(options(Mode::Emulated, seed));
      const TwoQueues two(device);
      two.submit(0);
      two.submit(1);
      device.wait_for_fences(two.fences, WaitFor::Any);
      if (!asks || two.fences[1].is_signaled()) two.maps[1].read(3);
      device.wait_idle();
      if (asks) device.require_no_races();
      racing += !device.races().empty() ? 1 : 0;
    }
  }
  CHECK(racing > 20);
  CHECK(racing < 60);
}

TEST_CASE("a wait for several that nobody ends is a deadlock that names them, and one for none is refused") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    const LogicalDevice device(options(mode));
    const TwoQueues two(device);
    two.submit(0);
    CHECK_THROWS_WITH(device.wait_for_fences(two.fences),
                      Catch::Contains("deadlock: wait_for_fences for fence 'first' and fence 'second'"));
    device.wait_for_fences(two.fences, WaitFor::Any);
    CHECK_THROWS_WITH(device.wait_semaphores({{two.timelines[0], 9}, {two.timelines[1], 2}}, WaitFor::Any),
                      Catch::Contains("'first' (value 9) or timeline semaphore 'second' (value 2)"));
    CHECK_THROWS_WITH(device.wait_for_fences({}), Catch::Contains("wait_for_fences of"));
    CHECK_THROWS_WITH(device.wait_semaphores({}), Catch::Contains("wait_semaphores of"));
    CHECK_THROWS_WITH(device.wait_semaphores({{device.semaphore("binary"), 1}}), Catch::Contains("'binary'"));
  }
}

TEST_CASE("a submission that is refused for an event that it waits for leaves nothing behind") {
  const LogicalDevice device(options(Mode::Emulated));
  const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
  const auto map = filled(memory, 3);
  const Event event = device.event("set elsewhere");
  CommandBuffer sets = device.command_buffer("sets");
  sets.begin();
  sets.set_event2(event, kComputeToCompute);
  sets.end();
  device.queue(0, 0).submit2(sets);
  CommandBuffer waits = device.command_buffer("waits");
  waits.begin();
  waits.dispatch(kTwice, {1}, {kCount}, memory.buffer());
  waits.wait_event2(event, kComputeToCompute);
  waits.end();
  const Fence fence = device.fence("refused");
  CHECK_THROWS_WITH(device.queue(0, 1).submit2(waits, fence), Catch::Contains("another queue has set it"));
  device.wait_idle();
  CHECK(map.read(0) == 3);
  CHECK_NOTHROW(waits.begin());
  CHECK_NOTHROW(fence.reset());
}

TEST_CASE("a wait for several events is behind each, and several secondaries stand one behind the other") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    for (const bool has_both : {true, false}) {
      const LogicalDevice device(with);
      const TwoQueues two(device);
      const auto sums = numbers(device, MemoryProperty::HostCoherent, "sums");
      const auto map = sums.map();
      const std::vector<Event> events{device.event("first"), device.event("second")};
      std::vector<CommandBuffer> secondaries;
      for (std::uint32_t i = 0; i < 2; ++i) {
        secondaries.push_back(device.command_buffer("secondary", {.is_secondary = true}));
        secondaries[i].begin();
        secondaries[i].dispatch(kTwice, {1}, {kCount}, two.memories[i].buffer());
        secondaries[i].set_event2(events[i], kComputeToCompute);
        secondaries[i].end();
      }
      CommandBuffer commands = device.command_buffer("sums");
      commands.begin();
      commands.execute_commands(secondaries);
      std::vector<EventWait> waits{{events[0], kComputeToCompute}, {events[1], kComputeToCompute}};
      if (!has_both) waits.pop_back();
      commands.wait_events2(waits);
      commands.dispatch(
          [](auto& inv, StorageBuffer<const std::uint32_t> auto a, StorageBuffer<const std::uint32_t> auto b,
             StorageBuffer<std::uint32_t> auto sum) {
            const std::uint32_t i = inv.global_invocation_id().x;
            sum[i] = a[i] + b[i];
          },
          {1}, {kCount}, two.memories[0].buffer(), two.memories[1].buffer(), sums.buffer());
      commands.pipeline_barrier2(kComputeToHost);
      commands.end();
      device.queue().submit2(commands);
      device.wait_idle();
      if (has_both) CHECK(map.read(5) == 12);
      const bool is_emulated = *with.device.mode == Mode::Emulated;
      CHECK(device.races().size() == (has_both || !is_emulated ? 0 : 1));
    }
  });
}

TEST_CASE("commands that a logical device has not executed when it ends are told on stderr") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    const auto run = [mode](bool ends) {
      return heddle::test::death_of([&] {
        const LogicalDevice device(options(mode));
        const TwoQueues two(device);
        const Semaphore go = device.timeline_semaphore(0, "go");
        device.queue().submit2({{.wait_semaphores = {{go, 1}}, .command_buffers = {two.commands[0]}}});
        if (!ends) return;
        go.signal(1);
        device.wait_idle();
      });
    };
    const heddle::test::Death pending = run(false);
    INFO(pending.text);
    CHECK(pending.exit_code == 0);
    CHECK(pending.says("heddle: the logical device ends while it has 1 command to execute: dispatch at "));
    CHECK(pending.says("waits.cpp:"));
    CHECK(run(true).text == "");
  }
}
