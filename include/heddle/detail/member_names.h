#pragma once

/// \file
/// The members of a struct, by name and place, without a macro: reports name the member of an element that was
/// accessed.
///
/// Aggregates of up to 16 members have names that are found like this: as many `{}` as initialize the aggregate are its
/// members; a structured binding has them; the compiler spells the name of each in `__PRETTY_FUNCTION__` of a template
/// that has its address as an argument (GCC 12, Clang 14). Structs with bases, with members that are unions, or with
/// bytes that no member has by the rules of alignment (bit-fields, `alignas` members) have no names.

#include <heddle/detail/language.h>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace heddle {

/// False for a struct of which the members cannot be named: specialize it for one that does not compile in a buffer.
template <typename T>
inline constexpr bool kHasNamedMembers = true;

}  // namespace heddle

namespace heddle::detail {

/// An object of which only the places of its members are asked.
template <typename T>
union Example {
  constexpr Example() : none() {}
  char none;
  T value;
};
template <typename T>
inline constinit Example<T> kExample{};

template <typename Pointer>
struct MemberAddress {
  Pointer pointer;
};
template <auto address>
consteval std::string_view spelled() {
  return __PRETTY_FUNCTION__;
}
// "... {(& kExample<S>.S::name)} ..." or "... {&kExample.value.name}]".
constexpr std::string_view last_name(std::string_view text) {
  const auto is_of_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  std::size_t end = text.rfind('}');
  while (end != 0 && !is_of_name(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin != 0 && is_of_name(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

/// Initializes a union, and nothing else.
struct AnyUnion {
  template <typename U>
  requires std::is_union_v<U>
  operator U() const;
};
/// Initializes a base of `T`, and nothing else.
template <typename T>
struct AnyBase {
  template <typename U>
  requires(std::is_base_of_v<U, T> && !std::is_same_v<U, T>) operator U() const;
};

template <typename... Types>
struct TypeList {};

template <std::size_t index, typename First, typename... Rest>
constexpr auto address_of_member(First& first, Rest&... rest) {
  if constexpr (index == 0) {
    return MemberAddress<First*>{&first};
  } else {
    return address_of_member<index - 1>(rest...);
  }
}

/// The members of an aggregate that has `count` of them.
template <typename T, std::size_t count>
struct AggregateFields;

// Describes an aggregate whose members before the last one are initialized by `initializers`; the names are those of a
// structured binding. (Types are asked for first: a bit-field has no address.)
#define HEDDLE_FIELDS(count, initializers, names, types)                                       \
  template <typename T>                                                                        \
  struct AggregateFields<T, count> {                                                           \
    static constexpr bool kFits = requires { T{HEDDLE_LIST initializers{}}; };                 \
    static constexpr bool kLastIsUnion = requires { T{HEDDLE_LIST initializers AnyUnion{}}; }; \
    static constexpr auto member_types() {                                                     \
      [[maybe_unused]] auto& [HEDDLE_LIST names] = kExample<T>.value;                          \
      return TypeList<HEDDLE_LIST types>{};                                                    \
    }                                                                                          \
    template <std::size_t index>                                                               \
    static constexpr auto address() {                                                          \
      auto& [HEDDLE_LIST names] = kExample<T>.value;                                           \
      return address_of_member<index>(HEDDLE_LIST names);                                      \
    }                                                                                          \
  };
#define HEDDLE_LIST(...) __VA_ARGS__
HEDDLE_FIELDS(1, (), (a), (decltype(a)))
HEDDLE_FIELDS(2, ({}, ), (a, b), (decltype(a), decltype(b)))
HEDDLE_FIELDS(3, ({}, {}, ), (a, b, c), (decltype(a), decltype(b), decltype(c)))
HEDDLE_FIELDS(4, ({}, {}, {}, ), (a, b, c, d), (decltype(a), decltype(b), decltype(c), decltype(d)))
HEDDLE_FIELDS(5, ({}, {}, {}, {}, ), (a, b, c, d, e), (decltype(a), decltype(b), decltype(c), decltype(d), decltype(e)))
HEDDLE_FIELDS(6, ({}, {}, {}, {}, {}, ), (a, b, c, d, e, f),
              (decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f)))
HEDDLE_FIELDS(7, ({}, {}, {}, {}, {}, {}, ), (a, b, c, d, e, f, g),
              (decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g)))
HEDDLE_FIELDS(8, ({}, {}, {}, {}, {}, {}, {}, ), (a, b, c, d, e, f, g, h),
              (decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h)))
HEDDLE_FIELDS(9, ({}, {}, {}, {}, {}, {}, {}, {}, ), (a, b, c, d, e, f, g, h, i),
              (decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h),
               decltype(i)))
HEDDLE_FIELDS(10, ({}, {}, {}, {}, {}, {}, {}, {}, {}, ), (a, b, c, d, e, f, g, h, i, j),
              (decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h),
               decltype(i), decltype(j)))
