#include <catch2/catch.hpp>

#include <functional>
#include <optional>

#include "tests/queues/programs.h"

using namespace queue_tests;

namespace {

struct Found {
  /// Runs with a race whose reason, or what would order it, has the wanted words, and with any other one.
  std::uint32_t racing = 0;
  std::uint32_t other = 0;
  /// Runs that gave a wrong result.
  std::uint32_t wrong = 0;
  /// Races for which no change was tried and held.
  std::uint32_t unmended = 0;
  std::string reason;
};

using Program = std::function<bool(const LogicalDevice&)>;

constexpr std::uint32_t kSeeds = 60;

Found found_in(const Program& program, const std::string& words, std::vector<QueueFamily> families = {{2}}) {
  Found out;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LogicalDevice device(options(Mode::Emulated, seed, families));
    out.wrong += program(device) ? 0 : 1;
    bool is_wanted = false;
    const std::vector<DataRace> races = device.races();
    for (const DataRace& race : races) {
      std::string text = race.reason;
      for (const std::string& change : race.changes) text += ": " + change;
      if (out.reason.empty()) out.reason = text;
      out.unmended += race.changes.size() == 1 ? 0 : 1;
      is_wanted = is_wanted || text.find(words) != std::string::npos;
    }
    out.racing += is_wanted ? 1 : 0;
    out.other += !is_wanted && !races.empty() ? 1 : 0;
  }
  return out;
}

/// The wrong program is found, with one change that was tried if there is one, and now and then gives a wrong result;
/// the right one never.
void check_pair(const std::function<Program(bool)>& program, const std::string& words,
                const std::vector<QueueFamily>& families = {{2}}, bool has_change = true) {
  const Found wrong = found_in(program(false), words, families);
  INFO(wrong.reason);
  CHECK(wrong.racing == kSeeds);
  CHECK(wrong.other == 0);
  CHECK(wrong.wrong > 0);
  CHECK(wrong.unmended == (has_change ? 0 : kSeeds));
  const Found right = found_in(program(true), words, families);
  INFO(right.reason);
  CHECK(right.racing == 0);
  CHECK(right.other == 0);
  CHECK(right.wrong == 0);
}

/// Two dispatches with this barrier between them, the second of which reads what the first wrote.
bool two_dispatches(const LogicalDevice& device, const std::optional<MemoryBarrier2>& barrier) {
  const auto memory = numbers(device, MemoryProperty::HostCoherent, "squares");
  const auto copied = numbers(device, MemoryProperty::HostCoherent, "copies");
  filled(memory, 9999);
  const auto map = filled(copied, 0);
  CommandBuffer commands = device.command_buffer();
  commands.begin();
  commands.dispatch(kSquares, {1}, {kCount}, memory.buffer());
  if (barrier) commands.pipeline_barrier2(*barrier);
  commands.dispatch(kCopy, {1}, {kCount}, memory.buffer(), copied.buffer());
  commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  device.queue().submit2(commands);
  device.wait_idle();
  bool ok = true;
  for (std::uint32_t i = 0; i < kCount; ++i) ok = ok && map.read(i) == i * i;
  return ok;
}

}  // namespace

TEST_CASE("two dispatches without a barrier are found, also where they ran in submission order") {
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          return two_dispatches(device, right ? std::optional(kComputeToCompute) : std::nullopt);
        };
      },
      "no barrier between the two commands");
}

TEST_CASE("an execution dependency orders, and makes nothing available") {
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          return two_dispatches(device, right ? kComputeToCompute
                                              : MemoryBarrier2{PipelineStage2::ComputeShader, Access2::None,
                                                               PipelineStage2::ComputeShader, Access2::None});
        };
      },
      "is an execution dependency only");
}

