#include <catch2/catch.hpp>

#include <array>
#include <thread>

#include "tests/queues/programs.h"

using namespace queue_tests;

TEST_CASE("what a queue computed is read back behind a fence") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = filled(memory, 5);
    auto buffer = memory.buffer();
    CommandBuffer commands = device.command_buffer("twice twice");
    commands.begin();
    commands.dispatch(kTwice, {1}, {kCount}, buffer);
    commands.pipeline_barrier2(kComputeToCompute);
    commands.dispatch(kTwice, {2}, {kCount / 2}, buffer);
    commands.pipeline_barrier2(kComputeToHost);
    commands.end();
    const Fence fence = device.fence("done");
    device.queue().submit2(commands, fence);
    fence.wait();
    CHECK(fence.is_signaled());
    for (std::uint32_t i = 0; i < kCount; ++i) CHECK(map.read(i) == 20);
    device.require_no_races();
  });
}

TEST_CASE("copies, fills, updates and clears write what they say") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "read back");
    const auto local = numbers(device, MemoryProperty::DeviceLocal, "local");
    auto image = device.device().image<std::uint32_t, ImageDim::Dim2D>({4, 2}, "image");
    auto to = memory.buffer();
    auto from = local.buffer();
    const MemoryBarrier2 transfers{PipelineStage2::AllTransfer, Access2::TransferWrite, PipelineStage2::AllTransfer,
                                   Access2::TransferRead | Access2::TransferWrite};
    CommandBuffer commands = device.command_buffer("transfers");
    commands.begin();
    commands.fill_buffer(from, 0, kWholeSize, 7);
    commands.pipeline_barrier2(transfers);
    commands.update_buffer(from, 1, std::span<const std::uint32_t>(std::array<std::uint32_t, 2>{8, 9}));
    commands.pipeline_barrier2(transfers);
    commands.copy_buffer(from, to);
    commands.clear_color_image(image, 3u);
    commands.pipeline_barrier2(transfers);
    commands.copy_buffer(image, to, {.src_offset = 0, .dst_offset = 24, .size = 8});
    commands.pipeline_barrier2(kCopyToHost);
    commands.end();
    device.queue().submit2(commands);
    device.queue().wait_idle();
    const auto map = memory.map();
    const std::vector<std::uint32_t> wanted{7, 8, 9, 7, 7, 7, 3, 3};
    for (std::uint32_t i = 0; i < kCount; ++i) CHECK(map.read(i) == wanted[i]);
    device.require_no_races();
  });
}

TEST_CASE("an indirect dispatch has as many workgroups as a command wrote") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = filled(memory, 1);
    const auto parameters = device.allocate_memory<std::uint32_t>(3, MemoryProperty::DeviceLocal, "parameters");
    CommandBuffer commands = device.command_buffer();
    commands.begin();
    commands.update_buffer(parameters.buffer(), 0,
                           std::span<const std::uint32_t>(std::array<std::uint32_t, 3>{2, 1, 1}));
    auto groups = parameters.buffer();
    commands.pipeline_barrier2(
        {PipelineStage2::Clear, Access2::TransferWrite, PipelineStage2::DrawIndirect, Access2::IndirectCommandRead});
    commands.dispatch_indirect(kTwice, groups, {2}, memory.buffer());
    commands.pipeline_barrier2(kComputeToHost);
    commands.end();
    device.queue().submit2(commands);
    device.wait_idle();
    CHECK(map.read(3) == 2);
    CHECK(map.read(4) == 1);
    device.require_no_races();
  });
}

TEST_CASE("a batch that waits for a timeline may be submitted before the one that signals") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = memory.map();
    auto buffer = memory.buffer();
    CommandBuffer squares = device.command_buffer("squares");
    squares.begin();
    squares.dispatch(kSquares, {1}, {kCount}, buffer);
    squares.end();
    CommandBuffer twice = device.command_buffer("twice");
    twice.begin();
    twice.dispatch(kTwice, {1}, {kCount}, buffer);
    twice.pipeline_barrier2(kComputeToHost);
    twice.end();
    const Semaphore timeline = device.timeline_semaphore(0, "progress");
    device.queue(0, 1).submit2(
        {{.wait_semaphores = {{timeline, 1}}, .command_buffers = {twice}, .signal_semaphores = {{timeline, 2}}}});
    device.queue(0, 0).submit2({{.command_buffers = {squares}, .signal_semaphores = {{timeline, 1}}}});
    timeline.wait(2);
    CHECK(timeline.value() == 2);
    for (std::uint32_t i = 0; i < kCount; ++i) CHECK(map.read(i) == 2 * i * i);
    device.require_no_races();
  });
}

