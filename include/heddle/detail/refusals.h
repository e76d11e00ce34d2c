#pragma once

/// \file
/// What atomics, loads and stores do not take: one sentence, at the line of the call, instead of the candidates.

#include <heddle/detail/tagging.h>
#include <heddle/reference.h>
#include <heddle/semantics.h>

#include <concepts>
#include <type_traits>

namespace heddle::detail {

/// An atomic of SPIR-V: 8 to 64 bits, integer or float.
template <typename R>
concept AtomicReference =
    AnyReference<R> && std::is_arithmetic_v<typename R::value_type> && !std::same_as<typename R::value_type, bool>;
template <typename R>
concept IntegerReference = AtomicReference<R> && std::integral<typename R::value_type>;
template <typename R>
concept FloatReference = AtomicReference<R> && std::floating_point<typename R::value_type>;

template <typename R>
inline constexpr bool kAtomicsMayRead = is_shared(R::kStorageClass) && R::kStorageClass != StorageClass::Uniform;
template <typename R>
inline constexpr bool kAtomicsMayWrite = kAtomicsMayRead<R>&& R::kWritable;

#define HEDDLE_ATOMIC_REFUSALS(REFUSAL)                                   \
  REFUSAL(atomic_load, AtomicReference, kAtomicsMayRead<R>)               \
  REFUSAL(atomic_store, AtomicReference, kAtomicsMayWrite<R>)             \
  REFUSAL(atomic_exchange, AtomicReference, kAtomicsMayWrite<R>)          \
  REFUSAL(atomic_compare_exchange, IntegerReference, kAtomicsMayWrite<R>) \
  REFUSAL(atomic_i_increment, IntegerReference, kAtomicsMayWrite<R>)      \
  REFUSAL(atomic_i_decrement, IntegerReference, kAtomicsMayWrite<R>)      \
  REFUSAL(atomic_i_add, IntegerReference, kAtomicsMayWrite<R>)            \
  REFUSAL(atomic_i_sub, IntegerReference, kAtomicsMayWrite<R>)            \
  REFUSAL(atomic_s_min, IntegerReference, kAtomicsMayWrite<R>)            \
  REFUSAL(atomic_u_min, IntegerReference, kAtomicsMayWrite<R>)            \
  REFUSAL(atomic_s_max, IntegerReference, kAtomicsMayWrite<R>)            \
  REFUSAL(atomic_u_max, IntegerReference, kAtomicsMayWrite<R>)            \
  REFUSAL(atomic_and, IntegerReference, kAtomicsMayWrite<R>)              \
  REFUSAL(atomic_or, IntegerReference, kAtomicsMayWrite<R>)               \
  REFUSAL(atomic_xor, IntegerReference, kAtomicsMayWrite<R>)              \
  REFUSAL(atomic_u_inc_wrap, IntegerReference, kAtomicsMayWrite<R>)       \
  REFUSAL(atomic_u_dec_wrap, IntegerReference, kAtomicsMayWrite<R>)       \
  REFUSAL(atomic_f_add_ext, FloatReference, kAtomicsMayWrite<R>)          \
  REFUSAL(atomic_f_min_ext, FloatReference, kAtomicsMayWrite<R>)          \
  REFUSAL(atomic_f_max_ext, FloatReference, kAtomicsMayWrite<R>)

/// `told`: for the native mode. What is wrong in both modes is told of that one alone.
template <bool told>
class Refusals;

#define HEDDLE_TAGS_BEHIND                                                                                 \
  "an instruction takes tags behind its operands or semantics (`kReleaseBuffers | tag(\"a:b\")`), and no " \
  "reference that has some"
#define HEDDLE_TAKES_IntegerReference                                                  \
  "a reference to an integer of 8 to 64 bits (atomic_f_add_ext, atomic_f_min_ext and " \
  "atomic_f_max_ext are those of floats)"
#define HEDDLE_TAKES_FloatReference                                                       \
  "a reference to a float or a double (atomic_i_add, atomic_s_min, atomic_u_min ... are " \
  "those of integers)"
#define HEDDLE_TAKES_AtomicReference "a reference to an integer or a float of at most 64 bits"
#define HEDDLE_ATOMIC_REFUSAL(function, Reference, condition)                                                      \
  template <typename R, typename... Rest>                                                                          \
  requires(!Reference<R>) __attribute__((unavailable(#function " takes " HEDDLE_TAKES_##Reference))) int function( \
      const R&, const Rest&...) {                                                                                  \
    return 0;                                                                                                      \
  }                                                                                                                \
  template <typename R, typename... Rest>                                                                          \
  requires(Reference<R> && TaggedReference<R>) __attribute__((unavailable(HEDDLE_TAGS_BEHIND))) int function(      \
      const R&, const Rest&...) {                                                                                  \
    return 0;                                                                                                      \
  }                                                                                                                \
  template <typename R, typename... Rest>                                                                          \
  requires(Reference<R> && !TaggedReference<R> && !(condition)) __attribute__((                                    \
      unavailable("this memory belongs to one invocation or is read-only here: it has no atomics"))) int           \
  function(const R&, const Rest&...) {                                                                             \
    return 0;                                                                                                      \
  }
template <>
class Refusals<true> {
 protected:
  HEDDLE_ATOMIC_REFUSALS(HEDDLE_ATOMIC_REFUSAL)
  template <typename R, typename... Rest>
  requires(TaggedReference<R>) __attribute__((unavailable(HEDDLE_TAGS_BEHIND))) int load(const R&, const Rest&...) {
    return 0;
  }
  template <typename R, typename... Rest>
  requires(TaggedReference<R>) __attribute__((unavailable(HEDDLE_TAGS_BEHIND))) int store(const R&, const Rest&...) {
    return 0;
  }
  template <typename R, typename... Rest>
  requires(!TaggedReference<R> && !R::kWritable)
      __attribute__((unavailable("this is read-only here, and may not be stored to"))) int store(const R&,
                                                                                                 const Rest&...) {
    return 0;
  }
};
#undef HEDDLE_ATOMIC_REFUSAL
#undef HEDDLE_TAKES_AtomicReference
#undef HEDDLE_TAKES_FloatReference
#undef HEDDLE_TAKES_IntegerReference
#undef HEDDLE_TAGS_BEHIND

#define HEDDLE_QUIET_REFUSAL(function, Reference, condition)                                             \
  template <typename R, typename... Rest>                                                                \
  requires(!(Reference<R> && !TaggedReference<R> && condition)) int function(const R&, const Rest&...) { \
    return 0;                                                                                            \
  }
template <>
class Refusals<false> {
 protected:
  HEDDLE_ATOMIC_REFUSALS(HEDDLE_QUIET_REFUSAL)
  HEDDLE_QUIET_REFUSAL(load, AnyReference, true)
  HEDDLE_QUIET_REFUSAL(store, AnyReference, R::kWritable)
};
#undef HEDDLE_QUIET_REFUSAL

}  // namespace heddle::detail
