// What is wider than a program needs: wide programs, and their narrow twins.
#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <vector>

#include "tests/queues/programs.h"

using namespace queue_tests;

namespace {

using Stage = PipelineStage2;
using Kind = Access2;

constexpr MemoryBarrier2 kEverything{Stage::AllCommands, Kind::MemoryRead | Kind::MemoryWrite, Stage::AllCommands,
                                     Kind::MemoryRead | Kind::MemoryWrite};
constexpr MemoryBarrier2 kOneCopyToHost{Stage::Copy, Kind::TransferWrite, Stage::Host, Kind::HostRead};

/// What is told of the places in the program, without those places.
std::vector<std::string> advice_of(const std::function<void(const LogicalDevice&)>& program) {
  LogicalDeviceOptions asking = options(Mode::Emulated, 3, {{2}, {1}});
  asking.device.race_advice = true;
  const LogicalDevice device(asking);
  program(device);
  REQUIRE(device.races().empty());
  std::vector<std::string> out;
  for (const OrderingAdvice& advice : device.advice()) {
    CHECK(std::string(advice.where.file).find("advice.cpp") != std::string::npos);
    CHECK(advice.where.line > 0);
    out.push_back(advice.operation + ": " + advice.enough);
  }
  return out;
}

struct Pair {
  std::string name;
  /// The program with what is wide, or with what is not.
  std::function<void(const LogicalDevice&, bool)> program;
  std::vector<std::string> advice;
};

/// A dispatch that squares, then one that copies, with this between them; what is copied is read by the host.
void square_and_copy(const LogicalDevice& device, const DependencyInfo& between) {
  const auto squares = numbers(device, MemoryProperty::DeviceLocal, "squares");
  const auto copies = numbers(device, MemoryProperty::HostCoherent, "copies");
  CommandBuffer commands = device.command_buffer();
  commands.begin();
  commands.dispatch(kSquares, {1}, {kCount}, squares.buffer());
  commands.pipeline_barrier2(between);
  commands.dispatch(kCopy, {1}, {kCount}, squares.buffer(), copies.buffer());
  commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  device.queue().submit2(commands);
  device.wait_idle();
  CHECK(copies.map().read(3) == 9);
}

constexpr MemoryBarrier2 kWriteToRead{Stage::ComputeShader, Kind::ShaderStorageWrite, Stage::ComputeShader,
                                      Kind::ShaderStorageRead};

DependencyInfo with(void (*change)(MemoryBarrier2&), bool is_wide) {
  MemoryBarrier2 barrier = kWriteToRead;
  if (is_wide) change(barrier);
  return {.memory_barriers = {barrier}};
}

/// Two batches on two queues; the second one copies what the first one has squared.
void on_two_queues(const LogicalDevice& device, Stage signals, Stage waits) {
  const auto squares = device.allocate_memory<std::uint32_t>(kCount, MemoryProperty::DeviceLocal, "squares");
  const auto copies = numbers(device, MemoryProperty::HostCoherent, "copies");
  const Semaphore squared = device.semaphore("squared");
  CommandBuffer first = device.command_buffer();
  first.begin();
  first.dispatch(kSquares, {1}, {kCount}, squares.buffer());
  first.end();
  CommandBuffer second = device.command_buffer();
  second.begin();
  second.copy_buffer(squares.buffer(), copies.buffer());
  second.pipeline_barrier2(kOneCopyToHost);
  second.end();
  device.queue(0, 0).submit2({{.command_buffers = {first}, .signal_semaphores = {{squared, 0, signals}}}});
  device.queue(0, 1).submit2({{.wait_semaphores = {{squared, 0, waits}}, .command_buffers = {second}}});
  device.wait_idle();
  CHECK(copies.map().read(3) == 9);
}

/// Half of a buffer is filled, and a kernel reads that half.
void fill_a_half(const LogicalDevice& device, std::uint64_t size) {
  const auto source = numbers(device, MemoryProperty::DeviceLocal, "source");
  const auto copies = numbers(device, MemoryProperty::HostCoherent, "copies");
  const auto filled_buffer = source.buffer();
  CommandBuffer commands = device.command_buffer();
  commands.begin();
  commands.fill_buffer(filled_buffer, 0, kCount / 2 * sizeof(std::uint32_t), 7);
  commands.pipeline_barrier2(BufferMemoryBarrier2{.src_stage_mask = Stage::Clear,
                                                  .src_access_mask = Kind::TransferWrite,
                                                  .dst_stage_mask = Stage::ComputeShader,
                                                  .dst_access_mask = Kind::ShaderStorageRead,
                                                  .buffer = filled_buffer,
                                                  .size = size});
  commands.dispatch(kCopy, {1}, {kCount / 2}, filled_buffer, copies.buffer());
  commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  device.queue().submit2(commands);
  device.wait_idle();
  CHECK(copies.map().read(3) == 7);
}

/// A kernel reads what a later fill overwrites: execution is enough.
void read_then_overwrite(const LogicalDevice& device, Kind made_available, Kind made_visible) {
  const auto source = numbers(device, MemoryProperty::HostCoherent, "source");
  const auto copies = numbers(device, MemoryProperty::HostCoherent, "copies");
  filled(source, 5);
  CommandBuffer commands = device.command_buffer();
  commands.begin();
  commands.dispatch(kCopy, {1}, {kCount}, source.buffer(), copies.buffer());
  commands.pipeline_barrier2({Stage::ComputeShader, made_available, Stage::Clear, made_visible});
  commands.fill_buffer(source.buffer(), 0, kWholeSize, 1);
  commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  device.queue().submit2(commands);
  device.wait_idle();
  CHECK(copies.map().read(3) == 5);
}

/// A barrier stands between two dispatches of two buffers.
void two_of_their_own(const LogicalDevice& device, bool is_wide) {
  const auto one = numbers(device, MemoryProperty::HostCoherent, "one");
  const auto other = numbers(device, MemoryProperty::HostCoherent, "other");
  CommandBuffer commands = device.command_buffer();
  commands.begin();
  commands.dispatch(kSquares, {1}, {kCount}, one.buffer());
  if (is_wide) commands.pipeline_barrier2(kWriteToRead);
  commands.dispatch(kSquares, {1}, {kCount}, other.buffer());
  commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  device.queue().submit2(commands);
  device.wait_idle();
  CHECK(one.map().read(3) + other.map().read(3) == 18);
}

/// Two queues square numbers of their own, one behind the other where `is_wide`.
void on_queues_of_their_own(const LogicalDevice& device, bool is_wide) {
  const auto squares = [&](const DeviceMemory<std::uint32_t>& memory) {
    CommandBuffer commands = device.command_buffer();
    commands.begin();
    commands.dispatch(kSquares, {1}, {kCount}, memory.buffer());
    commands.pipeline_barrier2(kComputeToHost);
    commands.end();
    return commands;
  };
  const auto one = numbers(device, MemoryProperty::HostCoherent, "one");
  const auto other = numbers(device, MemoryProperty::HostCoherent, "other");
  const Semaphore squared = device.semaphore("squared");
  SubmitInfo2 first{.command_buffers = {squares(one)}};
  SubmitInfo2 second{.command_buffers = {squares(other)}};
  if (is_wide) first.signal_semaphores = {{squared}};
  if (is_wide) second.wait_semaphores = {{squared}};
  device.queue(0, 0).submit2({first});
  device.queue(0, 1).submit2({second});
  device.wait_idle();
  CHECK(one.map().read(3) + other.map().read(3) == 18);
}

/// One family squares numbers, and another one does so again or copies them.
void by_two_families(const LogicalDevice& device, bool transfers, bool reads) {
  const auto squares = numbers(device, MemoryProperty::HostCoherent, "squares");
  const auto copies = numbers(device, MemoryProperty::HostCoherent, "copies");
  auto buffer = squares.buffer();
  const Semaphore squared = device.semaphore("squared");
  const auto transfer = [&](CommandBuffer& commands, SourceLocation where = SourceLocation::current()) {
    if (transfers)
      commands.pipeline_barrier2(BufferMemoryBarrier2{.src_stage_mask = Stage::ComputeShader,
                                                      .src_access_mask = Kind::ShaderStorageWrite,
                                                      .dst_stage_mask = Stage::ComputeShader,
                                                      .dst_access_mask = Kind::ShaderStorageRead,
                                                      .buffer = buffer,
                                                      .src_queue_family_index = 0,
                                                      .dst_queue_family_index = 1},
                                 where);
  };
  CommandBuffer first = device.command_buffer();
  first.begin();
  first.dispatch(kSquares, {1}, {kCount}, buffer);
  transfer(first);
  first.end();
  CommandBuffer second = device.command_buffer();
  second.begin();
  transfer(second);
  if (reads) {
    second.dispatch(kCopy, {1}, {kCount}, buffer, copies.buffer());
  } else {
    second.dispatch(kSquares, {1}, {kCount}, buffer);
  }
  second.pipeline_barrier2(kComputeToHost);
  second.end();
  const Stage stages = reads ? Stage::AllCommands : Stage::ComputeShader;
  device.queue(0, 0).submit2({{.command_buffers = {first}, .signal_semaphores = {{squared, 0, stages}}}});
  device.queue(1, 0).submit2({{.wait_semaphores = {{squared, 0, stages}}, .command_buffers = {second}}});
  device.wait_idle();
  CHECK((reads ? copies : squares).map().read(3) == 9);
}

void to_the_host(const LogicalDevice& device, const MemoryBarrier2& barrier) {
  const auto squares = numbers(device, MemoryProperty::HostCoherent, "squares");
  CommandBuffer commands = device.command_buffer();
  commands.begin();
  commands.dispatch(kSquares, {1}, {kCount}, squares.buffer());
  commands.pipeline_barrier2(barrier);
  commands.end();
  device.queue().submit2(commands);
  device.wait_idle();
  CHECK(squares.map().read(3) == 9);
}

/// The host waits for a semaphore alone: that reaches the host at all commands.
void to_the_host_by_a_semaphore(const LogicalDevice& device) {
  const auto squares = numbers(device, MemoryProperty::HostCoherent, "squares");
  const Semaphore squared = device.timeline_semaphore(0, "squared");
  CommandBuffer commands = device.command_buffer();
  commands.begin();
  commands.dispatch(kSquares, {1}, {kCount}, squares.buffer());
  commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  device.queue().submit2({{.command_buffers = {commands}, .signal_semaphores = {{squared, 1}}}});
  squared.wait(1);
  CHECK(squares.map().read(3) == 9);
}

const std::string kBarrier = "pipeline_barrier2: ";

std::vector<Pair> pairs() {
  return {
      {"all commands in the first scope",
       [](const LogicalDevice& device, bool is_wide) {
         square_and_copy(device, with([](MemoryBarrier2& one) { one.src_stage_mask = Stage::AllCommands; }, is_wide));
       },
       {kBarrier + "COMPUTE_SHADER instead of ALL_COMMANDS in srcStageMask"}},
      {"all commands in the second scope",
       [](const LogicalDevice& device, bool is_wide) {
         square_and_copy(device, with([](MemoryBarrier2& one) { one.dst_stage_mask = Stage::AllCommands; }, is_wide));
       },
       {kBarrier + "COMPUTE_SHADER instead of ALL_COMMANDS in dstStageMask"}},
      {"all writes made available",
       [](const LogicalDevice& device, bool is_wide) {
         square_and_copy(
             device,
             with([](MemoryBarrier2& one) { one.src_access_mask = Kind::MemoryRead | Kind::MemoryWrite; }, is_wide));
       },
       {kBarrier + "SHADER_STORAGE_WRITE instead of MEMORY_READ | MEMORY_WRITE in srcAccessMask"}},
      {"visible to a uniform read as well",
       [](const LogicalDevice& device, bool is_wide) {
         square_and_copy(device, with([](MemoryBarrier2& one) { one.dst_access_mask = Kind::ShaderRead; }, is_wide));
       },
       {kBarrier + "SHADER_STORAGE_READ instead of SHADER_STORAGE_READ | UNIFORM_READ in dstAccessMask"}},
      {"a barrier that nothing needs",
       two_of_their_own,
       {kBarrier +
        "no barrier from COMPUTE_SHADER with SHADER_STORAGE_WRITE to COMPUTE_SHADER with SHADER_STORAGE_READ"}},
      {"a memory dependency where execution is enough",
       [](const LogicalDevice& device, bool is_wide) {
         read_then_overwrite(device, is_wide ? Kind::ShaderStorageWrite : Kind::None,
                             is_wide ? Kind::TransferWrite : Kind::None);
       },
       {kBarrier + "NONE instead of SHADER_STORAGE_WRITE in srcAccessMask",
        kBarrier + "NONE instead of TRANSFER_WRITE in dstAccessMask"}},
      {"all of a buffer where half is enough",
       [](const LogicalDevice& device, bool is_wide) {
         fill_a_half(device, is_wide ? kWholeSize : kCount / 2 * sizeof(std::uint32_t));
       },
       {kBarrier + "bytes 0 to 15 instead of 0 to 31 of its range"}},
      {"a semaphore that is signaled behind everything",
       [](const LogicalDevice& device, bool is_wide) {
         on_two_queues(device, is_wide ? Stage::AllCommands : Stage::ComputeShader, Stage::Copy);
       },
       {"submit2, a semaphore's signal: COMPUTE_SHADER instead of ALL_COMMANDS in stageMask"}},
      {"a semaphore's wait in front of everything",
       [](const LogicalDevice& device, bool is_wide) {
         on_two_queues(device, Stage::ComputeShader, is_wide ? Stage::AllCommands : Stage::Copy);
       },
       {"submit2, a semaphore's wait: COPY instead of ALL_COMMANDS in stageMask"}},
      {"a semaphore that nothing needs",
       on_queues_of_their_own,
       {"submit2, a semaphore's signal: no signal, and no wait for it", "submit2, a semaphore's wait: no wait"}},
      {"a transfer of what is overwritten",
       [](const LogicalDevice& device, bool is_wide) { by_two_families(device, is_wide, false); },
       {kBarrier + "no release from family 0 to family 1", kBarrier + "no acquire from family 0 to family 1"}},
      {"everything, to the host",
       [](const LogicalDevice& device, bool is_wide) {
         MemoryBarrier2 wide = kEverything;
         wide.dst_stage_mask = Stage::AllCommands | Stage::Host;
         to_the_host(device, is_wide ? wide : kComputeToHost);
       },
       {kBarrier + "COMPUTE_SHADER instead of ALL_COMMANDS in srcStageMask",
        kBarrier + "HOST instead of ALL_COMMANDS in dstStageMask",
        kBarrier + "SHADER_STORAGE_WRITE instead of MEMORY_READ | MEMORY_WRITE in srcAccessMask",
        kBarrier + "HOST_READ instead of MEMORY_READ | MEMORY_WRITE in dstAccessMask"}},
  };
}

}  // namespace