TEST_CASE("a binary semaphore orders two queues, and an event two commands") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = memory.map();
    auto buffer = memory.buffer();
    const Event event = device.event("squared");
    CommandBuffer first = device.command_buffer("first");
    first.begin();
    first.dispatch(kSquares, {1}, {kCount}, buffer);
    first.set_event2(event, kComputeToCompute);
    first.wait_event2(event, kComputeToCompute);
    first.dispatch(kTwice, {1}, {kCount}, buffer);
    first.end();
    CommandBuffer second = device.command_buffer("second");
    second.begin();
    second.dispatch(kTwice, {1}, {kCount}, buffer);
    second.pipeline_barrier2(kComputeToHost);
    second.end();
    const Semaphore ready = device.semaphore("ready");
    const Fence fence = device.fence();
    device.queue(0, 0).submit2({{.command_buffers = {first}, .signal_semaphores = {{ready}}}});
    device.queue(0, 1).submit2({{.wait_semaphores = {{ready}}, .command_buffers = {second}}}, fence);
    fence.wait();
    for (std::uint32_t i = 0; i < kCount; ++i) CHECK(map.read(i) == 4 * i * i);
    device.require_no_races();
  });
}

TEST_CASE("a queue waits for an event and for a timeline that the host has set") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = filled(memory, 3);
    const Event event = device.event("host's");
    const Semaphore timeline = device.timeline_semaphore(0, "host's");
    CommandBuffer commands = device.command_buffer();
    commands.begin();
    commands.wait_event2(
        event, {PipelineStage2::Host, Access2::HostWrite, PipelineStage2::ComputeShader, Access2::ShaderStorageRead});
    commands.pipeline_barrier2({PipelineStage2::Host | PipelineStage2::AllCommands, Access2::HostWrite,
                                PipelineStage2::ComputeShader, Access2::ShaderStorageRead});
    commands.dispatch(kTwice, {1}, {kCount}, memory.buffer());
    commands.pipeline_barrier2(kComputeToHost);
    commands.end();
    event.set();
    const Fence fence = device.fence();
    device.queue().submit2({{.wait_semaphores = {{timeline, 4}}, .command_buffers = {commands}}}, fence);
    CHECK_FALSE(fence.is_signaled());
    map.write(0, 10);
    timeline.signal(4);
    fence.wait();
    CHECK(map.read(0) == 20);
    CHECK(map.read(1) == 6);
    device.require_no_races();
  });
}

TEST_CASE("memory that is not coherent keeps its values with a flush and an invalidation") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostVisible, "numbers");
    const auto map = filled(memory, 3);
    memory.flush();
    CommandBuffer commands = device.command_buffer();
    commands.begin();
    commands.dispatch(kTwice, {1}, {kCount}, memory.buffer());
    commands.pipeline_barrier2(kComputeToHost);
    commands.end();
    const Fence fence = device.fence();
    for (std::uint32_t wanted = 6; wanted <= 24; wanted *= 2) {
      device.queue().submit2(commands, fence);
      fence.wait();
      fence.reset();
      memory.invalidate();
      for (std::uint32_t i = 0; i < kCount; ++i) CHECK(map.read(i) == wanted);
    }
    device.require_no_races();
  });
}

TEST_CASE("ownership that is released and acquired passes the contents on") {
  in_both_modes([](LogicalDeviceOptions with) {
    with.queue_families = {{1}, {1}};
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    auto buffer = memory.buffer();
    const Semaphore ready = device.semaphore("ready");
    CommandBuffer release = device.command_buffer("release");
    release.begin();
    release.dispatch(kSquares, {1}, {kCount}, buffer);
    release.pipeline_barrier2(BufferMemoryBarrier2{PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                                                   PipelineStage2::None, Access2::None, buffer, 0, 1});
    release.end();
    CommandBuffer acquire = device.command_buffer("acquire");
    acquire.begin();
    acquire.pipeline_barrier2(BufferMemoryBarrier2{PipelineStage2::None, Access2::None, PipelineStage2::ComputeShader,
                                                   Access2::ShaderStorageRead | Access2::ShaderStorageWrite, buffer, 0,
                                                   1});
    acquire.dispatch(kTwice, {1}, {kCount}, buffer);
    acquire.pipeline_barrier2(kComputeToHost);
    acquire.end();
    device.queue(0).submit2({{.command_buffers = {release}, .signal_semaphores = {{ready}}}});
    device.queue(1).submit2({{.wait_semaphores = {{ready}}, .command_buffers = {acquire}}});
    device.wait_idle();
    CHECK(memory.map().read(3) == 18);
    device.require_no_races();
  });
}

