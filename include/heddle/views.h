#pragma once

/// \file
/// Other ways to look at memory that a kernel has: through another type, at a part, at one element.
///
///     auto quads = view_as<vec4>(in);            // a buffer of floats as one of vectors: quads[i] is in[4 i] ...
///     auto mine = part(tile, 64 * row, 64);      // 64 elements of an array, to pass on: mine[0] is tile[64 row]
///     auto total = reference_to(sums[row]);      // one element, under a name: total += mine[0]
///
/// A view has the reference, the qualifiers and the const of what it is a view of: to the memory model accesses
/// through both are accesses through one reference.

#include <heddle/detail/emulated.h>
#include <heddle/detail/native.h>
#include <heddle/reference.h>

#include <cstring>

namespace heddle {

namespace native {

template <typename T, StorageClass storage_class, bool is_volatile = false>
class View;

/// A reference to one `T` in memory that other code has as something else: its bytes are copied, which compilers take
/// for what it is.
template <typename T, StorageClass storage_class, bool is_volatile = false>
class BytesRef {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr StorageClass kStorageClass = storage_class;
  static constexpr bool kWritable = !std::is_const_v<T>;
  using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;

  explicit BytesRef(Byte* bytes) : bytes_(bytes) {}
  value_type load() const {
    if constexpr (is_volatile) return load_volatile<value_type>(memory());
    value_type value;
    std::memcpy(static_cast<void*>(&value), bytes_, sizeof value);
    return value;
  }
  void store(const value_type& value) const {
    if constexpr (is_volatile) return store_volatile<value_type>(memory(), value);
    std::memcpy(bytes_, &value, sizeof value);
  }
  const BytesRef& located(const SourceLocation&) const { return *this; }
  const BytesRef& here() const { return *this; }
  const BytesRef& declared() const { return *this; }
  const BytesRef& used_here() const { return *this; }
  const BytesRef& used_at(const SourceLocation&) const { return *this; }
  /// Each access has these tags.
  auto with(const Tags& tags, const SourceLocation& = {}) const {
    return detail::ElementFor<detail::TaggedRef<BytesRef>>(detail::TaggedRef<BytesRef>(*this, tags));
  }

  /// A member of a struct.
  template <typename S, typename M>
  requires std::same_as<S, value_type>
  auto at(M S::*member) const {
    using E = std::conditional_t<std::is_const_v<T>, const std::remove_extent_t<M>, std::remove_extent_t<M>>;
    Byte* const bytes = reinterpret_cast<Byte*>(&(memory()->*member));
    if constexpr (std::is_array_v<M>) {
      return View<E, storage_class, is_volatile>(bytes, std::extent_v<M>);
    } else {
      using MemberRef = BytesRef<E, storage_class, is_volatile>;
      return detail::ElementFor<MemberRef>(MemberRef(bytes));
    }
  }
  /// For atomics and volatile accesses. What was written as something else is there before an atomic acts on it:
  /// compilers may take memory of two types for two places.
  T* memory() const {
    T* memory = reinterpret_cast<T*>(bytes_);
    asm volatile("" : "+r"(memory) : : "memory");
    return memory;
  }

 private:
  Byte* bytes_;
};

/// `size()` elements in memory that other code has as something else.
template <typename T, StorageClass storage_class, bool is_volatile>
class View {
 public:
  using element_type = T;
  static constexpr StorageClass kStorageClass = storage_class;
  static constexpr bool kVolatile = is_volatile;
  using ElementRef = BytesRef<T, storage_class, is_volatile>;
  using Byte = typename ElementRef::Byte;

  View(Byte* bytes, std::uint64_t size) : bytes_(bytes), size_(size) {}
  std::uint64_t size() const { return size_; }
  template <std::integral I>
  auto operator[](I i) const {
    return detail::ElementFor<ElementRef>(ElementRef(bytes_ + static_cast<std::uint64_t>(i) * sizeof(T)));
  }
  template <detail::IntegerElement E>
  auto operator[](E&& e) const {
    return (*this)[e.load()];
  }
  T* memory() const { return reinterpret_cast<T*>(bytes_); }
  View coherent(MemoryScope) const { return *this; }
  View non_private() const { return *this; }
  View<T, storage_class, true> volatile_() const {
    name_volatile<T>();
    return {bytes_, size_};
  }
  auto with(const Tags& tags) const { return detail::TaggedArray<View>(*this, tags); }

