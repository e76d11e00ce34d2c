#include "emulator/host/device_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "emulator/host/limits.h"
#include "runtime/scheduler.h"
#include "runtime/text/readable.h"
#include "runtime/text/refuse_name.h"

namespace heddle {
namespace {

constexpr DeviceLimits kHeddle{.name = "heddle", .description = "what heddle can do"};

// Vulkan 1.3, chapter "Limits", table "Required Limits". For the size of a subgroup that has no number: it is a power
// of two, and at least 1.
constexpr DeviceLimits kVulkanMinimum{
    .name = "vulkan-minimum",
    .description = "what every implementation of Vulkan 1.3 must have",
    .max_compute_work_group_count = {65535, 65535, 65535},
    .max_compute_work_group_invocations = 128,
    .max_compute_work_group_size = {128, 128, 64},
    .max_compute_shared_memory_size = 16384,
    .max_push_constants_size = 128,
    .max_storage_buffer_range = std::uint64_t{1} << 27,
    .max_uniform_buffer_range = 16384,
    .max_per_stage_descriptor_storage_buffers = 4,
    .max_per_stage_descriptor_uniform_buffers = 12,
    .max_per_stage_descriptor_storage_images = 4,
};

// Threads of a block, its dimensions and those of a grid, shared memory of a block, warps and constant memory: CUDA C++
// Programming Guide, table "Technical Specifications per Compute Capability". The rest is what Vulkan drivers of such
// cards report.
constexpr DeviceLimits kTypicalDesktop{
    .name = "typical-desktop",
    .description = "modelled after NVIDIA's desktop cards since Maxwell",
    .max_compute_work_group_count = {2147483647, 65535, 65535},
    .max_compute_work_group_invocations = 1024,
    .max_compute_work_group_size = {1024, 1024, 64},
    .max_compute_shared_memory_size = 49152,
    .min_subgroup_size = 32,
    .max_subgroup_size = 32,
    .max_push_constants_size = 256,
    .max_storage_buffer_range = 0xffffffff,
    .max_uniform_buffer_range = 65536,
};

// Mesa 22.3, src/amd/vulkan/radv_device.c, for GFX10 and later.
constexpr DeviceLimits kAmd{
    .name = "amd",
    .description = "modelled after AMD's RDNA cards, as Mesa's driver RADV describes them",
    .max_compute_work_group_count = {65535, 65535, 65535},
    .max_compute_work_group_invocations = 1024,
    .max_compute_work_group_size = {1024, 1024, 1024},
    .max_compute_shared_memory_size = 65536,
    .min_subgroup_size = 32,
    .max_subgroup_size = 64,
    .max_push_constants_size = 256,
    .max_storage_buffer_range = 0xffffffff,
    .max_uniform_buffer_range = 0xffffffff,
};

// Mesa 22.3, src/intel/vulkan/anv_device.c and anv_private.h. (The range of storage buffers depends on the card.)
constexpr DeviceLimits kIntel{
    .name = "intel",
    .description = "modelled after Intel's integrated and Arc graphics, as Mesa's driver ANV describes them",
    .max_compute_work_group_count = {65535, 65535, 65535},
    .max_compute_work_group_invocations = 1024,
    .max_compute_work_group_size = {1024, 1024, 1024},
    .max_compute_shared_memory_size = 65536,
    .min_subgroup_size = 8,
    .max_subgroup_size = 32,
    .max_push_constants_size = 128,
    .max_storage_buffer_range = std::uint64_t{1} << 30,
    .max_uniform_buffer_range = std::uint64_t{1} << 27,
    .max_per_stage_descriptor_uniform_buffers = 64,
};

// Mesa 22.3, src/freedreno/vulkan/tu_device.c and tu_common.h.
constexpr DeviceLimits kAdreno{
    .name = "adreno",
    .description = "modelled after Qualcomm's Adreno 6xx, as Mesa's driver Turnip describes them",
    .max_compute_work_group_count = {65535, 65535, 65535},
    .max_compute_work_group_invocations = 2048,
    .max_compute_work_group_size = {1024, 1024, 1024},
    .max_compute_shared_memory_size = 32768,
    .min_subgroup_size = 64,
    .max_subgroup_size = 128,
    .max_push_constants_size = 256,
    .max_storage_buffer_range = std::uint64_t{1} << 27,
    .max_uniform_buffer_range = 65536,
};

// Counts, shared memory and ranges: Mesa 22.3, src/panfrost/vulkan/panvk_device.c. Warps of 16: Arm, "The Valhall
// shader core". The workgroup of 512 invocations is smaller than PanVK's 2048, so that a kernel that fits it fits what
// Arm's own drivers say, too; so are the push constants and the range of a uniform buffer.
constexpr DeviceLimits kMali{
    .name = "mali",
    .description = "modelled after Arm's Mali graphics of the Valhall architecture",
    .max_compute_work_group_count = {65535, 65535, 65535},
    .max_compute_work_group_invocations = 512,
    .max_compute_work_group_size = {512, 512, 512},
    .max_compute_shared_memory_size = 32768,
    .min_subgroup_size = 16,
    .max_subgroup_size = 16,
    .max_push_constants_size = 128,
    .max_storage_buffer_range = 0xffffffff,
    .max_uniform_buffer_range = 65536,
};

constexpr std::array kProfiles = {kHeddle, kVulkanMinimum, kTypicalDesktop, kAmd, kIntel, kAdreno, kMali};

/// The profile of the name that `what` has.
DeviceLimits profile(std::string_view what, std::string_view name) {
  const auto* const found =
      std::find_if(kProfiles.begin(), kProfiles.end(), [&](const DeviceLimits& l) { return l.name == name; });
  if (found == kProfiles.end()) text::refuse_name(what, name, kProfiles);
  return *found;
}

}  // namespace

std::span<const DeviceLimits> device_limit_profiles() {
  return kProfiles;
}

DeviceLimits device_limits(std::string_view name) {
  return profile("the name of the limits", name);
}

namespace detail {
namespace {

constexpr char kDimensions[] = {'x', 'y', 'z'};

std::string extent_text(const uvec3& e) {
  return fmt::format("{} x {} x {}", e.x, e.y, e.z);
}

/// "what: the limit NAME of the device ('vulkan-minimum') is 128; do this, or ..."
[[noreturn]] void refuse(const DeviceLimits& limits, std::string_view what, std::string_view limit, std::uint64_t value,
                         std::string_view instead) {
  throw std::invalid_argument(
      fmt::format("{}: the limit {} of the device ('{}') is {}; {}, or give the device others (DeviceOptions::limits, "
                  "HEDDLE_LIMITS)",
                  what, limit, text::readable(limits.name), value, instead));
}

void check_workgroups(const DeviceLimits& limits, const uvec3& base, const uvec3& groups, const uvec3& local) {
  const std::array<std::uint32_t, 3> sizes = {local.x, local.y, local.z};
  const uvec3 end = base + groups;
  const std::array<std::uint32_t, 3> ends = {end.x, end.y, end.z};
  const std::string workgroup = "a workgroup of " + extent_text(local) + " invocations";
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] > limits.max_compute_work_group_size[d])
      refuse(limits, workgroup, fmt::format("max_compute_work_group_size.{}", kDimensions[d]),
             limits.max_compute_work_group_size[d], "dispatch smaller workgroups");
  // Each of them is at most 65536, so that the product of two fits.
  const std::uint64_t plane = std::uint64_t{local.x} * local.y;
  const std::uint64_t most = limits.max_compute_work_group_invocations;
  if (local.z != 0 && (plane > most || plane * local.z > most))
    refuse(limits, workgroup, "max_compute_work_group_invocations", most, "dispatch smaller workgroups");
  const std::string from = base == uvec3{0, 0, 0} ? "" : fmt::format(" from ({},{},{}) on", base.x, base.y, base.z);
  for (std::size_t d = 0; d < ends.size(); ++d)
    if (ends[d] > limits.max_compute_work_group_count[d])
      refuse(limits, "a dispatch of " + extent_text(groups) + " workgroups" + from,
             fmt::format("max_compute_work_group_count.{}", kDimensions[d]), limits.max_compute_work_group_count[d],
             "let each invocation do more, or dispatch in parts");
}

/// The arguments of one kind that a dispatch has.
class ArgumentsOfKind {
 public:
  ArgumentsOfKind(const DeviceLimits& limits, std::string_view kind, std::string_view count_limit, std::uint32_t most)
      : limits_(limits), kind_(kind), count_limit_(count_limit), most_(most) {}

