#pragma once

/// \file
/// Kernels and devices that the tests of queues share.

#include <heddle/buffer_view.h>
#include <heddle/heddle.h>
#include <heddle/queue.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace queue_tests {

using namespace heddle;

constexpr auto kTwice = [](auto& inv, StorageBuffer<std::uint32_t> auto x) { x[inv.global_invocation_id().x] *= 2; };
constexpr auto kSquares = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  const std::uint32_t i = inv.global_invocation_id().x;
  x[i] = i * i;
};
constexpr auto kCopy = [](auto& inv, StorageBuffer<const std::uint32_t> auto from,
                          StorageBuffer<std::uint32_t> auto to) {
  const std::uint32_t i = inv.global_invocation_id().x;
  to[i] = from[i];
};

constexpr std::uint32_t kCount = 8;

inline LogicalDeviceOptions options(Mode mode, std::uint64_t seed = 1, std::vector<QueueFamily> families = {{2}}) {
  LogicalDeviceOptions out;
  out.device.mode = mode;
  out.device.seed = seed;
  out.queue_families = std::move(families);
  return out;
}

inline DeviceMemory<std::uint32_t> numbers(const LogicalDevice& device, MemoryProperty property, std::string name) {
  return device.allocate_memory<std::uint32_t>(kCount, property, std::move(name));
}

/// The map with this value in each element.
inline MappedMemory<std::uint32_t> filled(const DeviceMemory<std::uint32_t>& memory, std::uint32_t value) {
  const auto map = memory.map();
  for (std::uint32_t i = 0; i < map.size(); ++i) map.write(i, value);
  return map;
}

inline constexpr MemoryBarrier2 kComputeToCompute{PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                                                  PipelineStage2::ComputeShader,
                                                  Access2::ShaderStorageRead | Access2::ShaderStorageWrite};
inline constexpr MemoryBarrier2 kComputeToHost{PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                                               PipelineStage2::Host, Access2::HostRead};
inline constexpr MemoryBarrier2 kCopyToHost{PipelineStage2::AllTransfer, Access2::TransferWrite, PipelineStage2::Host,
                                            Access2::HostRead};

/// The test natively, and under some seeds.
template <typename Test>
void in_both_modes(const Test& test) {
  test(options(Mode::Native));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) test(options(Mode::Emulated, seed));
}

}  // namespace queue_tests