TEST_CASE("the commands of a secondary command buffer stand where it is executed") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = filled(memory, 1);
    CommandBuffer inner = device.command_buffer("inner", {.is_secondary = true});
    inner.begin();
    inner.dispatch(kTwice, {1}, {kCount}, memory.buffer());
    inner.pipeline_barrier2(kComputeToCompute);
    inner.end();
    CommandBuffer outer = device.command_buffer("outer");
    outer.begin();
    outer.execute_commands(inner);
    outer.execute_commands(inner);
    outer.pipeline_barrier2(kComputeToHost);
    outer.end();
    device.queue().submit2(outer);
    device.wait_idle();
    CHECK(map.read(0) == 4);
    const Semaphore go = device.timeline_semaphore(0, "go");
    device.queue().submit2({{.wait_semaphores = {{go, 1}}, .command_buffers = {outer}}});
    CHECK_THROWS_WITH(inner.begin(), Catch::Contains("begin of 'inner'") && Catch::Contains("pending"));
    go.signal(1);
    device.wait_idle();
    CHECK(map.read(0) == 16);
    inner.begin();
    inner.end();
    CHECK_THROWS_WITH(device.queue().submit2(inner), Catch::Contains("'inner'") && Catch::Contains("secondary"));
  });
}

TEST_CASE("a wait that nobody will end is a deadlock that is told") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    const LogicalDevice device(options(mode));
    const Semaphore timeline = device.timeline_semaphore(0, "never");
    CommandBuffer commands = device.command_buffer();
    commands.begin();
    commands.end();
    const Fence fence = device.fence("end");
    CHECK_THROWS_WITH(fence.wait(), Catch::Contains("deadlock") && Catch::Contains("fence 'end'"));
    CHECK_THROWS_WITH(timeline.wait(1), Catch::Contains("deadlock") && Catch::Contains("'never'"));
    device.queue().submit2({{.wait_semaphores = {{timeline, 1}}, .command_buffers = {commands}}}, fence);
    CHECK_THROWS_WITH(fence.wait(), Catch::Contains("deadlock"));
    CHECK_THROWS_AS(device.wait_idle(), KernelError);
    timeline.signal(1);
    fence.wait();
    const Semaphore binary = device.semaphore("binary");
    CHECK_THROWS_WITH(device.queue().submit2({{.wait_semaphores = {{binary}}}}), Catch::Contains("'binary'"));
  }
}

TEST_CASE("natively a thread waits for what another one is going to signal") {
  LogicalDeviceOptions with = options(Mode::Native);
  with.host_threads = 2;
  const LogicalDevice device(with);
  const Semaphore timeline = device.timeline_semaphore(0, "go");
  std::thread other([&] { timeline.signal(1); });
  timeline.wait(1);
  other.join();
  CHECK(timeline.value() == 1);
}

TEST_CASE("natively all threads that wait for what nobody signals are told") {
  LogicalDeviceOptions with = options(Mode::Native);
  with.host_threads = 2;
  const LogicalDevice device(with);
  const Semaphore timeline = device.timeline_semaphore(0, "never");
  bool told = false;
  std::thread other([&] {
    try {
      timeline.wait(1);
    } catch (const KernelError&) {
      told = true;
    }
  });
  CHECK_THROWS_WITH(timeline.wait(2), Catch::Contains("deadlock"));
  other.join();
  CHECK(told);
}

TEST_CASE("a wait for an event that nothing has set is a deadlock, and a timeline that goes back is refused") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    const LogicalDevice device(options(mode));
    const Event event = device.event("unset");
    CommandBuffer commands = device.command_buffer();
    commands.begin();
    commands.wait_event2(event, kComputeToCompute);
    commands.end();
    CHECK_THROWS_WITH(device.queue().submit2(commands), Catch::Contains("event 'unset'"));
    const Semaphore timeline = device.timeline_semaphore(0, "back");
    const Semaphore go = device.timeline_semaphore(0, "go");
    device.queue().submit2({{.wait_semaphores = {{go, 1}}, .signal_semaphores = {{timeline, 2}}}});
    device.queue().submit2({{.signal_semaphores = {{timeline, 1}}}});
    const auto run = [&] {
      go.signal(1);
      device.wait_idle();
    };
    CHECK_THROWS_WITH(run(), Catch::Contains("'back'") && Catch::Contains("goes up"));
    device.wait_idle();
  }
}

