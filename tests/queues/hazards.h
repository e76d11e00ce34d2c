#pragma once

/// \file
/// Programs of queues in the manner of the tests of synchronization validation: each has a hazard, or has none.

#include <catch2/catch.hpp>

#include <array>
#include <functional>
#include <vector>

#include "tests/queues/programs.h"

namespace queue_tests {

using S = PipelineStage2;
using A = Access2;
using Words = Buffer<std::uint32_t>;
using Texels = Image<std::uint32_t, ImageDim::Dim2D>;
using Record = std::function<void(CommandBuffer&)>;

inline constexpr std::uint32_t kWords = 64;

// Barriers that many programs have.
inline constexpr MemoryBarrier2 kCopyToCopy{S::Copy, A::TransferWrite, S::Copy, A::TransferRead | A::TransferWrite};
inline constexpr MemoryBarrier2 kCopyThenCopy{S::Copy, A::None, S::Copy, A::None};
inline constexpr MemoryBarrier2 kAllToAll{S::AllCommands, A::MemoryWrite, S::AllCommands,
                                          A::MemoryRead | A::MemoryWrite};
inline constexpr MemoryBarrier2 kCopyToCompute{S::Copy, A::TransferWrite, S::ComputeShader,
                                               A::ShaderStorageRead | A::ShaderStorageWrite};
inline constexpr MemoryBarrier2 kComputeToCopy{S::ComputeShader, A::ShaderStorageWrite, S::Copy,
                                               A::TransferRead | A::TransferWrite};

constexpr auto kReads = [](auto& inv, StorageBuffer<const std::uint32_t> auto x, StorageBuffer<std::uint32_t> auto to) {
  to[inv.global_invocation_id().x] = x[inv.global_invocation_id().x];
};
constexpr auto kWrites = [](auto& inv, StorageBuffer<std::uint32_t> auto x) { x[inv.global_invocation_id().x] = 5; };

/// A device, and buffers and images of all kinds that have been written.
struct Rig {
  explicit Rig(std::uint64_t seed) : device(options(Mode::Emulated, seed, {{2}, {1}})) {
    for (Words* one : {&a, &b, &c, &exclusive}) one->write(std::vector<std::uint32_t>(kWords, 1));
    for (Texels* one : {&i, &j, &k}) one->write(std::vector<std::uint32_t>(kWords, 1));
    coherent.buffer().write(std::vector<std::uint32_t>(kWords, 1));
    visible.buffer().write(std::vector<std::uint32_t>(kWords, 1));
  }
  DeviceMemory<std::uint32_t> words(MemoryProperty property, const char* name,
                                    SharingMode sharing = SharingMode::Concurrent) const {
    return device.allocate_memory<std::uint32_t>(kWords, property, name, sharing);
  }
  Texels texels(const char* name) const { return device.device().image<std::uint32_t, ImageDim::Dim2D>({8, 8}, name); }

  CommandBuffer record(const Record& commands) const {
    CommandBuffer out = device.command_buffer("commands", {.simultaneous_use = true});
    out.begin();
    commands(out);
    out.end();
    return out;
  }
  /// Each in a submission of its own.
  void run(const Record& first, const Record& second = {}) const {
    submit(0, first);
    if (second) submit(0, second);
  }
  void submit(std::uint32_t queue, const Record& commands) const { device.queue(0, queue).submit2(record(commands)); }
  void submit(std::uint32_t queue, const Record& commands, const std::vector<SemaphoreSubmitInfo>& waits,
              const std::vector<SemaphoreSubmitInfo>& signals) const {
    device.queue(0, queue).submit2(
        {{.wait_semaphores = waits, .command_buffers = {record(commands)}, .signal_semaphores = signals}});
  }
  static void write(CommandBuffer& to, Words& words, std::uint32_t groups = 1) {
    to.dispatch(kWrites, {groups}, {8}, words);
  }
  static void read(CommandBuffer& to, Words& words, Words& out) { to.dispatch(kReads, {1}, {8}, words, out); }

  LogicalDevice device;
  DeviceMemory<std::uint32_t> memory_a = words(MemoryProperty::DeviceLocal, "a");
  Words a = memory_a.buffer();
  Words b = words(MemoryProperty::DeviceLocal, "b").buffer();
  Words c = words(MemoryProperty::DeviceLocal, "c").buffer();
  Words exclusive = words(MemoryProperty::DeviceLocal, "exclusive", SharingMode::Exclusive).buffer();
  DeviceMemory<std::uint32_t> coherent = words(MemoryProperty::HostCoherent, "coherent");
  DeviceMemory<std::uint32_t> visible = words(MemoryProperty::HostVisible, "visible");
  Texels i = texels("i");
  Texels j = texels("j");
  Texels k = texels("k");
};

struct HazardCase {
  const char* name;
  bool has_hazard;
  std::function<void(Rig&)> run;
};

/// Each hazard is told under every seed, and nothing of the other programs.
inline void check_hazards(const std::vector<HazardCase>& cases) {
  constexpr std::uint64_t kSeeds = 6;
  for (const HazardCase& one : cases) {
    INFO(one.name);
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Rig rig(seed);
      one.run(rig);
      rig.device.wait_idle();
      const std::vector<DataRace> races = rig.device.races();
      INFO((races.empty() ? "" : races.front().reason));
      CHECK(!races.empty() == one.has_hazard);
    }
  }
}

}  // namespace queue_tests
