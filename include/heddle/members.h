#pragma once

/// \file
/// Members by name: with
///
///     struct Body { vec3 position; float mass; };
///     HEDDLE_MEMBERS(Body, position, mass)
///
/// a kernel reads and writes `bodies[i].mass` and `bodies[i].position.x`, each an access to that member's bytes alone,
/// instead of `bodies[i].at(&Body::mass)`. To be said outside of every namespace, once for a struct, with up to 16
/// members; those that are not named remain to be reached by `at`. Vectors have theirs without it.

#include <heddle/reference.h>

// Does something to each of up to 16 arguments, each with the struct.
#define HEDDLE_FOR_1(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_2(f, s, __VA_ARGS__))
#define HEDDLE_FOR_2(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_3(f, s, __VA_ARGS__))
#define HEDDLE_FOR_3(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_4(f, s, __VA_ARGS__))
#define HEDDLE_FOR_4(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_5(f, s, __VA_ARGS__))
#define HEDDLE_FOR_5(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_6(f, s, __VA_ARGS__))
#define HEDDLE_FOR_6(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_7(f, s, __VA_ARGS__))
#define HEDDLE_FOR_7(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_8(f, s, __VA_ARGS__))
#define HEDDLE_FOR_8(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_9(f, s, __VA_ARGS__))
#define HEDDLE_FOR_9(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_10(f, s, __VA_ARGS__))
#define HEDDLE_FOR_10(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_11(f, s, __VA_ARGS__))
#define HEDDLE_FOR_11(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_12(f, s, __VA_ARGS__))
#define HEDDLE_FOR_12(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_13(f, s, __VA_ARGS__))
#define HEDDLE_FOR_13(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_14(f, s, __VA_ARGS__))
#define HEDDLE_FOR_14(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_15(f, s, __VA_ARGS__))
#define HEDDLE_FOR_15(f, s, a, ...) f(s, a) __VA_OPT__(HEDDLE_FOR_16(f, s, __VA_ARGS__))
#define HEDDLE_FOR_16(f, s, a) f(s, a)

#define HEDDLE_MEMBER(Struct, member) MemberAt<Ref, path..., &::Struct::member> member;

/// Names the members of a struct for references to it.
#define HEDDLE_MEMBERS(Struct, ...)                       \
  template <typename Ref, auto... path>                   \
  struct heddle::detail::Fields<Ref, ::Struct, path...> { \
    HEDDLE_FIELDS_OF_ONE                                  \
    union {                                               \
      Whole<Ref> whole_;                                  \
      HEDDLE_FOR_1(HEDDLE_MEMBER, Struct, __VA_ARGS__)    \
    };                                                    \
  };