TEST_CASE("a wrong access mask, source or destination, is found and the bit is named") {
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          return two_dispatches(device, MemoryBarrier2{PipelineStage2::AllCommands,
                                                       right ? Access2::ShaderStorageWrite : Access2::TransferWrite,
                                                       PipelineStage2::ComputeShader, Access2::ShaderStorageRead});
        };
      },
      "makes TRANSFER_WRITE available, but the write was SHADER_STORAGE_WRITE: add SHADER_STORAGE_WRITE to "
      "srcAccessMask");
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          return two_dispatches(device, MemoryBarrier2{PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                                                       PipelineStage2::ComputeShader,
                                                       right ? Access2::ShaderStorageRead : Access2::UniformRead});
        };
      },
      "add SHADER_STORAGE_READ to dstAccessMask");
}

TEST_CASE("a wrong stage of a barrier is found and the stage is named") {
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          return two_dispatches(
              device, MemoryBarrier2{right ? PipelineStage2::ComputeShader : PipelineStage2::Copy, Access2::MemoryWrite,
                                     PipelineStage2::ComputeShader, Access2::MemoryRead});
        };
      },
      "add COMPUTE_SHADER to srcStageMask");
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          return two_dispatches(device, right ? kComputeToCompute
                                              : MemoryBarrier2{PipelineStage2::ComputeShader, Access2::MemoryWrite,
                                                               PipelineStage2::Copy, Access2::MemoryRead});
        };
      },
      "add COMPUTE_SHADER to dstStageMask, of pipeline_barrier2");
}

TEST_CASE("where a stage alone does not mend a barrier, the access is named as well") {
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          return two_dispatches(device,
                                right ? kComputeToCompute
                                      : MemoryBarrier2{PipelineStage2::Copy, Access2::TransferWrite,
                                                       PipelineStage2::ComputeShader, Access2::ShaderStorageRead});
        };
      },
      "add COMPUTE_SHADER to srcStageMask, and SHADER_STORAGE_WRITE to srcAccessMask, of pipeline_barrier2");
}

TEST_CASE("a barrier of another buffer orders, and makes nothing of this one available") {
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          const auto memory = numbers(device, MemoryProperty::HostCoherent, "squares");
          const auto copied = numbers(device, MemoryProperty::HostCoherent, "copies");
          filled(memory, 9999);
          const auto map = filled(copied, 0);
          auto one = memory.buffer();
          auto alias = memory.buffer();
          CommandBuffer commands = device.command_buffer();
          commands.begin();
          commands.dispatch(kSquares, {1}, {kCount}, one);
          commands.pipeline_barrier2(BufferMemoryBarrier2{PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                                                          PipelineStage2::ComputeShader, Access2::ShaderStorageRead,
                                                          right ? one : alias});
          commands.dispatch(kCopy, {1}, {kCount}, one, copied.buffer());
          commands.pipeline_barrier2(kComputeToHost);
          commands.end();
          device.queue().submit2(commands);
          device.wait_idle();
          return map.read(2) == 4;
        };
      },
      "is not of the buffer");
}

namespace {

/// Uploads 7, doubles it and reads it back.
bool round_trip(const LogicalDevice& device, MemoryProperty property, bool flushes, bool invalidates, bool barrier,
                bool waits) {
  const auto memory = numbers(device, property, "numbers");
  const auto map = filled(memory, 1);
  if (property == MemoryProperty::HostVisible) memory.flush();
  for (std::uint32_t i = 0; i < kCount; ++i) map.write(i, 7);
  if (flushes) memory.flush();
  CommandBuffer commands = device.command_buffer();
  commands.begin();
  commands.dispatch(kTwice, {1}, {kCount}, memory.buffer());
  if (barrier) commands.pipeline_barrier2(kComputeToHost);
  commands.end();
  const Fence fence = device.fence();
  device.queue().submit2(commands, fence);
  if (waits) fence.wait();
  if (invalidates) memory.invalidate();
  const std::uint32_t found = map.read(3);
  if (!waits) fence.wait();
  return found == 14;
}

}  // namespace

TEST_CASE("a forgotten flush loses what the host wrote, and is found") {
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          return round_trip(device, MemoryProperty::HostVisible, right, right, true, true);
        };
      },
      "no flush of the range");
}