TEST_CASE("a call that must not be made names itself and the object") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    const LogicalDevice device(options(mode));
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = memory.map(2, 4);
    map.write(3, 1);
    CHECK_THROWS_WITH(map.write(4, 1), Catch::Contains("write of 'numbers'") && Catch::Contains("outside of the map"));
    CHECK_THROWS_WITH(memory.map(), Catch::Contains("map of 'numbers'") && Catch::Contains("mapped already"));
    CHECK_THROWS_WITH(memory.flush(0, 2), Catch::Contains("flush of 'numbers'"));
    memory.unmap();
    CHECK_THROWS_WITH(map.read(0), Catch::Contains("not mapped"));
    CHECK_THROWS_WITH(numbers(device, MemoryProperty::DeviceLocal, "local").map(), Catch::Contains("map of 'local'"));

    CommandBuffer commands = device.command_buffer("commands");
    CHECK_THROWS_WITH(commands.fill_buffer(memory.buffer(), 0, 4, 0), Catch::Contains("fill_buffer of 'commands'"));
    CHECK_THROWS_WITH(device.queue().submit2(commands), Catch::Contains("submit2 of 'commands'"));
    commands.begin();
    CHECK_THROWS_WITH(commands.fill_buffer(memory.buffer(), 4, 32, 0), Catch::Contains("fill_buffer of 'numbers'"));
    CHECK_THROWS_WITH(commands.copy_buffer(memory.buffer(), memory.buffer(), {0, 4, 8}), Catch::Contains("overlap"));
    CHECK_THROWS_WITH(commands.dispatch_indirect(kTwice, IndirectParameters(memory.buffer(), 24), {1}, memory.buffer()),
                      Catch::Contains("dispatch_indirect of 'numbers'"));
    CHECK_THROWS_WITH(memory.buffer_at<std::uint64_t>(4, 1), Catch::Contains("buffer_at of 'numbers'"));
    CHECK_THROWS_WITH(memory.buffer_at<std::uint64_t>(24, 2), Catch::Contains("ends outside"));
    commands.end();
    const Semaphore timeline = device.timeline_semaphore(3, "timeline");
    device.queue().submit2({{.wait_semaphores = {{timeline, 4}}, .command_buffers = {commands}}});
    CHECK_THROWS_WITH(device.queue().submit2(commands), Catch::Contains("pending"));
    CHECK_THROWS_WITH(commands.begin(), Catch::Contains("pending"));
    CHECK_THROWS_WITH(timeline.signal(3), Catch::Contains("signal of 'timeline'") && Catch::Contains("goes up"));
    timeline.signal(4);
    device.wait_idle();

    const Fence fence = device.fence("fence", true);
    CHECK_THROWS_WITH(device.queue().submit2(commands, fence), Catch::Contains("submit2 of 'fence'"));
    fence.reset();
    const Semaphore binary = device.semaphore("binary");
    device.queue().submit2({{.signal_semaphores = {{binary}}}});
    CHECK_THROWS_WITH(device.queue().submit2({{.signal_semaphores = {{binary}}}}), Catch::Contains("'binary'"));
    CHECK_THROWS_WITH(binary.wait(1), Catch::Contains("binary"));
    CHECK_THROWS_AS(device.queue(1), std::out_of_range);
    memory.free();
    CHECK_THROWS_WITH(memory.free(), Catch::Contains("free of 'numbers'"));
  }
}

TEST_CASE("one seed is one run") {
  const auto order_of = [](std::uint64_t seed) {
    const LogicalDevice device(options(Mode::Emulated, seed));
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = filled(memory, 0);
    CommandBuffer commands = device.command_buffer();
    commands.begin();
    for (std::uint32_t i = 1; i <= 4; ++i) commands.fill_buffer(memory.buffer(), 0, kWholeSize, i);
    commands.pipeline_barrier2(kCopyToHost);
    commands.end();
    device.queue().submit2(commands);
    device.wait_idle();
    return map.read(0);
  };
  std::vector<bool> seen(5);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::uint32_t last = order_of(seed);
    CHECK(order_of(seed) == last);
    seen[last] = true;
  }
  CHECK(seen == std::vector<bool>{false, true, true, true, true});
}

TEST_CASE("two dispatches that nothing orders may add to one number by atomics") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "sum");
    const auto map = filled(memory, 0);
    auto sum = memory.buffer();
    CommandBuffer commands = device.command_buffer();
    commands.begin();
    for (int i = 0; i < 3; ++i)
      commands.dispatch(
          [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
            inv.atomic_i_add(x[0], Scope::Device, MemorySemantics::Relaxed, 1u);
          },
          {2}, {4}, sum);
    commands.pipeline_barrier2(kComputeToHost);
    commands.end();
    device.queue().submit2(commands);
    device.wait_idle();
    CHECK(map.read(0) == 24);
    device.require_no_races();
  });
}

