#pragma once

/// \file
/// References to memory, as a kernel sees them, in every mode: what they offer, and the concepts
/// that a kernel writes in its parameter list (`StorageBuffer<const float> auto in`).

#include <heddle/detail/members.h>
#include <heddle/detail/operand_types.h>
#include <heddle/float16.h>
#include <heddle/located.h>
#include <heddle/source_location.h>
#include <heddle/spirv.h>
#include <heddle/vector.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace heddle {

namespace detail {

/// A reference that reads as an integer.
template <typename E>
concept IntegerElement = std::integral<typename std::remove_cvref_t<E>::value_type> &&
    requires(const std::remove_cvref_t<E>& e) {
  e.load();
};

/// An index and where it was written, so that a finding can name the line.
struct Index {
  template <std::integral I>
  constexpr Index(I i, SourceLocation here = SourceLocation::current())
      : value(static_cast<std::uint64_t>(i)), where(here) {}
  /// An element of another buffer: `bins[keys[i]]`.
  template <IntegerElement E>
  constexpr Index(E&& e, SourceLocation here = SourceLocation::current())
      : value(static_cast<std::uint64_t>(load_at(e, here))), where(written_at(e, here)) {}
  std::uint64_t value;
  SourceLocation where;
};

}  // namespace detail

/// How the plain accesses through a reference behave (`x[i] = v`): GLSL's memory qualifiers.
/// Private is the default, except in Workgroup memory, which GLSL makes coherent in the workgroup.
struct Qualifiers {
  bool non_private = false;
  /// Loads make visible from, stores make available to, the domain of `scope`.
  bool coherent = false;
  bool is_volatile = false;
  Scope scope = Scope::Invocation;
  friend bool operator==(const Qualifiers&, const Qualifiers&) = default;
};

/// What a Workgroup variable holds when its workgroup begins.
enum class InitialValue : std::uint8_t {
  /// Nothing that may be read: emulated mode reports reads of what was never written.
  Undefined,
  /// Zeros, written before any invocation of the workgroup begins, as in WGSL and with
  /// VK_KHR_zero_initialize_workgroup_memory.
  Zero,
};

/// The qualifiers that GLSL gives to memory of a storage class.
constexpr Qualifiers default_qualifiers(StorageClass storage_class) {
  if (storage_class != StorageClass::Workgroup) return {};
  return {.non_private = true, .coherent = true, .scope = Scope::Workgroup};
}

