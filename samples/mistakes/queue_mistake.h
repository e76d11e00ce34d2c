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

/// The copies are the squares.
inline void require_squares(const heddle::Trial& trial, const Numbers& copies) {
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::uint32_t found = copies.map.read(i);
    trial.require(found == i * i,
                  "the square of " + std::to_string(i) + " was read as " + std::to_string(found));
  }
}

}  // namespace mistake