  void add() {
    if (++count_ > most_)
      refuse(limits_, fmt::format("a dispatch with {} or more {} arguments", count_, kind_), count_limit_, most_,
             "put what belongs together into one");
  }
  void add(const emulation::Binding& argument, std::string_view range_limit, std::uint64_t most_bytes) {
    add();
    if (argument.size_bytes > most_bytes)
      refuse(limits_,
             fmt::format("'{}' as a {} of {} bytes", text::readable(argument.name), kind_, argument.size_bytes),
             range_limit, most_bytes, "give the kernel a part of it");
  }

 private:
  const DeviceLimits& limits_;
  std::string_view kind_;
  std::string_view count_limit_;
  std::uint32_t most_;
  std::uint64_t count_ = 0;
};

void check_arguments(const DeviceLimits& limits, std::span<const emulation::Binding> arguments) {
  ArgumentsOfKind buffers(limits, "StorageBuffer", "max_per_stage_descriptor_storage_buffers",
                          limits.max_per_stage_descriptor_storage_buffers);
  ArgumentsOfKind uniforms(limits, "Uniform", "max_per_stage_descriptor_uniform_buffers",
                           limits.max_per_stage_descriptor_uniform_buffers);
  ArgumentsOfKind images(limits, "StorageImage", "max_per_stage_descriptor_storage_images",
                         limits.max_per_stage_descriptor_storage_images);
  std::uint64_t constants = 0;
  for (const emulation::Binding& argument : arguments) {
    if (argument.storage_class == StorageClass::PushConstant) constants += argument.size_bytes;
    if (!argument.allocation) continue;
    if (argument.storage_class == StorageClass::StorageBuffer)
      buffers.add(argument, "max_storage_buffer_range", limits.max_storage_buffer_range);
    if (argument.storage_class == StorageClass::Uniform)
      uniforms.add(argument, "max_uniform_buffer_range", limits.max_uniform_buffer_range);
    if (argument.storage_class == StorageClass::Image) images.add();
  }
  if (constants > limits.max_push_constants_size)
    refuse(limits, fmt::format("push constants of {} bytes", constants), "max_push_constants_size",
           limits.max_push_constants_size, "put some into a Uniform buffer");
}

}  // namespace