 private:
  Byte* bytes_;
  std::uint64_t size_;
};

}  // namespace native

namespace detail {

/// An array of a kernel, in either mode: a parameter of a dispatch, a Workgroup variable, a view of one.
template <typename A>
concept NativeArray = requires(const A& a) {
  typename A::element_type;
  a.memory();
  a.size();
};
template <typename A>
concept EmulatedArray = requires(const A& a) {
  typename A::element_type;
  a.place();
  a.size();
};

/// `U`, as const as the elements of `A`.
template <typename U, typename A>
using AsConstAs = std::conditional_t<std::is_const_v<std::remove_all_extents_t<typename A::element_type>>, const U, U>;

}  // namespace detail

/// To what a view of `U` is aligned, from the beginning of its buffer or variable on: a vector of two or four
/// components to its size, as devices load it in one piece, and anything else as in C++.
template <typename U>
inline constexpr std::uint64_t kViewAlignment = alignof(U);
template <typename U>
inline constexpr std::uint64_t kViewAlignment<const U> = kViewAlignment<U>;
template <typename T, std::size_t N>
requires(N != 3) inline constexpr std::uint64_t kViewAlignment<Vec<T, N>> = N * sizeof(T);

/// The bytes of an array as an array of `U`, as many as fit. Emulated mode reports a view of vectors that is not
/// aligned as kViewAlignment says, at the line that asks for it, and an access that is not aligned to its `U`.
template <typename U, detail::NativeArray A>
auto view_as(const A& array, SourceLocation = SourceLocation::current()) {
  using V = detail::AsConstAs<U, A>;
  static_assert(detail::Plain<U>, "a view's elements are trivially copyable");
  using View = native::View<V, A::kStorageClass, A::kVolatile>;
  return View(reinterpret_cast<typename View::Byte*>(array.memory()),
              array.size() * sizeof(typename A::element_type) / sizeof(U));
}
template <typename U, detail::EmulatedArray A>
auto view_as(const A& array, SourceLocation where = SourceLocation::current()) {
  static_assert(detail::Plain<U>, "a view's elements are trivially copyable");
  const emulated::Place& place = array.place();
  if (kViewAlignment<U> != alignof(U) && place.offset_bytes % kViewAlignment<U> != 0) [[unlikely]]
    emulation::raise_misaligned_view(place.invocation->agent(), *place.binding, place.offset_bytes, kViewAlignment<U>,
                                     where);
  return emulated::Array<detail::AsConstAs<U, A>, A::kStorageClass>(
      array.place(), array.size() * sizeof(typename A::element_type) / sizeof(U));
}

/// `count` elements of an array, from element `first` on. Emulated mode reports a part that is not inside of the
/// array, at the line that asks for it, and accesses outside of the part, whatever the array has there.
template <detail::NativeArray A>
A part(const A& array, std::uint64_t first, std::uint64_t count, SourceLocation = SourceLocation::current()) {
  if constexpr (requires { typename A::Byte; }) {
    return A(reinterpret_cast<typename A::Byte*>(array.memory() + first), count);
  } else {
    return A(array.memory() + first, count);
  }
}
template <detail::EmulatedArray A>
A part(const A& array, std::uint64_t first, std::uint64_t count, SourceLocation where = SourceLocation::current()) {
  emulated::Place place = array.place();
  if (first > array.size() || count > array.size() - first) [[unlikely]]
    emulation::raise_no_such_part(place.invocation->agent(), *place.binding, first, count, array.size(), where);
  place.offset_bytes += first * sizeof(typename A::element_type);
  return A(place, count);
}

/// An array that can only be read, for functions that take a `StorageBuffer<const T>`.
template <detail::NativeArray A>
auto read_only(const A& array) {
  using E = const typename A::element_type;
  if constexpr (requires { typename A::Byte; }) {
    return native::View<E, A::kStorageClass, A::kVolatile>(reinterpret_cast<const std::byte*>(array.memory()),
                                                           array.size());
  } else {
    return native::Array<E, A::kStorageClass, A::kVolatile>(array.memory(), array.size());
  }
}
template <detail::EmulatedArray A>
auto read_only(const A& array) {
  return emulated::Array<const typename A::element_type, A::kStorageClass>(array.place(), array.size());
}

/// A reference to an element, a member or a variable that can be kept and passed on: it reads and writes like a
/// variable of its own. (`x[i]` itself can only be used where it is written.)
template <typename R, typename... Hint>
auto reference_to(detail::Element<R, Hint...>&& element) {
  return detail::Variable<R, Hint...>(detail::whole_of<R>(element));
}
template <typename R, typename T, auto... path>
auto reference_to(const detail::Member<R, T, path...>& member) {
  return reference_to(member.reference());
}
template <typename R, typename... Hint>
detail::Variable<R, Hint...> reference_to(const detail::Variable<R, Hint...>& variable) {
  return variable;
}

}  // namespace heddle