namespace detail {

template <typename T>
using ElementOf = std::remove_extent_t<T>;

// What a compiler says of a reference that is used as it may not be.
#define HEDDLE_IS_READ_ONLY                                                                                           \
  "this is read-only here: a kernel that writes takes `StorageBuffer<T>`, without const, and is given a buffer that " \
  "is not `read_only`"
#define HEDDLE_IS_KEPT                                                                                            \
  "this `auto` is a reference, and no value: write the type of the value, as in `const float v = x[i]`; to keep " \
  "the reference, `auto v = reference_to(x[i])`"

/// What nothing is. A member whose type is this where it has no meaning is never called; a constraint would say so,
/// too, but GCC, once it has found a mistake in a kernel, takes constraints for satisfied and reports a second one.
struct Never {
  Never() = delete;
};
/// What a float16 converts to, beside itself.
template <typename T>
using ComputedAs = std::conditional_t<std::same_as<T, float16>, float, Never>;

/// The operators that make a reference read like a variable. `self()` has `load()` and `store(v)`, and `converted()` is
/// what a conversion reads.
/// They take an rvalue where a reference was made on the spot (`x[i] += 1`), so that
/// `auto v = x[i]; use(v + 1);`, which would read memory later than it says, does not compile.
#define HEDDLE_REFERENCE_READS(qualifier)                                              \
  [[gnu::always_inline]] constexpr operator value_type() const qualifier {             \
    return converted();                                                                \
  }                                                                                    \
  /** A float16 is for storage: what is computed with is its float. */                 \
  [[gnu::always_inline]] constexpr operator ComputedAs<value_type>() const qualifier { \
    return converted();                                                                \
  }
#define HEDDLE_REFERENCE_OPERATORS(qualifier)                                                                     \
  HEDDLE_REFERENCE_READS(qualifier)                                                                               \
  [[gnu::always_inline]] constexpr value_type operator=(const value_type& v) const qualifier requires kWritable { \
    self().store(v);                                                                                              \
    return v;                                                                                                     \
  }                                                                                                               \
  /** A variable of the kernel that is volatile: no reference to what is not binds to it. */                      \
  [[gnu::always_inline]] constexpr value_type operator=(const volatile value_type& v)                             \
      const qualifier requires(kWritable && std::is_scalar_v<value_type>) {                                       \
    const value_type once = v;                                                                                    \
    self().store(once);                                                                                           \
    return once;                                                                                                  \
  }                                                                                                               \
  HEDDLE_REFERENCE_ASSIGNMENT(+, as_operand, qualifier)                                                           \
  HEDDLE_REFERENCE_ASSIGNMENT(-, as_operand, qualifier)                                                           \
  HEDDLE_REFERENCE_ASSIGNMENT(*, as_operand, qualifier)                                                           \
  HEDDLE_REFERENCE_ASSIGNMENT(/, as_operand, qualifier)                                                           \
  HEDDLE_REFERENCE_ASSIGNMENT(%, as_operand, qualifier)                                                           \
  HEDDLE_REFERENCE_ASSIGNMENT(&, as_operand, qualifier)                                                           \
  HEDDLE_REFERENCE_ASSIGNMENT(|, as_operand, qualifier)                                                           \
  HEDDLE_REFERENCE_ASSIGNMENT(^, as_operand, qualifier)                                                           \
  HEDDLE_REFERENCE_ASSIGNMENT(<<, as_shift_operand, qualifier)                                                    \
  HEDDLE_REFERENCE_ASSIGNMENT(>>, as_shift_operand, qualifier)                                                    \
  [[gnu::always_inline]] constexpr value_type operator++() const qualifier requires kWritable {                   \
    return store_back(static_cast<value_type>(self().load() + 1));                                                \
  }                                                                                                               \
  [[gnu::always_inline]] constexpr value_type operator--() const qualifier requires kWritable {                   \
    return store_back(static_cast<value_type>(self().load() - 1));                                                \
  }                                                                                                               \
  [[gnu::always_inline]] constexpr value_type operator++(int) const qualifier requires kWritable {                \
    const value_type old = self().load();                                                                         \
    self().store(static_cast<value_type>(old + 1));                                                               \
    return old;                                                                                                   \
  }                                                                                                               \
  [[gnu::always_inline]] constexpr value_type operator--(int) const qualifier requires kWritable {                \
    const value_type old = self().load();                                                                         \
    self().store(static_cast<value_type>(old - 1));                                                               \
    return old;                                                                                                   \
  }

#define HEDDLE_REFERENCE_ASSIGNMENT(op, operand, qualifier)                                                           \
  template <typename U>                                                                                               \
  [[gnu::always_inline]] constexpr value_type operator op##=(U&& v) const qualifier requires kWritable {              \
    return store_back(static_cast<value_type>(operand<U>(self().load()) op operand<value_type>(std::forward<U>(v)))); \
  }

template <typename Ref, typename... Hint>
class Element;
/// The plain reference that an element is made on. Below.
template <typename R, typename... Hint>
constexpr const R& plain_of(const Element<R, Hint...>& element);

/// The member that pointers to members lead to, one after the other.
template <typename R, typename M, typename... Rest>
constexpr auto along(const R& ref, M first, Rest... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return ref.at(first);
  } else {
    return along(ref.at(first), rest...);
  }
}

