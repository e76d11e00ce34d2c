#pragma once

/// \file
/// What the parameters of kernels are in emulated mode: references, arrays, pointers and images, whose accesses are
/// operations of an invocation. `emulated.h` has the members that need the invocation.

#include <heddle/detail/code_place.h>
#include <heddle/detail/emulation.h>
#include <heddle/detail/plain.h>
#include <heddle/detail/tagged_reference.h>
#include <heddle/tagged_invocation.h>

#include <array>
#include <bit>
#include <cstring>

namespace heddle::emulated {

using detail::Element;
using detail::Index;
using detail::Variable;

class Invocation;

// In emulated mode nothing is told of the operands: what is wrong with them is told of the native ones.
using MemoryScope = detail::OperandIf<heddle::MemoryScope, false>;
using TexelReadOperands = detail::OperandIf<heddle::TexelReadOperands, false>;
using TexelWriteOperands = detail::OperandIf<heddle::TexelWriteOperands, false>;

using detail::kNoPadding;
using detail::value_bytes;

/// Where a reference points, and how plain accesses through it behave.
struct Place {
  Invocation* invocation = nullptr;
  const emulation::Binding* binding = nullptr;
  std::uint64_t offset_bytes = 0;
  Qualifiers qualifiers;
  SourceLocation where;

  /// The place of an element. It is made where it stays: copies of places are what accesses would wait for.
  [[gnu::always_inline]] Place element(const Index& i, std::uint64_t element_bytes) const {
    return {invocation, binding, offset_bytes + i.value * element_bytes, qualifiers, i.where};
  }
  /// This place, accessed at that line.
  [[gnu::always_inline]] Place at(const SourceLocation& line) const {
    return {invocation, binding, offset_bytes, qualifiers, line};
  }
};

inline constexpr Qualifiers kVolatile{
    .non_private = true, .coherent = true, .is_volatile = true, .scope = Scope::QueueFamily};

/// Coherent in the domain of `scope`; volatile accesses stay so in the queue family.
constexpr Qualifiers coherent_in(Scope scope, const Qualifiers& before) {
  return before.is_volatile ? kVolatile : Qualifiers{.non_private = true, .coherent = true, .scope = scope};
}

template <typename T, StorageClass storage_class>
class Array;

template <typename T, StorageClass storage_class>
class Ref {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr StorageClass kStorageClass = storage_class;
  static constexpr bool kWritable = !std::is_const_v<T> && !std::is_array_v<T>;
  static_assert(detail::Plain<value_type>, "kernels read and write trivially copyable types");

  explicit Ref(const Place& place) : place_(place) {}
  /// An element of an array of `T` at `array`.
  [[gnu::always_inline]] Ref(const Place& array, const Index& i) : place_(array.element(i, sizeof(T))) {}
  [[gnu::always_inline]] inline value_type load() const;
  [[gnu::always_inline]] inline void store(const value_type& v) const;

  template <typename S, typename M>
  requires std::same_as<S, value_type>
  auto at(M S::*member) const {
    using Member = std::conditional_t<std::is_const_v<T>, const M, M>;
    Place place = place_;
    place.offset_bytes += offset_of(member);
    if constexpr (std::is_array_v<M>) {
      using E = std::remove_extent_t<Member>;
      return Array<E, storage_class>(place, std::extent_v<M>);
    } else {
      return detail::ElementFor<Ref<Member, storage_class>>(Ref<Member, storage_class>(place));
    }
  }

