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

/// What a compiler says of a dispatch that is refused: the types that a refused `dispatch` returns, which are
/// incomplete and whose names are sentences.
namespace heddle::detail::refused {

template <std::size_t number>
struct argument {
  template <typename Given>
  struct of_this_dispatch_is_a {
    template <typename Taken>
    struct and_the_kernel_takes_there_a;
    struct but_arguments_are_buffers_images_and_trivially_copyable_values;
  };
};
struct this_dispatch_has_an_argument_too_few {
  template <typename Taken>
  struct behind_the_last_one_the_kernel_takes_a;
};
template <typename... Given>
struct this_dispatch_has {
  struct more_arguments_than_the_kernel_takes;
  struct more_than_one_wrong_argument_or_a_wrong_number_of_them;
};

}  // namespace heddle::detail::refused

namespace heddle::detail {

template <typename Found, typename... Args>
struct SentenceOf;
template <std::size_t number, typename Given, typename Taken, typename... Args>
struct SentenceOf<WrongArgument<Wrong::Type, number, Given, Taken>, Args...> {
  using Type = typename refused::argument<number>::template of_this_dispatch_is_a<
      Given>::template and_the_kernel_takes_there_a<Taken>;
};
template <std::size_t number, typename Given, typename Taken, typename... Args>
struct SentenceOf<WrongArgument<Wrong::NoArgument, number, Given, Taken>, Args...> {
  using Type = typename refused::argument<number>::template of_this_dispatch_is_a<
      Given>::but_arguments_are_buffers_images_and_trivially_copyable_values;
};
template <std::size_t number, typename Given, typename Taken, typename... Args>
struct SentenceOf<WrongArgument<Wrong::Missing, number, Given, Taken>, Args...> {
  using Type = refused::this_dispatch_has_an_argument_too_few::behind_the_last_one_the_kernel_takes_a<Taken>;
};
template <std::size_t number, typename Given, typename Taken, typename... Args>
struct SentenceOf<WrongArgument<Wrong::TooMany, number, Given, Taken>, Args...> {
  using Type = typename refused::this_dispatch_has<Args...>::more_arguments_than_the_kernel_takes;
};
template <std::size_t number, typename Given, typename Taken, typename... Args>
struct SentenceOf<WrongArgument<Wrong::Unknown, number, Given, Taken>, Args...> {
  using Type = typename refused::this_dispatch_has<Args...>::more_than_one_wrong_argument_or_a_wrong_number_of_them;
};

}  // namespace heddle::detail

/// A dispatch that does not compile, where WrongArgument has found what is wrong.
#define HEDDLE_REFUSED_DISPATCHES                                                                  \
  template <typename Kernel, typename... Args>                                                     \
  requires(!detail::Takes<Kernel, detail::BoundArgument<Args>...>)                                 \
      typename detail::SentenceOf<detail::WrongArgumentOf<Kernel, detail::BoundArgument<Args>...>, \
                                  detail::BoundArgument<Args>...>::Type                            \
      dispatch(const Kernel&, const Extent&, const Extent&, Args&&...);