/// A reference to a member, as a view of the whole (heddle/detail/members.h). It cannot be copied: `auto v = z[i].x;`,
/// which would read memory later than it says, does not compile.
template <typename Ref, typename T, auto... path>
class Member : public std::conditional_t<kHasFields<Ref, T>, Fields<Ref, T, path...>, Whole<Ref>> {
 public:
  using value_type = T;
  static constexpr StorageClass kStorageClass = Ref::kStorageClass;
  static constexpr bool kWritable = Ref::kWritable;
  __attribute__((unavailable(HEDDLE_IS_KEPT))) Member(const Member&) requires kTellsMistakes<Ref>;
  Member(const Member&) requires(!kTellsMistakes<Ref>);

  constexpr auto reference() const { return along(this->whole(), path...); }
  constexpr value_type load() const { return reference().load(); }
  constexpr void store(const value_type& v) const { reference().store(v); }
  template <typename S, typename M>
  requires std::same_as<S, value_type>
  constexpr auto at(M S::*member) const { return reference().at(member); }
  auto place() const { return reference().place(); }
  auto* memory() const requires kTellsMistakes<Ref> { return reference().memory(); }
  constexpr auto with(const Tags& tags, const SourceLocation& here = SourceLocation::current()) const {
    return reference().with(tags, here);
  }
  /// What it reads as, at that place if it is a member of a variable.
  constexpr value_type load_used_at(const SourceLocation& where) const {
    return plain_of(reference()).used_at(where).load();
  }
  HEDDLE_REFERENCE_OPERATORS(&)
  template <typename V, typename E = Member>
  requires(!E::kWritable && kTellsMistakes<Ref>) __attribute__((unavailable(HEDDLE_IS_READ_ONLY))) value_type operator=(
      const V&) const&;
  template <typename V, typename E = Member>
  requires(!E::kWritable && !kTellsMistakes<Ref>) value_type operator=(const V&) const&;
  [[gnu::always_inline]] constexpr value_type operator=(const Member& other) const& requires kWritable {
    const value_type v = other.converted();
    self().store(v);
    return v;
  }

 private:
  /// The member; if it is a variable's, as accessed by the code that this is inlined into.
  [[gnu::always_inline]] constexpr auto self() const { return plain_of(reference()).used_here(); }
  [[gnu::always_inline]] constexpr value_type converted() const { return self().load(); }
  [[gnu::always_inline]] constexpr value_type store_back(const value_type& v) const {
    self().store(v);
    return v;
  }
};
/// A member that is an array.
template <typename Ref, typename T, auto... path>
requires std::is_array_v<T>
class Member<Ref, T, path...> : public Whole<Ref> {
 public:
  __attribute__((unavailable(HEDDLE_IS_KEPT))) Member(const Member&) requires kTellsMistakes<Ref>;
  Member(const Member&) requires(!kTellsMistakes<Ref>);
  constexpr auto operator[](Index i) const { return array()[i]; }
  constexpr auto array() const { return along(this->whole(), path...); }
  constexpr std::uint64_t size() const { return array().size(); }
};

/// A variable and where it is changed, for operators that have no operand.
template <typename Ref>
struct VariableHere {
  template <typename V>
  requires requires(const V& v, SourceLocation where) {
    typename V::Unplaced;
    { v.located(where) } -> std::convertible_to<Ref>;
  }
  constexpr VariableHere(const V& variable, SourceLocation here = SourceLocation::current())
      : ref(variable.located(here)) {}
  Ref ref;
};

/// What values of type `T` compute as.
template <typename T>
struct PromotedOf {
  using type = T;
};
template <typename T>
requires std::is_arithmetic_v<T>
struct PromotedOf<T> {
  using type = decltype(+T{});
};
template <>
struct PromotedOf<float16> {
  using type = float;
};
template <typename T>
using Promoted = typename PromotedOf<T>::type;