  const Place& place() const { return place_; }
  /// The reference, as accessed at that line of the source.
  [[gnu::always_inline]] Ref located(const SourceLocation& where) const { return Ref(place_.at(where)); }
  /// This reference, as accessed by the code that the call is inlined into.
  [[gnu::always_inline]] Ref here() const { return located(detail::CodePlace::here(place_.where)); }
  /// This reference, whose place is where it was declared: accesses are elsewhere.
  Ref declared() const { return located(detail::CodePlace::declaration(place_.where)); }
  /// This reference; if it was declared, or is a member of what was, as accessed by the code that the call is inlined
  /// into, or at that line of the source.
  [[gnu::always_inline]] Ref used_here() const {
    return detail::CodePlace::is_declaration(place_.where) ? here() : *this;
  }
  Ref used_at(const SourceLocation& line) const {
    return detail::CodePlace::is_declaration(place_.where) ? located(line) : *this;
  }
  const SourceLocation& where() const { return place_.where; }
  /// Each access has these tags.
  auto with(const Tags& tags, const SourceLocation& where = SourceLocation::current()) const {
    return detail::ElementFor<detail::TaggedRef<Ref>>(detail::TaggedRef<Ref>(located(where), tags));
  }

 private:
  template <typename S, typename M>
  static std::uint64_t offset_of(M S::*member) {
    alignas(S) static std::byte object[sizeof(S)];
    return static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(&(reinterpret_cast<S*>(object)->*member)) - object);
  }
  Place place_;
};

template <typename T, StorageClass storage_class>
class Array {
 public:
  using element_type = T;
  static constexpr StorageClass kStorageClass = storage_class;

  Array(const Place& place, std::uint64_t size) : place_(place), size_(size) {}
  /// An element of an array of such arrays at `arrays`.
  [[gnu::always_inline]] Array(const Place& arrays, const Index& i, std::uint64_t size)
      : place_(arrays.element(i, size * sizeof(T))), size_(size) {}
  std::uint64_t size() const { return size_; }
  const Place& place() const { return place_; }

  [[gnu::always_inline]] auto operator[](Index i) const {
    if (i.value >= size_) [[unlikely]]
      out_of_bounds(place_.invocation, place_.binding, i, size_, place_.offset_bytes);
    if constexpr (std::is_array_v<T>) {
      return Array<std::remove_extent_t<T>, storage_class>(place_, i, std::extent_v<T>);
    } else {
      return detail::ElementFor<Ref<T, storage_class>>(place_, i);
    }
  }

  /// Plain accesses make available to, and visible from, the domain of `scope` (GLSL's
  /// devicecoherent, workgroupcoherent ...). Ordering: they do not synchronize.
  Array coherent(MemoryScope scope) const {
    Array out = *this;
    out.place_.qualifiers = coherent_in(scope, place_.qualifiers);
    return out;
  }
  /// Plain accesses are non-private: a barrier or an atomic may order them between invocations.
  Array non_private() const {
    Array out = *this;
    out.place_.qualifiers.non_private = true;
    return out;
  }
  /// Plain accesses are volatile, and coherent in the queue family, whatever they were: as glslang translates GLSL's
  /// `volatile` in the Vulkan memory model. Ordering: they do not synchronize.
  Array volatile_() const {
    Array out = *this;
    out.place_.qualifiers = kVolatile;
    return out;
  }
  /// Each plain access to an element has these tags (heddle/tags.h).
  auto with(const Tags& tags) const { return detail::TaggedArray<Array>(*this, tags); }

 private:
  /// By value: what a call has the address of must be in memory all the time, and switches from one invocation
  /// to the next cost what is on their stacks.
  [[noreturn, gnu::noinline]] static void out_of_bounds(Invocation* invocation, const emulation::Binding* binding,
                                                        Index i, std::uint64_t size, std::uint64_t offset_bytes);
  Place place_;
  std::uint64_t size_;
};

template <typename T>
class Pointer {
  /// A pointer, and where it is dereferenced.
  struct Dereferenced {
    Dereferenced(const Pointer& p, SourceLocation here = SourceLocation::current()) : pointer(p), where(here) {}
    const Pointer& pointer;
    SourceLocation where;
  };

 public:
  using element_type = T;
  static constexpr StorageClass kStorageClass = StorageClass::PhysicalStorageBuffer;

  Pointer(Invocation& invocation, DeviceAddress<T> address) : invocation_(&invocation), address_(address.value) {}
  DeviceAddress<T> address() const { return {address_}; }

