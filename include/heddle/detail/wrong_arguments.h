#pragma once

/// \file
/// Which argument of a dispatch is wrong, and what the kernel takes there, for the message of the compiler. What costs
/// time here is looked at only if there is one.

#include <heddle/detail/read_only_arguments.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace heddle::detail {

/// Kinds of wrong arguments.
enum class Wrong : std::uint8_t { None, NoArgument, Type, Missing, TooMany, Unknown };

/// What is wrong with the arguments of a dispatch: the first argument that is (from 1; 0 where it is none in
/// particular), what it is, and what the kernel takes there.
template <Wrong what_, std::size_t number_, typename Given_, typename Taken_>
struct WrongArgument {
  static constexpr Wrong what = what_;
  static constexpr std::size_t number = number_;
  using Given = Given_;
  using Taken = Taken_;
};
/// Where nothing was found that the kernel takes, and where nothing is given.
struct SomethingElse;
struct Nothing;

template <typename... Ts>
struct Types {};

/// Whether the kernel takes `Args` with a `Candidate` in place of number `k` (from 0), or without it where that is
/// void.
template <typename Kernel, std::size_t k, typename Candidate, typename Indices, typename... Args>
inline constexpr bool kTakesInstead = false;
template <typename Kernel, std::size_t k, typename Candidate, std::size_t... n, typename... Args>
inline constexpr bool kTakesInstead<Kernel, k, Candidate, std::index_sequence<n...>, Args...> =
    Takes<Kernel, std::conditional_t<n == k, Candidate, Args>...>;

/// The first of some candidates that the kernel takes as number `k`.
template <typename Kernel, std::size_t k, typename Args, typename Candidates>
struct FirstTaken {
  using type = SomethingElse;
};
template <typename Kernel, std::size_t k, typename... Args, typename Candidate, typename... Others>
struct FirstTaken<Kernel, k, Types<Args...>, Types<Candidate, Others...>>
    : std::conditional_t<kTakesInstead<Kernel, k, Candidate, std::index_sequence_for<Args...>, Args...>,
                         std::type_identity<Candidate>, FirstTaken<Kernel, k, Types<Args...>, Types<Others...>>> {};

template <std::size_t number, typename... Args>
struct NumberedArgument {
  using type = SomethingElse;
};
template <typename A, typename... Args>
struct NumberedArgument<1, A, Args...> {
  using type = A;
};
template <std::size_t number, typename A, typename... Args>
requires(number > 1) struct NumberedArgument<number, A, Args...> : NumberedArgument<number - 1, Args...> {
};

/// The element type of a buffer, or the type itself.
template <typename A>
struct ElementOfArgument : std::remove_cv<A> {};
template <template <typename> typename Of, typename T>
struct ElementOfArgument<Of<T>> {
  using type = T;
};
template <typename T>
struct ElementOfArgument<const Buffer<T>> {
  using type = T;
};

template <typename... Ts>
using CandidatesOf = Types<Buffer<Ts>..., Ts..., UniformArgument<Ts>..., PushConstantArgument<Ts>...>;
/// What is tried in place of an argument, all of whose element types are `Elements`.
template <typename... Elements>
using Candidates = CandidatesOf<Elements..., float, std::uint32_t, std::int32_t, double, std::uint64_t, std::int64_t,
                                float16, vec2, vec3, vec4, uvec2, uvec3, uvec4, ivec2, ivec3, ivec4>;

/// Looks for a single argument from number `k` on that makes the kernel take them all.
template <typename Kernel, std::size_t k, typename... Args>
constexpr auto find_wrong_type() {
  if constexpr (k == sizeof...(Args)) {
    return WrongArgument<Wrong::Unknown, 0, Nothing, SomethingElse>{};
  } else {
    using Tried = Candidates<typename ElementOfArgument<Args>::type...>;
    using Taken = typename FirstTaken<Kernel, k, Types<Args...>, Tried>::type;
    if constexpr (std::is_same_v<Taken, SomethingElse>) {
      return find_wrong_type<Kernel, k + 1, Args...>();
    } else {
      return WrongArgument<Wrong::Type, k + 1, typename NumberedArgument<k + 1, Args...>::type, Taken>{};
    }
  }
}

/// One argument more, behind the others.
template <typename Kernel, typename... Args>
constexpr auto find_missing() {
  using Tried = Candidates<typename ElementOfArgument<Args>::type...>;
  using Taken = typename FirstTaken<Kernel, sizeof...(Args), Types<Args..., int>, Tried>::type;
  if constexpr (std::is_same_v<Taken, SomethingElse>) {
    return find_wrong_type<Kernel, 0, Args...>();
  } else {
    return WrongArgument<Wrong::Missing, sizeof...(Args) + 1, Nothing, Taken>{};
  }
}

