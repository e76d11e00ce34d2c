#pragma once

/// \file
/// What the mistakes of the host's side share: a device with queues for each trial, and its memory.

#include <heddle/queue.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "mistake.h"

namespace mistake {

inline constexpr std::uint32_t kCount = 8;

/// A device with queues, under the seed and the memory policy of the trial.
inline heddle::LogicalDevice queue_device(heddle::Trial& trial,
                                          std::vector<heddle::QueueFamily> families = {{2}}) {
  heddle::LogicalDeviceOptions options;
  options.device.mode = heddle::Mode::Emulated;
  options.device.seed = trial.seed();
  options.device.memory = trial.device().options().memory;
  options.queue_families = std::move(families);
  return heddle::LogicalDevice(std::move(options));
}

/// Host-coherent memory with this value in each element, mapped.
struct Numbers {
  Numbers(const heddle::LogicalDevice& device, const std::string& name, std::uint32_t value,
          heddle::MemoryProperty property = heddle::MemoryProperty::HostCoherent)
      : memory(device.allocate_memory<std::uint32_t>(kCount, property, name)),
        buffer(memory.buffer()),
        map(memory.map()) {
    for (std::uint32_t i = 0; i < kCount; ++i) map.write(i, value);
    memory.flush();
  }
  heddle::DeviceMemory<std::uint32_t> memory;
  heddle::Buffer<std::uint32_t> buffer;
  heddle::MappedMemory<std::uint32_t> map;
};

inline constexpr auto kWriteSquares = [](auto& inv,
                                         heddle::StorageBuffer<std::uint32_t> auto squares) {
  const std::uint32_t i = inv.global_invocation_id().x;
  squares[i] = i * i;
};
inline constexpr auto kCopySquares = [](auto& inv,
                                        heddle::StorageBuffer<const std::uint32_t> auto squares,
                                        heddle::StorageBuffer<std::uint32_t> auto copies) {
  const std::uint32_t i = inv.global_invocation_id().x;
  copies[i] = squares[i];
};

/// What a read-back needs behind a kernel, beside a fence.
inline constexpr heddle::MemoryBarrier2 kToHost{
    heddle::PipelineStage2::ComputeShader, heddle::Access2::ShaderStorageWrite,
    heddle::PipelineStage2::Host, heddle::Access2::HostRead};

/// A command buffer that copies the squares, for the host to read.
inline heddle::CommandBuffer copy_commands(const heddle::LogicalDevice& device,
                                           const Numbers& squares, Numbers& copies) {
  heddle::CommandBuffer commands = device.command_buffer("copy");
  commands.begin();
  commands.dispatch(kCopySquares, {1}, {kCount}, squares.buffer, copies.buffer);
  commands.pipeline_barrier2(kToHost);
  commands.end();
  return commands;
}

/// The copies are the squares.
inline void require_squares(const heddle::Trial& trial, const Numbers& copies) {
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::uint32_t found = copies.map.read(i);
    trial.require(found == i * i,
                  "the square of " + std::to_string(i) + " was read as " + std::to_string(found));
  }
}

/// One dispatch writes the squares, a second one copies them, and the host reads the copies;
/// `between(commands)` records what is between the two.
template <typename Between>
void copy_written_squares(heddle::Trial& trial, const Between& between) {
  const heddle::LogicalDevice device = queue_device(trial);
  Numbers squares(device, "squares", 9999);
  Numbers copies(device, "copies", 0);
  heddle::CommandBuffer commands = device.command_buffer("squares and copies");
  commands.begin();
  commands.dispatch(kWriteSquares, {1}, {kCount}, squares.buffer);
  between(commands);
  commands.dispatch(kCopySquares, {1}, {kCount}, squares.buffer, copies.buffer);
  commands.pipeline_barrier2(kToHost);
  commands.end();
  device.queue().submit2(commands);
  device.wait_idle();
  require_squares(trial, copies);
}

}  // namespace mistake