TEST_CASE("a forgotten invalidation reads what was there before, and is found") {
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          return round_trip(device, MemoryProperty::HostVisible, true, right, true, true);
        };
      },
      "no invalidate of the range");
}

TEST_CASE("a read-back in front of the fence is found") {
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          return round_trip(device, MemoryProperty::HostCoherent, false, false, true, right);
        };
      },
      "the host does not wait for the command");
}

TEST_CASE("a fence alone moves nothing to the host domain") {
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          return round_trip(device, MemoryProperty::HostCoherent, false, false, right, true);
        };
      },
      "no barrier moves the write to the host domain");
}

TEST_CASE("a semaphore that waits at the wrong stage is found, and so is none") {
  const auto program = [](const std::optional<PipelineStage2>& stages,
                          PipelineStage2 signaled = PipelineStage2::AllCommands) {
    return [stages, signaled](const LogicalDevice& device) {
      const auto memory = numbers(device, MemoryProperty::HostCoherent, "squares");
      const auto copied = numbers(device, MemoryProperty::HostCoherent, "copies");
      filled(memory, 9999);
      const auto map = filled(copied, 0);
      CommandBuffer first = device.command_buffer("first");
      first.begin();
      first.dispatch(kSquares, {1}, {kCount}, memory.buffer());
      first.end();
      CommandBuffer second = device.command_buffer("second");
      second.begin();
      second.dispatch(kCopy, {1}, {kCount}, memory.buffer(), copied.buffer());
      second.pipeline_barrier2(kComputeToHost);
      second.end();
      const Semaphore ready = device.semaphore("ready");
      device.queue(0, 0).submit2({{.command_buffers = {first}, .signal_semaphores = {{ready, 0, signaled}}}});
      SubmitInfo2 batch{.command_buffers = {second}};
      if (stages) batch.wait_semaphores.push_back({ready, 0, *stages});
      device.queue(0, 1).submit2({batch});
      device.wait_idle();
      return map.read(2) == 4;
    };
  };
  check_pair([&](bool right) { return program(right ? PipelineStage2::ComputeShader : PipelineStage2::Copy); },
             "not in the stageMask of the semaphore's wait");
  check_pair([&](bool right) { return right ? program(PipelineStage2::ComputeShader) : program(std::nullopt); },
             "no semaphore from queue");
  check_pair(
      [&](bool right) {
        return program(PipelineStage2::AllCommands, right ? PipelineStage2::ComputeShader : PipelineStage2::Copy);
      },
      "not in the stageMask of the semaphore's signal");
}

TEST_CASE("contents that pass to another family without a transfer are found") {
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          const auto memory =
              device.allocate_memory<std::uint32_t>(kCount, MemoryProperty::HostCoherent, "squares",
                                                    right ? SharingMode::Concurrent : SharingMode::Exclusive);
          const auto copied = numbers(device, MemoryProperty::HostCoherent, "copies");
          filled(memory, 9999);
          const auto map = filled(copied, 0);
          CommandBuffer first = device.command_buffer("first");
          first.begin();
          first.dispatch(kSquares, {1}, {kCount}, memory.buffer());
          first.end();
          CommandBuffer second = device.command_buffer("second");
          second.begin();
          second.dispatch(kCopy, {1}, {kCount}, memory.buffer(), copied.buffer());
          second.pipeline_barrier2(kComputeToHost);
          second.end();
          const Semaphore ready = device.semaphore("ready");
          device.queue(0).submit2({{.command_buffers = {first}, .signal_semaphores = {{ready}}}});
          device.queue(1).submit2({{.wait_semaphores = {{ready}}, .command_buffers = {second}}});
          device.wait_idle();
          return map.read(2) == 4;
        };
      },
      "do not pass from queue family 0 to 1", {{1}, {1}});
}

