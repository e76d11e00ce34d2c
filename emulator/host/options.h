#pragma once

/// \file
/// The options of a device as it uses them: complete, and within their limits.

#include <heddle/device_options.h>
#include <heddle/sweep.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::detail {

/// More threads than a machine has serve nobody; each is a task that has to be handed out.
inline constexpr std::uint32_t kMostWorkers = 1 << 16;
/// Each resident workgroup has its Workgroup memory, and each of its invocations that waits a stack.
inline constexpr std::uint32_t kMostResidentWorkgroups = 1 << 16;
inline constexpr std::size_t kMostStackBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMostWorkgroupMemoryBytes = std::size_t{1} << 30;

/// What HEDDLE_SWEEP says; nothing where it is not set. Throws std::invalid_argument, which names it, for nonsense.
std::optional<Sweep> sweep_of_environment();

/// In which order workgroups begin under a model of forward progress, with which invocations are then interrupted after
/// each operation; nothing where it is none, or promises everything. Throws std::invalid_argument for what is no model.
std::optional<WorkgroupOrder> order_under(const std::string& forward_progress);

/// Throws std::invalid_argument, which names the option, for a family with no queues, or with too many.
void check_families(std::string_view option, const std::vector<QueueFamily>& families);

/// Fills in what `options` leaves to the environment and to the defaults. Throws std::invalid_argument for an option or
/// a variable that makes no sense: the message has its name, its value, and what it may be.
DeviceOptions completed(DeviceOptions options);

}  // namespace heddle::detail
