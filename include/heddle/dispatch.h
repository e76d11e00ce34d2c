#pragma once

/// \file
/// What a dispatch is given, how large it is, and what it did.

#include <heddle/buffer.h>
#include <heddle/detail/plain.h>
#include <heddle/report.h>

#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace heddle {

/// The size of a dispatch or of a workgroup, in up to three dimensions.
struct Extent {
  /// Throws std::out_of_range for a size that does not fit in 32 bits.
  template <std::integral X, std::integral Y = int, std::integral Z = int>
  constexpr Extent(X x_, Y y_ = 1, Z z_ = 1) : x(checked(x_)), y(checked(y_)), z(checked(z_)) {}
  std::uint32_t x, y, z;

 private:
  template <typename I>
  static constexpr std::uint32_t checked(I i) {
    if (!std::in_range<std::uint32_t>(i)) {
      throw std::out_of_range("heddle: a size of a dispatch must be 0 to 2^32 - 1");
    }
    return static_cast<std::uint32_t>(i);
  }
};

/// A value that a kernel gets as a compile-time constant (a specialization constant): pass
/// `constant<256>`, take `auto n`, use it where a constant is wanted.
template <auto value>
inline constexpr std::integral_constant<decltype(value), value> constant{};

/// Arguments of a dispatch that say how a buffer or a value is bound.
template <typename T>
struct UniformArgument {
  Buffer<T> buffer;
};
template <typename T>
struct ReadOnlyArgument {
  Buffer<T> buffer;
};
template <typename T>
struct PushConstantArgument {
  T value;
};

/// Binds a buffer as Uniform memory.
template <typename T>
UniformArgument<T> uniform(const Buffer<T>& buffer) {
  return {buffer};
}
/// Binds a buffer as StorageBuffer memory that the kernel can only read.
template <typename T>
ReadOnlyArgument<T> read_only(const Buffer<T>& buffer) {
  return {buffer};
}
/// Binds a value as PushConstant memory. (A plain value arrives in the kernel as a plain value.)
template <detail::Plain T>
PushConstantArgument<T> push_constant(const T& value) {
  return {value};
}

/// What a dispatch did.
struct DispatchResult {
  std::uint64_t invocations = 0;
  std::uint64_t workgroups = 0;
  /// Fibers that existed at once at most, over all workers; 0 if no invocation had to wait.
  std::uint64_t fibers = 0;
  /// Workgroups that were resident at once at most.
  std::uint64_t resident_workgroups = 0;
  /// 0 without DeviceOptions::timed.
  double seconds = 0;
  /// Emulated mode.
  MemoryReport memory;
};

}  // namespace heddle