HEDDLE_FIELDS(11, ({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, ), (a, b, c, d, e, f, g, h, i, j, k),
              (decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h),
               decltype(i), decltype(j), decltype(k)))
HEDDLE_FIELDS(12, ({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, ), (a, b, c, d, e, f, g, h, i, j, k, l),
              (decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h),
               decltype(i), decltype(j), decltype(k), decltype(l)))
HEDDLE_FIELDS(13, ({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, ), (a, b, c, d, e, f, g, h, i, j, k, l, m),
              (decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h),
               decltype(i), decltype(j), decltype(k), decltype(l), decltype(m)))
HEDDLE_FIELDS(14, ({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, ), (a, b, c, d, e, f, g, h, i, j, k, l, m, n),
              (decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h),
               decltype(i), decltype(j), decltype(k), decltype(l), decltype(m), decltype(n)))
HEDDLE_FIELDS(15, ({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, ),
              (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o),
              (decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h),
               decltype(i), decltype(j), decltype(k), decltype(l), decltype(m), decltype(n), decltype(o)))
HEDDLE_FIELDS(16, ({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, ),
              (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p),
              (decltype(a), decltype(b), decltype(c), decltype(d), decltype(e), decltype(f), decltype(g), decltype(h),
               decltype(i), decltype(j), decltype(k), decltype(l), decltype(m), decltype(n), decltype(o), decltype(p)))
#undef HEDDLE_LIST
#undef HEDDLE_FIELDS

inline constexpr std::size_t kMostMembers = 16;

// How many members the aggregate has; 0 if it has more than can be told, or if one of them is a union.
template <typename T, std::size_t count = 1>
consteval std::size_t aggregate_members() {
  if constexpr (AggregateFields<T, count>::kLastIsUnion || !AggregateFields<T, count>::kFits) {
    return 0;
  } else if constexpr (count == kMostMembers) {
    return 0;
  } else if constexpr (AggregateFields<T, count + 1>::kFits) {
    return aggregate_members<T, count + 1>();
  } else {
    return count;
  }
}

// Whether members of these types, each aligned, leave no byte of a `T` to something else.
template <typename T, typename... Types>
consteval bool have_all_bytes(TypeList<Types...>) {
  std::size_t end = 0;
  const auto align = [&](std::size_t to) { end = (end + to - 1) / to * to; };
  ((align(alignof(Types)), end += sizeof(Types)), ...);
  align(alignof(T));
  return end == sizeof(T);
}

template <typename T>
consteval std::size_t named_members() {
  if constexpr (!kHasNamedMembers<T> || !std::is_class_v<T> || !std::is_aggregate_v<T> || std::is_empty_v<T> ||
                !std::is_trivially_destructible_v<T>) {
    return 0;
  } else if constexpr (requires { T{AnyBase<T>{}}; }) {
    return 0;
  } else if constexpr (aggregate_members<T>() == 0) {
    return 0;
  } else {
    constexpr std::size_t count = aggregate_members<T>();
    return have_all_bytes<T>(AggregateFields<T, count>::member_types()) ? count : 0;
  }
}

/// How many members of a `T` can be named; 0 of what is no such aggregate.
template <typename T>
inline constexpr std::size_t kNamedMembers = named_members<T>();

/// A member, by its number.
template <typename T, std::size_t index>
struct NamedMember {
  static constexpr auto kAddress = AggregateFields<T, kNamedMembers<T>>::template address<index>();
  using Type = std::remove_cvref_t<decltype(*kAddress.pointer)>;
  static constexpr std::string_view kName = last_name(spelled<kAddress>());
  static std::size_t offset_bytes() {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(kAddress.pointer) -
                                    reinterpret_cast<const char*>(&kExample<T>));
  }
};

}  // namespace heddle::detail