DeviceLimits limits_from(const std::optional<DeviceLimits>& asked) {
  if (asked) {
    check_limits("DeviceOptions::limits.min_subgroup_size", asked->min_subgroup_size, 1u, runtime::kMaxSubgroupSize);
    check_limits("DeviceOptions::limits.max_subgroup_size", asked->max_subgroup_size, asked->min_subgroup_size,
                 runtime::kMaxSubgroupSize);
    return *asked;
  }
  const char* text = std::getenv("HEDDLE_LIMITS");
  const std::string_view name = text && *text ? text : kHeddle.name;
  return profile("HEDDLE_LIMITS", name);
}

void check_subgroup_size(const DeviceLimits& limits, std::uint32_t size) {
  const auto what = [&] { return fmt::format("DeviceOptions::subgroup_size (or HEDDLE_SUBGROUP_SIZE) of {}", size); };
  if (size < limits.min_subgroup_size)
    refuse(limits, what(), "min_subgroup_size", limits.min_subgroup_size, "ask for larger subgroups");
  if (size > limits.max_subgroup_size)
    refuse(limits, what(), "max_subgroup_size", limits.max_subgroup_size, "ask for smaller subgroups");
}

void check_dispatch(const DeviceLimits& limits, const uvec3& base, const uvec3& groups, const uvec3& local,
                    std::span<const emulation::Binding> arguments) {
  check_workgroups(limits, base, groups, local);
  check_arguments(limits, arguments);
}

bool are_narrow(const DeviceLimits& limits) {
  DeviceLimits nameless = limits;
  nameless.name = kHeddle.name;
  nameless.description = kHeddle.description;
  return nameless != kHeddle;
}

}  // namespace detail

}  // namespace heddle