  auto operator[](Index i) const { return element(address_ + i.value * sizeof(T), i.where); }
  friend auto operator*(const Dereferenced& d) { return d.pointer[detail::Index(0, d.where)]; }
  template <std::integral I>
  Pointer operator+(I n) const {
    Pointer out = *this;
    out.address_ += static_cast<std::uint64_t>(n) * sizeof(T);
    return out;
  }
  template <std::integral I>
  Pointer operator-(I n) const {
    Pointer out = *this;
    out.address_ -= static_cast<std::uint64_t>(n) * sizeof(T);
    return out;
  }
  std::ptrdiff_t operator-(const Pointer& o) const {
    return static_cast<std::ptrdiff_t>(address_ - o.address_) / static_cast<std::ptrdiff_t>(sizeof(T));
  }
  Pointer& operator++() {
    address_ += sizeof(T);
    return *this;
  }
  explicit operator bool() const { return address_ != 0; }
  friend bool operator==(const Pointer& a, const Pointer& b) { return a.address_ == b.address_; }

  Pointer coherent(MemoryScope scope) const {
    Pointer out = *this;
    out.qualifiers_ = coherent_in(scope, qualifiers_);
    return out;
  }
  Pointer non_private() const {
    Pointer out = *this;
    out.qualifiers_.non_private = true;
    return out;
  }
  Pointer volatile_() const {
    Pointer out = *this;
    out.qualifiers_ = kVolatile;
    return out;
  }

 private:
  detail::ElementFor<Ref<T, kStorageClass>> element(std::uint64_t address, SourceLocation where) const;
  Invocation* invocation_;
  std::uint64_t address_;
  Qualifiers qualifiers_;
};

template <typename T, ImageDim dim>
class Image {
 public:
  using texel_type = T;
  static constexpr StorageClass kStorageClass = StorageClass::Image;
  static constexpr ImageDim kDim = dim;
  using Coordinate = detail::ImageCoordinate<dim>;

  Image(const Place& place, const uvec3& extent) : place_(place), extent_(extent) {}
  Coordinate size() const { return detail::to_coordinate<dim>(extent_); }
  const Place& place() const { return place_; }

  /// OpImageRead. Ordering: as OpLoad with the pointer forms of the operands.
  T read(Coordinate c, TexelReadOperands operands = ImageOperands::None, MemoryScope visible = Scope::Invocation,
         SourceLocation where = SourceLocation::current()) const;
  /// OpImageWrite.
  void write(Coordinate c, detail::Given<T> value, TexelWriteOperands operands = ImageOperands::None,
             MemoryScope available = Scope::Invocation, SourceLocation where = SourceLocation::current()) const;
  /// OpImageTexelPointer: a reference to one texel, for atomics.
  auto texel(Coordinate c, SourceLocation where = SourceLocation::current()) const {
    return detail::ElementFor<Ref<T, kStorageClass>>(Ref<T, kStorageClass>(place_of(c, where)));
  }
  Image coherent(MemoryScope scope) const {
    Image out = *this;
    out.place_.qualifiers = {.non_private = true, .coherent = true, .scope = scope};
    return out;
  }
  Image non_private() const {
    Image out = *this;
    out.place_.qualifiers.non_private = true;
    return out;
  }
  /// Each `read` and `write` has these tags (heddle/tags.h). Atomics on texels have those behind their semantics.
  auto with(const Tags& tags) const { return detail::TaggedImage<Image>(*this, tags); }

 private:
  /// With `operands`, of which `make` makes available or visible, at `scope`.
  static void qualify(Qualifiers& qualifiers, ImageOperands operands, ImageOperands make, Scope scope) {
    if (has(operands, ImageOperands::VolatileTexel)) qualifiers.is_volatile = true;
    if (has(operands, ImageOperands::NonPrivateTexel)) qualifiers.non_private = true;
    if (has(operands, make)) {
      qualifiers.coherent = true;
      qualifiers.scope = scope;
    }
  }
  Place place_of(const Coordinate& c, SourceLocation where) const;
  Place place_;
  uvec3 extent_;
};

}  // namespace heddle::emulated