TEST_CASE("what is wider than a run of queues needs is told, and of a narrow twin nothing") {
  for (const Pair& pair : pairs()) {
    CAPTURE(pair.name);
    CHECK(advice_of([&](const LogicalDevice& device) { pair.program(device, true); }) == pair.advice);
    CHECK(advice_of([&](const LogicalDevice& device) { pair.program(device, false); }).empty());
  }
}

TEST_CASE("a semaphore that the host waits for behind a barrier to the host is not too wide at all commands") {
  CHECK(advice_of(to_the_host_by_a_semaphore).empty());
}

TEST_CASE("a transfer of ownership without which a family could not read contents is not too wide") {
  for (const std::string& told : advice_of([](const LogicalDevice& device) { by_two_families(device, true, true); })) {
    INFO(told);
    CHECK(told.find("family") == std::string::npos);
  }
}

TEST_CASE("a run that races, and one that nobody asks, has no advice") {
  const auto count = [](bool asks, const MemoryBarrier2& barrier) {
    LogicalDeviceOptions asking = options(Mode::Emulated, 3, {{2}});
    asking.device.race_advice = asks;
    const LogicalDevice device(asking);
    const auto squares = numbers(device, MemoryProperty::HostCoherent, "squares");
    CommandBuffer commands = device.command_buffer();
    commands.begin();
    commands.dispatch(kSquares, {1}, {kCount}, squares.buffer());
    commands.pipeline_barrier2(barrier);
    commands.end();
    device.queue().submit2(commands);
    device.wait_idle();
    squares.map().read(3);
    return device.advice().size();
  };
  MemoryBarrier2 wide = kComputeToHost;
  wide.src_stage_mask = Stage::AllCommands;
  CHECK(count(true, wide) == 1);
  CHECK(count(false, wide) == 0);
  // Nothing comes to the host.
  wide.dst_access_mask = Kind::None;
  CHECK(count(true, wide) == 0);
}