TEST_CASE("a kernel that is wrong is told by the call that runs it, and the queue goes on") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    const LogicalDevice device(options(mode));
    CommandBuffer wrong = device.command_buffer("wrong");
    wrong.begin();
    wrong.dispatch([](auto& inv) { inv.require(false, "this holds"); }, {1}, {1});
    wrong.end();
    const Fence fence = device.fence();
    const auto run = [&] {
      device.queue().submit2(wrong, fence);
      fence.wait();
    };
    CHECK_THROWS_WITH(run(), Catch::Contains("this holds"));
    fence.wait();
    fence.reset();
    wrong.begin();
    wrong.end();
    device.queue().submit2(wrong, fence);
    fence.wait();
  }
}

TEST_CASE("a loop of many submissions keeps what it has to know in bounds") {
  const LogicalDevice device(options(Mode::Emulated));
  const auto memory = numbers(device, MemoryProperty::HostVisible, "numbers");
  const auto map = memory.map();
  CommandBuffer commands = device.command_buffer();
  commands.begin();
  commands.dispatch(kTwice, {1}, {kCount}, memory.buffer());
  commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  const Fence fence = device.fence();
  for (std::uint32_t round = 0; round < 300; ++round) {
    for (std::uint32_t i = 0; i < kCount; ++i) map.write(i, round + i);
    memory.flush();
    device.queue().submit2(commands, fence);
    fence.wait();
    fence.reset();
    memory.invalidate();
    REQUIRE(map.read(3) == 2 * (round + 3));
  }
  device.require_no_races();
}

TEST_CASE("plain dispatches and writes of buffers are seen by commands, and the other way round") {
  in_both_modes([](const LogicalDeviceOptions& with) {
    const LogicalDevice device(with);
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
    const auto map = filled(memory, 1);
    auto buffer = memory.buffer();
    CommandBuffer commands = device.command_buffer();
    commands.begin();
    commands.dispatch(kTwice, {1}, {kCount}, buffer);
    commands.pipeline_barrier2(kComputeToHost);
    commands.end();
    for (std::uint32_t wanted = 4; wanted <= 64; wanted *= 4) {
      device.queue().submit2(commands);
      device.wait_idle();
      device.device().dispatch(kTwice, {1}, {kCount}, buffer);
      CHECK(buffer.read() == std::vector<std::uint32_t>(kCount, wanted));
      CHECK(map.read(2) == wanted);
    }
    buffer.write(std::vector<std::uint32_t>(kCount, 5));
    CHECK(map.read(7) == 5);
    device.require_no_races();
  });
}

TEST_CASE("a logical device has the queue families of its device, or so many of them as it asks for") {
  const auto device_with = [](std::vector<QueueFamily> of_device, std::vector<QueueFamily> asked) {
    LogicalDeviceOptions wanted = options(Mode::Native, 1, std::move(asked));
    wanted.device.queue_families = std::move(of_device);
    return LogicalDevice(wanted);
  };
  const LogicalDevice all = device_with({{2}, {1}}, {});
  CHECK(all.queue(0, 1).family() == 0);
  CHECK(all.queue(1, 0).family() == 1);
  CHECK_THROWS_AS(all.queue(1, 1), std::out_of_range);
  CHECK(all.device().options().queue_families.size() == 2);
  const LogicalDevice some = device_with({{2}, {1}}, {{1}});
  CHECK_THROWS_AS(some.queue(0, 1), std::out_of_range);
  CHECK_THROWS_AS(device_with({}, {}).queue(0, 1), std::out_of_range);
  CHECK_THROWS_WITH(device_with({{1}}, {{2}}),
                    "heddle: LogicalDeviceOptions::queue_families has 2 queues of family 0, and "
                    "DeviceOptions::queue_families 1");
  CHECK_THROWS_WITH(device_with({{1}}, {{1}, {1}}), Catch::Contains("LogicalDeviceOptions::queue_families has 2 fami"));
  CHECK_THROWS_WITH(device_with({{1}, {0}}, {}),
                    "DeviceOptions::queue_families[1].queue_count is 0; it may be 1 to 65536");
  CHECK_THROWS_WITH(device_with({}, {{0}}),
                    Catch::Contains("LogicalDeviceOptions::queue_families[0].queue_count is 0"));
}
