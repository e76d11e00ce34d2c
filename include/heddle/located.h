#pragma once

/// \file
/// Values that know where they were written.

#include <heddle/source_location.h>

#include <concepts>
#include <type_traits>
#include <utility>

namespace heddle {

namespace detail {

/// A reference that has no place of its own (a scalar in Workgroup memory): `located(where)` is one that has.
template <typename R>
concept UnplacedReference = requires(const std::remove_cvref_t<R>& r, SourceLocation where) {
  typename std::remove_cvref_t<R>::Unplaced;
  r.located(where).load();
};

/// A member, which has a place of its own if the whole has.
template <typename R>
concept PerhapsUnplacedReference = requires(const std::remove_cvref_t<R>& r, SourceLocation where) {
  r.load_used_at(where);
};

/// What a reference reads as: at that place, if it has none of its own.
template <typename R>
constexpr auto load_at(const R& r, [[maybe_unused]] const SourceLocation& where) {
  if constexpr (UnplacedReference<R>) {
    return r.located(where).load();
  } else if constexpr (PerhapsUnplacedReference<R>) {
    return r.load_used_at(where);
  } else {
    return r.load();
  }
}

/// What `v` reads as, at that place.
template <typename T, typename U>
constexpr T read_at(U&& v, [[maybe_unused]] const SourceLocation& where) {
  if constexpr (UnplacedReference<U> || PerhapsUnplacedReference<U>) {
    return static_cast<T>(load_at(v, where));
  } else {
    return static_cast<T>(std::forward<U>(v));
  }
}

}  // namespace detail

/// A value, and the place in the source where it was given. As a parameter of a function that kernels call it makes
/// what the function does be reported at the line of the caller:
///
///     const auto count = [&](Located<std::uint32_t> key) { bins[key] += 1; };
///     count(keys[i]);  // a race of `bins` names this line
template <typename T>
class Located {
 public:
  using value_type = T;

  constexpr Located(SourceLocation here = SourceLocation::current()) : value_{}, where_(here) {}
  template <typename U>
  requires(std::is_convertible_v<U&&, T> && !std::same_as<std::remove_cvref_t<U>, Located>) constexpr Located(
      U&& v, SourceLocation here = SourceLocation::current())
      : value_(detail::read_at<T>(std::forward<U>(v), here)), where_(here) {}
  /// The parts of a vector or a struct: `{x, y}`.
  template <typename A, typename B>
  requires requires(A a, B b) { T{a, b}; }
  constexpr Located(A a, B b, SourceLocation here = SourceLocation::current()) : value_{a, b}, where_(here) {}
  template <typename A, typename B, typename C>
  requires requires(A a, B b, C c) { T{a, b, c}; }
  constexpr Located(A a, B b, C c, SourceLocation here = SourceLocation::current()) : value_{a, b, c}, where_(here) {}
  template <typename A, typename B, typename C, typename D>
  requires requires(A a, B b, C c, D d) { T{a, b, c, d}; }
  constexpr Located(A a, B b, C c, D d, SourceLocation here = SourceLocation::current())
      : value_{a, b, c, d}, where_(here) {}

  constexpr operator T() const { return value_; }
  constexpr T load() const { return value_; }
  constexpr const SourceLocation& where() const { return where_; }

 private:
  T value_;
  SourceLocation where_;
};

namespace detail {

/// Where an index was written.
template <typename E>
constexpr SourceLocation written_at(const E& e, const SourceLocation& here) {
  if constexpr (UnplacedReference<E>) {
    return here;
  } else if constexpr (requires {
                         { e.where() } -> std::convertible_to<SourceLocation>;
                       }) {
    return e.where();
  } else {
    return here;
  }
}

}  // namespace detail

}  // namespace heddle