/// Whether `T op U` computes as `T op T` does.
template <typename U, typename T>
concept ComputesAs = std::same_as<typename ReadAs<U>::type, T> ||
    (std::is_arithmetic_v<T>&& std::is_arithmetic_v<typename ReadAs<U>::type>&& requires(T t,
                                                                                         typename ReadAs<U>::type u) {
      requires std::same_as<decltype(true ? t : u), T>;
    });

/// A reference to one `T` that has a name (a Workgroup variable): reads and writes like the variable. What assigns to
/// it tells its own place; a conversion has the address of its code, of which reports find the place. `Ref` is the
/// mode's plain reference.
template <typename Ref, typename... Hint>
class Variable : public ReferenceBase<Ref> {
  using Base = ReferenceBase<Ref>;

 public:
  using value_type = typename Ref::value_type;
  using Unplaced = void;
  static constexpr bool kWritable = Ref::kWritable;
  constexpr explicit Variable(const Ref& ref) : Base(ref.declared()) {}
  Variable(const Variable&) = default;
  HEDDLE_REFERENCE_READS(&)
  template <typename V, typename E = Variable>
  requires(!E::kWritable && kTellsMistakes<Ref>) __attribute__((unavailable(HEDDLE_IS_READ_ONLY))) value_type operator=(
      const V&) const&;
  template <typename V, typename E = Variable>
  requires(!E::kWritable && !kTellsMistakes<Ref>) value_type operator=(const V&) const&;
  [[gnu::always_inline]] constexpr value_type operator=(const Located<value_type>& v) const& requires kWritable {
    self().located(v.where()).store(v);
    return v;
  }
  [[gnu::always_inline]] constexpr value_type operator=(const Variable& other) const& requires kWritable {
    const value_type v = other.converted();
    self().here().store(v);
    return v;
  }
#define HEDDLE_VARIABLE_ASSIGNMENT(op, operand)                                                                    \
  [[gnu::always_inline]] constexpr value_type operator op##=(const Located<Promoted<value_type>>& v) const &       \
      requires kWritable {                                                                                         \
    const Ref here = self().located(v.where());                                                                    \
    const auto made = static_cast<value_type>(here.load() op v.load());                                            \
    here.store(made);                                                                                              \
    return made;                                                                                                   \
  }                                                                                                                \
  template <typename U>                                                                                            \
  requires(kWritable && !ComputesAs<U, Promoted<value_type>>) [[gnu::always_inline]] constexpr value_type          \
  operator op##=(U&& v) const& {                                                                                   \
    const Ref here = self().here();                                                                                \
    const auto made = static_cast<value_type>(operand<U>(here.load()) op operand<value_type>(std::forward<U>(v))); \
    here.store(made);                                                                                              \
    return made;                                                                                                   \
  }
  HEDDLE_VARIABLE_ASSIGNMENT(+, as_operand)
  HEDDLE_VARIABLE_ASSIGNMENT(-, as_operand)
  HEDDLE_VARIABLE_ASSIGNMENT(*, as_operand)
  HEDDLE_VARIABLE_ASSIGNMENT(/, as_operand)
  HEDDLE_VARIABLE_ASSIGNMENT(%, as_operand)
  HEDDLE_VARIABLE_ASSIGNMENT(&, as_operand)
  HEDDLE_VARIABLE_ASSIGNMENT(|, as_operand)
  HEDDLE_VARIABLE_ASSIGNMENT(^, as_operand)
  HEDDLE_VARIABLE_ASSIGNMENT(<<, as_shift_operand)
  HEDDLE_VARIABLE_ASSIGNMENT(>>, as_shift_operand)
#undef HEDDLE_VARIABLE_ASSIGNMENT
#define HEDDLE_VARIABLE_STEP(op, step)                                                          \
  friend constexpr value_type operator op(const VariableHere<Ref>& v) requires kWritable {      \
    const auto made = static_cast<value_type>(v.ref.load() step 1);                             \
    v.ref.store(made);                                                                          \
    return made;                                                                                \
  }                                                                                             \
  friend constexpr value_type operator op(const VariableHere<Ref>& v, int) requires kWritable { \
    const value_type old = v.ref.load();                                                        \
    v.ref.store(static_cast<value_type>(old step 1));                                           \
    return old;                                                                                 \
  }
  HEDDLE_VARIABLE_STEP(++, +)
  HEDDLE_VARIABLE_STEP(--, -)
