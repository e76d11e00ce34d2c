#pragma once

/// \file
/// Variables of kernels. In Workgroup memory there is one for all invocations of a workgroup: CUDA's and HLSL's shared
/// memory.
///
///     auto tile = workgroup<float[256]>(inv, "tile");                       // an array: tile[i]
///     auto sums = workgroup<float[2][256]>(inv, "sums");                    // sums[half] is an array to pass on
///     auto bins = workgroup<std::uint32_t[256]>(inv, "bins", kZeroed);      // starts at zero
///     auto last = workgroup<bool>(inv, "last");                             // a scalar: last = true; if (last) ...
///     auto row = workgroup<float[]>(inv, inv.workgroup_size().x, "row");    // as large as the dispatch says
///
/// All invocations of a workgroup must ask for the same variables in the same order: emulated mode reports the first
/// one that does not. Together they must fit into DeviceOptions::workgroup_memory_bytes; either mode reports the line
/// where they do not. A private variable, `private_variable<std::uint32_t[4]>(inv, "stack")`, is one of each
/// invocation, as a local variable is, but what it holds is checked: emulated mode reports a read of what was never
/// written.

#include <heddle/reference.h>

#include <string_view>
#include <type_traits>

namespace heddle {

/// For `workgroup<T>(inv, name, kZeroed)`.
inline constexpr InitialValue kZeroed = InitialValue::Zero;

/// A Workgroup variable of type `T`, a scalar, vector, struct or array of such; `name` is for reports.
/// Accesses are NonPrivate, and make available to and visible from the workgroup, as GLSL has it for shared memory.
template <typename T, typename Invocation>
requires(!std::is_unbounded_array_v<T>) auto workgroup(Invocation& inv, std::string_view name = "",
                                                       InitialValue initial = InitialValue::Undefined,
                                                       SourceLocation where = SourceLocation::current()) {
  return inv.template workgroup<T>(name, initial, where);
}

/// An array in Workgroup memory of `size` elements, a number that is the same for all invocations of the workgroup:
/// `workgroup<T[]>(inv, size, name)`.
template <typename T, typename Invocation>
requires std::is_unbounded_array_v<T>
auto workgroup(Invocation& inv, std::uint64_t size, std::string_view name = "",
               InitialValue initial = InitialValue::Undefined, SourceLocation where = SourceLocation::current()) {
  // More than any memory has, and yet few enough to be multiplied by the size of an element.
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  return inv.template workgroup_array<std::remove_extent_t<T>>(std::min(size, kMost), name, initial, where);
}

/// A variable of this invocation alone, which holds nothing until it is written.
template <typename T, typename Invocation>
auto private_variable(Invocation& inv, std::string_view name = "", SourceLocation where = SourceLocation::current()) {
  return inv.template private_variable<T>(name, where);
}

}  // namespace heddle
