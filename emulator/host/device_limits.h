#pragma once

/// \file
/// What the limits of a device refuse.

#include <heddle/detail/emulation.h>
#include <heddle/device_options.h>
#include <heddle/vector.h>

#include <span>

namespace heddle::detail {

/// The limits that `asked`, else HEDDLE_LIMITS, else the profile "heddle" has. Throws std::invalid_argument, which
/// names the limit or the variable, for those that contradict themselves or that nobody knows.
DeviceLimits limits_from(const std::optional<DeviceLimits>& asked);

/// Throws std::invalid_argument if a subgroup of that size is not among what the limits allow.
void check_subgroup_size(const DeviceLimits& limits, std::uint32_t size);

/// Throws std::invalid_argument for a dispatch that is too large, or has too many or too large arguments: the message
/// has the limit's name and value, what was asked for, and what to do.
void check_dispatch(const DeviceLimits& limits, const uvec3& base, const uvec3& groups, const uvec3& local,
                    std::span<const emulation::Binding> arguments);

/// Whether they refuse anything that heddle can do.
bool are_narrow(const DeviceLimits& limits);

}  // namespace heddle::detail