TEST_CASE("memory that is freed while a queue may use it is found") {
  const auto races = [](bool right) {
    return found_in(
        [right](const LogicalDevice& device) {
          const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
          filled(memory, 1);
          CommandBuffer commands = device.command_buffer();
          commands.begin();
          commands.dispatch(kTwice, {1}, {kCount}, memory.buffer());
          commands.end();
          const Fence fence = device.fence();
          device.queue().submit2(commands, fence);
          if (right) fence.wait();
          memory.free();
          if (!right) fence.wait();
          CHECK_THROWS_WITH(device.queue().submit2(commands), Catch::Contains("it was freed"));
          return true;
        },
        "a queue may still use the memory when it is freed");
  };
  CHECK(races(false).racing == kSeeds);
  CHECK(races(false).other == 0);
  CHECK(races(false).unmended == 0);
  CHECK(races(true).racing + races(true).other == 0);
}

TEST_CASE("a flush writes its whole atom back, and a neighbour that a kernel writes is lost") {
  const auto program = [](std::uint64_t apart) {
    return [apart](const LogicalDevice& device) {
      const auto memory = device.allocate_memory<std::uint32_t>(64, MemoryProperty::HostVisible, "atoms");
      const auto map = filled(memory, 1);
      memory.flush();
      CommandBuffer commands = device.command_buffer();
      commands.begin();
      commands.dispatch([](auto&, StorageBuffer<std::uint32_t> auto x) { x[0] = 2; }, {1}, {1}, memory.buffer());
      commands.pipeline_barrier2(kComputeToHost);
      commands.end();
      const Fence fence = device.fence();
      device.queue().submit2(commands, fence);
      map.write(apart, 3);
      memory.flush(apart, 1);
      fence.wait();
      memory.invalidate();
      return map.read(0) == 2;
    };
  };
  check_pair([&](bool right) { return program(right ? 32 : 1); }, "a flush writes its whole atom back", {{2}}, false);
}

TEST_CASE("what a change of a mask proposes was seen to hold") {
  const LogicalDevice device(options(Mode::Emulated));
  two_dispatches(device, MemoryBarrier2{PipelineStage2::AllCommands, Access2::TransferWrite,
                                        PipelineStage2::ComputeShader, Access2::ShaderStorageRead});
  REQUIRE(device.races().size() == 1);
  REQUIRE(device.races().front().changes.size() == 1);
  CHECK(device.races().front().changes.front().find("add SHADER_STORAGE_WRITE to srcAccessMask of pipeline_barrier2") ==
        0);
  CHECK(device.races().front().object == "squares");
}

TEST_CASE("host writes behind the submission are found") {
  check_pair(
      [](bool right) {
        return [right](const LogicalDevice& device) {
          const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
          const auto map = filled(memory, 1);
          CommandBuffer commands = device.command_buffer();
          commands.begin();
          commands.dispatch(kTwice, {1}, {kCount}, memory.buffer());
          commands.pipeline_barrier2(kComputeToHost);
          commands.end();
          if (right) map.write(0, 5);
          device.queue().submit2(commands);
          if (!right) map.write(0, 5);
          device.wait_idle();
          return map.read(0) == 10;
        };
      },
      "");
}

namespace {

template <Scope scope>
constexpr auto kAdd =
    [](auto& inv, StorageBuffer<std::uint32_t> auto x) { inv.atomic_i_add(x[0], scope, MemorySemantics::Relaxed, 1u); };

constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;
constexpr MemorySemantics kRelease =
    MemorySemantics::Release | MemorySemantics::UniformMemory | MemorySemantics::MakeAvailable;
constexpr MemorySemantics kAcquire =
    MemorySemantics::Acquire | MemorySemantics::UniformMemory | MemorySemantics::MakeVisible;

/// Writes, and sets a flag behind that; and reads if the flag is set.
template <MemorySemantics semantics, Scope scope = Scope::Device>
constexpr auto kSends = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  x[1] = 5;
  inv.atomic_store(x[0], scope, semantics, 1u);
};
template <MemorySemantics semantics, Scope scope = Scope::Device>
constexpr auto kReceives = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  if (inv.atomic_load(x[0], scope, semantics) == 1) x[2] = x[1];
};
constexpr auto kSendsBehindBarrier = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  x[1] = 5;
  inv.memory_barrier(Scope::Device, kRelease);
  inv.atomic_store(x[0], Scope::Device, kRelaxed, 1u);
};
constexpr auto kReceivesBeforeBarrier = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  if (inv.atomic_load(x[0], Scope::Device, kRelaxed) != 1) return;
  inv.memory_barrier(Scope::Device, kAcquire);
  x[2] = x[1];
};

