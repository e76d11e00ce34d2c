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

/// A kernel, and a call that fits everything, neither better nor worse than the kernel: its object fits better, its
/// arguments worse.
template <typename Kernel>
struct CallsAnything : Kernel {
  using Kernel::operator();
  void operator()(...);
};
/// Whether a kernel may be called with these parameters. (Then the two calls are ambiguous, which is known before the
/// body of the kernel is compiled. So a mistake in the body is reported where the body is, and nowhere else.)
template <typename Kernel, typename... Parameters>
inline constexpr bool kFits = !requires(CallsAnything<Kernel> & kernel, Parameters&... parameters) {
  kernel(parameters...);
};
template <typename Kernel, typename... Parameters>
requires(!std::is_class_v<Kernel> || std::is_final_v<Kernel>) inline constexpr bool kFits<Kernel, Parameters...> =
    requires(const Kernel& kernel, Parameters&... parameters) {
  kernel(parameters...);
};

/// Whether a kernel may be called with a first parameter that has no other name, which a `T&` does not take.
template <typename Kernel, typename First, typename... Others>
inline constexpr bool kFitsNameless = false;
template <typename Kernel, typename First, typename... Others>
requires(std::is_class_v<Kernel> &&
         !std::is_final_v<Kernel>) inline constexpr bool kFitsNameless<Kernel, First, Others...> =
    !requires(CallsAnything<Kernel> & kernel, First& first, Others&... others) {
  kernel(std::move(first), others...);
};

/// Whether a kernel may be called with exactly these arguments, which are as BoundArgument has them.
template <typename Kernel, typename... Args>
concept TakesExactly = kFits<Kernel, native::Invocation, const NativeParameter<Args>...>;

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

/// What is called for an invocation of a kernel, and with what in place of the invocation.
template <typename Kernel, typename Invocation>
struct BodyOf {
  using Type = Kernel;
  using First = Invocation;
};

/// Whether a kernel has its first parameter by value: it takes an invocation that has no other name, and yet cannot be
/// called with it.
template <typename Kernel, typename Bound>
inline constexpr bool kCopiesInvocation = false;
template <typename Kernel, typename... Bound>
inline constexpr bool kCopiesInvocation<Kernel, ArgumentTypes<Bound...>> =
    kFitsNameless<typename BodyOf<Kernel, native::Invocation>::Type, typename BodyOf<Kernel, native::Invocation>::First,
                  const NativeParameter<Bound>...> &&
    !requires(const typename BodyOf<Kernel, native::Invocation>::Type& body,
              typename BodyOf<Kernel, native::Invocation>::First& first, const NativeParameter<Bound>&... parameters) {
  body(std::move(first), parameters...);
};

/// The body of a kernel in either mode. A dispatch asks for it before all that runs it, so that what is wrong in it is
/// told from near the dispatch.
template <typename Kernel, typename Bound>
struct Body;
template <typename Kernel, typename... Bound>
struct Body<Kernel, ArgumentTypes<Bound...>> {
  template <typename Invocation>
  using Of = BodyOf<Kernel, Invocation>;
  template <typename A>
  using EmulatedParameter = decltype(Argument<A>::emulated(std::declval<const A&>(), emulated::Place{}));

  static constexpr bool kIsRight =
      requires(const typename Of<native::Invocation>::Type& body, typename Of<native::Invocation>::First& first,
               const NativeParameter<Bound>&... parameters) {
    body(first, parameters...);
  };
  template <typename = void>
  using Native = decltype(std::declval<const typename Of<native::Invocation>::Type&>()(
      std::declval<typename Of<native::Invocation>::First&>(), std::declval<const NativeParameter<Bound>&>()...));
  template <typename Mode>
  using Emulated = decltype(std::declval<const typename Of<Mode>::Type&>()(
      std::declval<typename Of<Mode>::First&>(), std::declval<EmulatedParameter<Bound>>()...));
};

}  // namespace heddle::detail
