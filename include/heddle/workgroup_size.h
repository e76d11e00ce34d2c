#pragma once

/// \file
/// Kernels that say how large their workgroups are: SPIR-V's execution mode LocalSize, GLSL's local_size_x,
/// OpenCL's reqd_work_group_size.
///
///     constexpr auto block_sum = required_workgroup_size<256>([](auto& inv, StorageBuffer<float> auto x) { ... });
///
///     device.dispatch(block_sum, {groups}, x);           // workgroups of 256
///     device.dispatch(block_sum, {groups}, {256}, x);    // the same
///     device.dispatch(block_sum, {groups}, {128}, x);    // std::invalid_argument, with both sizes

#include <heddle/detail/read_only_arguments.h>
#include <heddle/vector.h>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace heddle {

namespace detail {

/// A kernel, with the one size that its workgroups may have.
template <typename Kernel, std::uint32_t x, std::uint32_t y, std::uint32_t z>
struct OfWorkgroupSize : Kernel {
  static constexpr uvec3 kWorkgroupSize{x, y, z};
};

/// The size that a kernel requires; null if it requires none.
template <typename Kernel>
inline constexpr const uvec3* kRequiredSize = nullptr;
template <typename Kernel, std::uint32_t x, std::uint32_t y, std::uint32_t z>
inline constexpr const uvec3* kRequiredSize<OfWorkgroupSize<Kernel, x, y, z>> =
    &OfWorkgroupSize<Kernel, x, y, z>::kWorkgroupSize;

/// The kernel by itself.
template <typename Kernel>
struct WithoutSize {
  using Type = Kernel;
};
template <typename Kernel, std::uint32_t x, std::uint32_t y, std::uint32_t z>
struct WithoutSize<OfWorkgroupSize<Kernel, x, y, z>> {
  using Type = Kernel;
};

template <typename Kernel>
concept RequiresSize = !std::is_same_v<typename WithoutSize<Kernel>::Type, Kernel>;

template <typename Kernel, std::uint32_t x, std::uint32_t y, std::uint32_t z, typename Invocation>
struct BodyOf<OfWorkgroupSize<Kernel, x, y, z>, Invocation> : BodyOf<Kernel, Invocation> {};

}  // namespace detail

/// A kernel whose workgroups have x * y * z invocations. It is called and dispatched as the kernel that it is made of,
/// in either form; a dispatch with another size throws std::invalid_argument, and one may leave the size out. `kernel`
/// is a callable object that is not final, no function pointer.
template <std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1, typename Kernel>
constexpr detail::OfWorkgroupSize<Kernel, x, y, z> required_workgroup_size(Kernel kernel) {
  static_assert(x != 0 && y != 0 && z != 0 && std::uint64_t{x} * y <= 65536 && std::uint64_t{x} * y * z <= 65536,
                "a workgroup has 1 to 65536 invocations");
  static_assert(!detail::RequiresSize<Kernel>, "a kernel requires one size");
  return {std::move(kernel)};
}

}  // namespace heddle