#undef HEDDLE_VARIABLE_STEP

 private:
  constexpr const Base& self() const {
    return *this;
  }
  [[gnu::always_inline]] constexpr value_type converted() const {
    return self().here().load();
  }
};

/// A reference to one `T` that was made on the spot by an index or a member.
template <typename Ref, typename... Hint>
class Element : public ReferenceBase<Ref> {
  using Base = ReferenceBase<Ref>;

 public:
  using value_type = typename Ref::value_type;
  static constexpr bool kWritable = Ref::kWritable;
  static constexpr bool kTold = kTellsMistakes<Ref>;
  constexpr explicit Element(const Ref& ref) : Base(ref) {}
  using Base::Base;
  Element(const Element&) = default;
  HEDDLE_REFERENCE_OPERATORS(&&)
  __attribute__((unavailable(HEDDLE_IS_KEPT))) operator value_type() const& requires kTold;
  __attribute__((unavailable(HEDDLE_IS_KEPT))) operator ComputedAs<value_type>() const& requires kTold;
  operator value_type() const volatile& requires(!kTold);
  operator ComputedAs<value_type>() const volatile& requires(!kTold);
  // Constraints that depend on the template's own parameters: GCC, once it has found a mistake in a kernel, takes
  // others for satisfied.
  template <typename V, typename E = Element>
  requires(E::kWritable&& E::kTold) __attribute__((unavailable(HEDDLE_IS_KEPT))) value_type operator=(const V&) &;
  template <typename V, typename E = Element>
  requires(!E::kWritable && E::kTold) __attribute__((unavailable(HEDDLE_IS_READ_ONLY))) value_type operator=(
      const V&) const&&;
  template <typename V, typename E = Element>
  requires(E::kWritable && !E::kTold) value_type operator=(const V&) &;
  template <typename V, typename E = Element>
  requires(!E::kWritable && !E::kTold) value_type operator=(const V&) const&&;
  /// A scalar in Workgroup memory, which is read at the place of the element.
  template <UnplacedReference R>
  constexpr value_type operator=(R&& other) const&& requires kWritable {
    const value_type v = read_at<value_type>(other, self().where());
    self().store(v);
    return v;
  }
  constexpr value_type operator=(const Element& other) const&& requires kWritable {
    const value_type v = other.load();
    self().store(v);
    return v;
  }

 private:
  constexpr const Base& self() const { return *this; }
  [[gnu::always_inline]] constexpr value_type converted() const { return self().load(); }
  constexpr value_type store_back(const value_type& v) const {
    self().store(v);
    return v;
  }
};

/// What may be read and not written.
template <typename R, bool told>
concept ReadOnlyReference = requires(const R& ref) {
  typename R::value_type;
  { R::kWritable } -> std::convertible_to<bool>;
  requires !R::kWritable && kTellsMistakes<R> == told;
};
template <typename Ref, bool told>
concept KeptReference = kTellsMistakes<Ref>
== told;
#define HEDDLE_REFUSED_OPERATOR(op, Operand, ...)                                                 \
  template <ReadOnlyReference<true> R __VA_OPT__(, ) __VA_ARGS__>                                 \
  __attribute__((unavailable(HEDDLE_IS_READ_ONLY))) void operator op(const R&, Operand);          \
  template <ReadOnlyReference<false> R __VA_OPT__(, ) __VA_ARGS__>                                \
  void operator op(const R&, Operand);                                                            \
  template <KeptReference<true> Ref, typename... Hint __VA_OPT__(, ) __VA_ARGS__>                 \
  __attribute__((unavailable(HEDDLE_IS_KEPT))) void operator op(Element<Ref, Hint...>&, Operand); \
  template <KeptReference<false> Ref, typename... Hint __VA_OPT__(, ) __VA_ARGS__>                \
  void operator op(Element<Ref, Hint...>&, Operand);