/// How many seeds of two dispatches that nothing orders have a race; `words` are what each reason says.
template <typename First, typename Second>
std::uint32_t racing(const First& first, const Second& second, const std::string& words) {
  const Found found = found_in(
      [&](const LogicalDevice& device) {
        const auto memory = numbers(device, MemoryProperty::HostCoherent, "numbers");
        filled(memory, 0);
        auto buffer = memory.buffer();
        CommandBuffer commands = device.command_buffer();
        commands.begin();
        commands.dispatch(first, {1}, {1}, buffer);
        commands.dispatch(second, {1}, {1}, buffer);
        commands.end();
        device.queue().submit2(commands);
        device.wait_idle();
        return true;
      },
      words);
  INFO(found.reason);
  CHECK(found.other == 0);
  return found.racing;
}

}  // namespace

TEST_CASE("two atomics race if their scopes do not include each other, and an atomic and a plain access do") {
  const auto plain = [](auto&, StorageBuffer<std::uint32_t> auto x) { x[0] = 7; };
  CHECK(racing(kAdd<Scope::Device>, kAdd<Scope::Device>, "") == 0);
  CHECK(racing(kAdd<Scope::QueueFamily>, kAdd<Scope::Device>, "") == 0);
  CHECK(racing(kAdd<Scope::Device>, kAdd<Scope::Workgroup>, "use scope Device for both") == kSeeds);
  CHECK(racing(kAdd<Scope::Workgroup>, kAdd<Scope::Workgroup>, "use scope Device for both") == kSeeds);
  CHECK(racing(kAdd<Scope::Device>, plain, "no barrier between the two commands") == kSeeds);
  CHECK(racing(plain, kAdd<Scope::Device>, "no barrier between the two commands") == kSeeds);
}

TEST_CASE("two dispatches are ordered by a release and an acquire, and not by relaxed atomics") {
  const std::string words = "no barrier between the two commands";
  CHECK(racing(kSends<kRelease>, kReceives<kAcquire>, words) == 0);
  CHECK(racing(kSendsBehindBarrier, kReceivesBeforeBarrier, words) == 0);
  CHECK(racing(kSends<kRelaxed>, kReceives<kRelaxed>, words) > 10);
  CHECK(racing(kSends<kRelease>, kReceives<kRelaxed>, words) > 10);
  CHECK(racing(kSends<kRelaxed>, kReceivesBeforeBarrier, words) > 10);
}

TEST_CASE("a proposal that one change does not fulfil is not among the changes") {
  const auto no_fence_and_no_barrier = [](const LogicalDevice& device) {
    return round_trip(device, MemoryProperty::HostCoherent, false, false, false, false);
  };
  const Found host = found_in(no_fence_and_no_barrier, "the host does not wait for the command");
  INFO(host.reason);
  CHECK(host.racing == kSeeds);
  CHECK(host.unmended == kSeeds);

  const auto no_semaphore_and_no_transfer = [](const LogicalDevice& device) {
    const auto memory = numbers(device, MemoryProperty::HostCoherent, "squares");
    filled(memory, 1);
    CommandBuffer first = device.command_buffer("first");
    first.begin();
    first.dispatch(kSquares, {1}, {kCount}, memory.buffer());
    first.end();
    CommandBuffer second = device.command_buffer("second");
    second.begin();
    second.dispatch(kTwice, {1}, {kCount}, memory.buffer());
    second.end();
    device.queue(0).submit2(first);
    device.queue(1).submit2(second);
    device.wait_idle();
    return true;
  };
  const Found queues = found_in(no_semaphore_and_no_transfer, "no semaphore from queue", {{1}, {1}});
  INFO(queues.reason);
  CHECK(queues.racing == kSeeds);
  CHECK(queues.unmended > 0);
}
