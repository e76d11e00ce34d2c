#pragma once

/// \file
/// How large a device lets workgroups, dispatches and what they are given be: so that a kernel that a device of today
/// would refuse is refused here.

#include <heddle/detail/language.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace heddle {

/// The limits of a device, in both modes. Names and meaning are those of VkPhysicalDeviceLimits, but for the two of
/// VkPhysicalDeviceVulkan13Properties that end in `subgroup_size`. Sizes are in bytes. By itself each is what heddle
/// can do, and no profile makes that more.
struct DeviceLimits {
  /// For messages.
  std::string_view name = "custom";
  /// What it is, or what it is modelled after, in a sentence or two.
  std::string_view description;

  /// The most workgroups of a dispatch in each dimension.
  std::array<std::uint32_t, 3> max_compute_work_group_count = {kAny, kAny, kAny};
  /// The most invocations of a workgroup, and the most in each dimension.
  std::uint32_t max_compute_work_group_invocations = 65536;
  std::array<std::uint32_t, 3> max_compute_work_group_size = {65536, 65536, 65536};
  /// All Workgroup variables of a workgroup together: DeviceOptions::workgroup_memory_bytes is at most this.
  std::uint32_t max_compute_shared_memory_size = 1u << 30;
  /// What DeviceOptions::subgroup_size may be. Where neither the program nor the environment says one, it is the size
  /// among these that is closest to 32.
  std::uint32_t min_subgroup_size = 1;
  std::uint32_t max_subgroup_size = 128;
  /// What the `push_constant` arguments of a dispatch have together. (Plain values do not count: they may be constants
  /// of the kernel.)
  std::uint32_t max_push_constants_size = kAny;
  /// What a StorageBuffer argument has, and a Uniform one.
  std::uint64_t max_storage_buffer_range = kAnyRange;
  std::uint64_t max_uniform_buffer_range = kAnyRange;
  /// How many StorageBuffer, Uniform and StorageImage arguments a dispatch has.
  std::uint32_t max_per_stage_descriptor_storage_buffers = kAny;
  std::uint32_t max_per_stage_descriptor_uniform_buffers = kAny;
  std::uint32_t max_per_stage_descriptor_storage_images = kAny;

  friend bool operator==(const DeviceLimits&, const DeviceLimits&) = default;

 private:
  static constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint64_t kAnyRange = std::numeric_limits<std::uint64_t>::max();
};

/// All profiles that have names: "heddle", which is what heddle can do; "vulkan-minimum", what every implementation of
/// Vulkan 1.3 must have; "typical-desktop" (NVIDIA), "amd", "intel", "adreno" and "mali", modelled after families
/// of desktop and mobile GPUs. Their sources are in emulator/host/device_limits.cpp.
std::span<const DeviceLimits> device_limit_profiles();

/// The profile of that name. Throws std::invalid_argument, which lists the names, where no profile has that one.
DeviceLimits device_limits(std::string_view name);

}  // namespace heddle