HEDDLE_REFUSED_OPERATOR(+=, const U&, typename U)
HEDDLE_REFUSED_OPERATOR(-=, const U&, typename U)
HEDDLE_REFUSED_OPERATOR(*=, const U&, typename U)
HEDDLE_REFUSED_OPERATOR(/=, const U&, typename U)
HEDDLE_REFUSED_OPERATOR(%=, const U&, typename U)
HEDDLE_REFUSED_OPERATOR(&=, const U&, typename U)
HEDDLE_REFUSED_OPERATOR(|=, const U&, typename U)
HEDDLE_REFUSED_OPERATOR(^=, const U&, typename U)
HEDDLE_REFUSED_OPERATOR(<<=, const U&, typename U)
HEDDLE_REFUSED_OPERATOR(>>=, const U&, typename U)
HEDDLE_REFUSED_OPERATOR(++, int)
HEDDLE_REFUSED_OPERATOR(--, int)
#undef HEDDLE_REFUSED_OPERATOR
#define HEDDLE_REFUSED_STEP(op)                                                          \
  template <ReadOnlyReference<true> R>                                                   \
  __attribute__((unavailable(HEDDLE_IS_READ_ONLY))) void operator op(const R&);          \
  template <ReadOnlyReference<false> R>                                                  \
  void operator op(const R&);                                                            \
  template <KeptReference<true> Ref, typename... Hint>                                   \
  __attribute__((unavailable(HEDDLE_IS_KEPT))) void operator op(Element<Ref, Hint...>&); \
  template <KeptReference<false> Ref, typename... Hint>                                  \
  void operator op(Element<Ref, Hint...>&);
HEDDLE_REFUSED_STEP(++)
HEDDLE_REFUSED_STEP(--)
#undef HEDDLE_REFUSED_STEP

/// What a type says of a reference to a struct, in the messages of compilers.
struct its_members_have_names_with_HEDDLE_MEMBERS;

template <template <typename, typename...> typename Reference, typename Ref>
using WithHint =
    typename std::conditional_t<std::is_class_v<typename Ref::value_type> &&
                                    !std::same_as<typename Ref::value_type, float16> &&
                                    !kHasFields<Ref, typename Ref::value_type>,
                                std::type_identity<Reference<Ref, its_members_have_names_with_HEDDLE_MEMBERS>>,
                                std::type_identity<Reference<Ref>>>::type;
template <typename Ref>
using ElementFor = WithHint<Element, Ref>;
template <typename Ref>
using VariableFor = WithHint<Variable, Ref>;

/// The plain reference that an element is made on.
template <typename R>
constexpr const R& whole_of(const ReferenceBase<R>& element) {
  if constexpr (requires { element.whole(); }) {
    return element.whole();
  } else {
    return element;
  }
}

template <typename R, typename... Hint>
constexpr const R& plain_of(const Element<R, Hint...>& element) {
  return whole_of<R>(element);
}

#undef HEDDLE_REFERENCE_OPERATORS
#undef HEDDLE_IS_READ_ONLY
#undef HEDDLE_IS_KEPT
#undef HEDDLE_REFERENCE_READS
#undef HEDDLE_REFERENCE_ASSIGNMENT

template <typename R>
concept AnyReference = requires {
  typename R::value_type;
  { R::kStorageClass } -> std::convertible_to<StorageClass>;
};

template <typename A, typename T, StorageClass storage_class>
concept ArrayOf = requires(const A& a) {
  typename A::element_type;
  requires A::kStorageClass == storage_class;
  requires std::same_as<std::remove_const_t<typename A::element_type>, std::remove_const_t<T>>;
  requires std::is_const_v<T>
  == std::is_const_v<typename A::element_type>;
  a[0];
  { a.size() } -> std::convertible_to<std::uint64_t>;
};

}  // namespace detail

