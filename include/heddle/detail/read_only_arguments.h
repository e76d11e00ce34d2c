#pragma once

/// \file
/// Which buffers of a dispatch arrive in the kernel as read-only ones: those that a `StorageBuffer<const T>` parameter
/// takes, whether or not the caller said `read_only`. So what a kernel declares as const is const in it.

#include <heddle/detail/arguments.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace heddle::detail {

template <typename... Args>
struct ArgumentTypes {};

template <typename A>
inline constexpr bool kIsWritableBuffer = false;
template <typename T>
inline constexpr bool kIsWritableBuffer<Buffer<T>> = true;

template <typename A>
using NativeParameter = decltype(Argument<A>::native(std::declval<const A&>()));

/// What may be an argument: memory of a device, or a value.
template <typename A>
inline constexpr bool kIsArgument = Plain<A>;
template <typename T>
inline constexpr bool kIsArgument<Buffer<T>> = true;
template <typename T>
inline constexpr bool kIsArgument<const Buffer<T>> = true;
template <typename T>
inline constexpr bool kIsArgument<ReadOnlyArgument<T>> = true;
template <typename T>
inline constexpr bool kIsArgument<UniformArgument<T>> = true;
template <typename T, ImageDim dim>
inline constexpr bool kIsArgument<Image<T, dim>> = true;

/// Whether a kernel may be called with exactly these arguments, which are as BoundArgument has them. (If so, its body
/// is compiled, to know what it returns.)
template <typename Kernel, typename... Args>
concept TakesExactly = requires(const Kernel& kernel, native::Invocation& invocation,
                                const NativeParameter<Args>&... parameters) {
  kernel(invocation, parameters...);
};

/// `A`, a writable buffer as one that is only read if the mask has the bit of its position among the writable buffers.
template <typename A, std::uint64_t mask, std::size_t before>
using Masked = std::conditional_t<kIsWritableBuffer<A> && (mask >> before & 1) != 0, const A, A>;

/// How many of the first `n` arguments are writable buffers.
template <typename... Args>
constexpr std::size_t writable_before(std::size_t n) {
  constexpr bool writable[] = {kIsWritableBuffer<Args>..., false};
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += writable[i] ? 1 : 0;
  return count;
}

template <typename Kernel, std::uint64_t mask, typename... Args, std::size_t... n>
constexpr auto as_taken_from(std::index_sequence<n...> positions) {
  // Beyond this many writable buffers a caller has to say `read_only`: each one doubles the number of combinations.
  constexpr std::size_t kMost = 8;
  constexpr std::size_t count = writable_before<Args...>(sizeof...(Args));
  if constexpr (mask != 0 && (count > kMost || mask >= std::uint64_t{1} << count)) {
    return;
  } else if constexpr (TakesExactly<Kernel, Masked<Args, mask, writable_before<Args...>(n)>...>) {
    return ArgumentTypes<Masked<Args, mask, writable_before<Args...>(n)>...>{};
  } else {
    return as_taken_from<Kernel, mask + 1, Args...>(positions);
  }
}

/// The arguments as the kernel takes them: as they are, if it does, else with some buffers made read-only; void if it
/// takes none of the combinations.
template <typename Kernel, typename... Args>
using AsTaken = decltype(as_taken_from<Kernel, 0, Args...>(std::index_sequence_for<Args...>{}));

/// Whether a dispatch may give these arguments to a kernel.
template <typename Kernel, typename... Args>
concept Takes = (kIsArgument<Args> && ...) && !std::is_void_v<AsTaken<Kernel, Args...>>;

}  // namespace heddle::detail