/// The first `count` arguments alone.
template <typename Kernel, typename First, typename Rest>
inline constexpr bool kTakesFewer = false;
template <typename Kernel, typename... First>
inline constexpr bool kTakesFewer<Kernel, Types<First...>, Types<>> = false;
template <typename Kernel, typename... First, typename A, typename... Rest>
inline constexpr bool kTakesFewer<Kernel, Types<First...>, Types<A, Rest...>> =
    Takes<Kernel, First...> || kTakesFewer<Kernel, Types<First..., A>, Types<Rest...>>;

template <typename Kernel, typename... Args>
constexpr auto find_wrong_argument() {
  if constexpr (Takes<Kernel, Args...>) {
    return WrongArgument<Wrong::None, 0, Nothing, Nothing>{};
  } else if constexpr (!(kIsArgument<Args> && ...)) {
    constexpr bool good[] = {kIsArgument<Args>...};
    constexpr std::size_t number = [&] {
      std::size_t n = 0;
      while (good[n]) ++n;
      return n + 1;
    }();
    return WrongArgument<Wrong::NoArgument, number, typename NumberedArgument<number, Args...>::type, SomethingElse>{};
  } else if constexpr (kTakesFewer<Kernel, Types<>, Types<Args...>>) {
    return WrongArgument<Wrong::TooMany, 0, Nothing, Nothing>{};
  } else {
    return find_missing<Kernel, Args...>();
  }
}

template <typename Kernel, typename... Args>
using WrongArgumentOf = decltype(find_wrong_argument<Kernel, Args...>());

}  // namespace heddle::detail

/// A dispatch that does not compile, where WrongArgument has found `condition`. `Argument` and `KernelTakes` are there
/// for the message of the compiler, which shows them and the text.
#define HEDDLE_REFUSED_DISPATCH(condition, text)                                                                \
  template <typename Kernel, typename... Args,                                                                  \
            typename Found = detail::WrongArgumentOf<Kernel, detail::BoundArgument<Args>...>,                   \
            typename Argument = typename Found::Given, typename KernelTakes = typename Found::Taken>            \
  requires(Found::what == detail::Wrong::condition) __attribute__((unavailable(text))) DispatchResult dispatch( \
      const Kernel&, const Extent&, const Extent&, Args&&...) {                                                 \
    return {};                                                                                                  \
  }
#define HEDDLE_REFUSED_ARGUMENT(place, n)                                                                           \
  HEDDLE_REFUSED_DISPATCH(                                                                                          \
      Type&& place, "argument " n " of this dispatch is an `Argument`, and the kernel takes a `KernelTakes` there") \
  HEDDLE_REFUSED_DISPATCH(NoArgument&& place,                                                                       \
                          "argument " n                                                                             \
                          " of this dispatch is an `Argument`: a kernel's arguments are buffers, images, and "      \
                          "trivially copyable values")
#define HEDDLE_REFUSED_DISPATCHES                                                                               \
  HEDDLE_REFUSED_ARGUMENT(Found::number == 1, "1")                                                              \
  HEDDLE_REFUSED_ARGUMENT(Found::number == 2, "2")                                                              \
  HEDDLE_REFUSED_ARGUMENT(Found::number == 3, "3")                                                              \
  HEDDLE_REFUSED_ARGUMENT(Found::number == 4, "4")                                                              \
  HEDDLE_REFUSED_ARGUMENT(Found::number == 5, "5")                                                              \
  HEDDLE_REFUSED_ARGUMENT(Found::number == 6, "6")                                                              \
  HEDDLE_REFUSED_ARGUMENT(Found::number == 7, "7")                                                              \
  HEDDLE_REFUSED_ARGUMENT(Found::number == 8, "8")                                                              \
  HEDDLE_REFUSED_ARGUMENT((Found::number > 8), "9, or a later one,")                                            \
  HEDDLE_REFUSED_DISPATCH(Missing,                                                                              \
                          "this dispatch has an argument too few: the kernel takes a `KernelTakes` behind the " \
                          "last one")                                                                           \
  HEDDLE_REFUSED_DISPATCH(TooMany, "this dispatch has more arguments than the kernel takes")                    \
  HEDDLE_REFUSED_DISPATCH(Unknown,                                                                              \
                          "the kernel does not take these `Args`: more than one of them, or their number, is "  \
                          "wrong")