/// An array of `T` in a storage buffer: `x[i]` reads and writes, `x.size()` elements.
/// `StorageBuffer<const T>` can only be read: a dispatch hands a buffer to it as a read-only one, and within kernels
/// `read_only(array)` does (heddle/views.h).
template <typename A, typename T>
concept StorageBuffer = detail::ArrayOf<A, T, StorageClass::StorageBuffer>;

/// An array of `T` in a uniform buffer: read only.
template <typename A, typename T>
concept Uniform = detail::ArrayOf<A, const T, StorageClass::Uniform>;

/// One `T` that the dispatch was given by value: `c.load()`, `c.at(&T::member)`.
template <typename A, typename T>
concept PushConstant =
    detail::AnyReference<A> && A::kStorageClass == StorageClass::PushConstant&& std::same_as<typename A::value_type, T>;

/// The shapes of images. Arrays have their layer as the last coordinate.
enum class ImageDim : std::uint8_t { Dim1D, Dim2D, Dim3D, Dim1DArray, Dim2DArray };

/// How many coordinates a texel has.
constexpr int coordinates_of(ImageDim dim) {
  switch (dim) {
    case ImageDim::Dim1D:
      return 1;
    case ImageDim::Dim2D:
    case ImageDim::Dim1DArray:
      return 2;
    case ImageDim::Dim3D:
    case ImageDim::Dim2DArray:
      return 3;
  }
  return 0;
}

namespace detail {

template <int n>
struct CoordinateOf {
  using type = Vec<std::int32_t, static_cast<std::size_t>(n)>;
};
template <>
struct CoordinateOf<1> {
  using type = std::int32_t;
};

/// What a texel of an image is named by: an int, an ivec2 or an ivec3.
template <ImageDim dim>
using ImageCoordinate = typename CoordinateOf<coordinates_of(dim)>::type;

template <ImageDim dim>
constexpr ivec3 from_coordinate(const ImageCoordinate<dim>& c) {
  if constexpr (coordinates_of(dim) == 1) {
    return {c, 0, 0};
  } else if constexpr (coordinates_of(dim) == 2) {
    return {c.x, c.y, 0};
  } else {
    return c;
  }
}

template <ImageDim dim>
constexpr ImageCoordinate<dim> to_coordinate(const uvec3& v) {
  const ivec3 c{static_cast<std::int32_t>(v.x), static_cast<std::int32_t>(v.y), static_cast<std::int32_t>(v.z)};
  if constexpr (coordinates_of(dim) == 1) {
    return c.x;
  } else if constexpr (coordinates_of(dim) == 2) {
    return {c.x, c.y};
  } else {
    return c;
  }
}

constexpr std::uint64_t linear_texel(const ivec3& c, const uvec3& extent) {
  return static_cast<std::uint64_t>(c.x) +
         extent.x * (static_cast<std::uint64_t>(c.y) + std::uint64_t{extent.y} * static_cast<std::uint64_t>(c.z));
}

}  // namespace detail

/// A storage image of texels `T`: `read(coordinate)`, `write(coordinate, texel)`,
/// `texel(coordinate)` for atomics, `size()`.
template <typename A, typename T, ImageDim dim>
concept StorageImage = requires {
  requires A::kStorageClass == StorageClass::Image;
  requires A::kDim == dim;
  requires std::same_as<typename A::texel_type, T>;
};

/// An address in PhysicalStorageBuffer memory: plain data, may be stored in buffers. Address 0 is that of no buffer.
template <typename T>
struct DeviceAddress {
  std::uint64_t value = 0;

  explicit operator bool() const { return value != 0; }
  friend bool operator==(const DeviceAddress&, const DeviceAddress&) = default;
  friend DeviceAddress operator+(DeviceAddress a, std::int64_t elements) {
    return {a.value + static_cast<std::uint64_t>(elements) * sizeof(T)};
  }
};

}  // namespace heddle
