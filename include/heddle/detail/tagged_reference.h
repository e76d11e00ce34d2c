#pragma once

/// \file
/// References, arrays and images whose plain accesses have tags (heddle/tags.h): `x.with(tag("sync-as:1"))[i] = v` for
/// the elements of an array, `x[i].with(tag("sync-as:1")) += v` for one, `image.with(tag("sync-as:1")).write(c, v)`.
/// Qualifiers come before: `x.non_private().with(tag("sync-as:1"))`.

#include <heddle/detail/tagging.h>
#include <heddle/reference.h>
#include <heddle/semantics.h>
#include <heddle/tags.h>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace heddle::detail {

/// What knows its place in emulated memory, and so the invocation that accesses it.
template <typename R>
concept HasPlace = requires(const R& r) {
  r.place().invocation;
};

/// What is kept of tags natively, where they do nothing.
struct NoTags {
  constexpr NoTags(const Tags&) {}
  friend constexpr NoTags operator|(const NoTags& none, const Tags&) { return none; }
};
template <typename R>
using TagsFor = std::conditional_t<HasPlace<R>, Tags, NoTags>;

/// f(), whose operations have these tags.
template <typename R, typename F>
[[gnu::always_inline]] constexpr decltype(auto) tagged(const R& ref, [[maybe_unused]] const TagsFor<R>& tags, F f) {
  if constexpr (HasPlace<R>) {
    auto& invocation = *ref.place().invocation;
    const Tagging<std::remove_reference_t<decltype(invocation)>, true> here(invocation, tags);
    return f();
  } else {
    return f();
  }
}

template <typename Ref>
class TaggedRef;
template <typename A>
class TaggedArray;

template <typename R, typename... Hint, typename T>
constexpr auto with_same(const Element<R, Hint...>& element, const T& tags) {
  return ElementFor<TaggedRef<R>>(TaggedRef<R>(whole_of<R>(element), tags));
}
template <typename A, typename T>
requires requires {
  typename A::element_type;
}
constexpr auto with_same(const A& array, const T& tags) {
  return TaggedArray<A>(array, tags);
}

/// A plain reference, each access through which has tags.
template <typename Ref>
class TaggedRef {
 public:
  using value_type = typename Ref::value_type;
  static constexpr StorageClass kStorageClass = Ref::kStorageClass;
  static constexpr bool kWritable = Ref::kWritable;
  static constexpr bool kHasTags = true;

  constexpr TaggedRef(const Ref& ref, const TagsFor<Ref>& tags) : ref_(ref), tags_(tags) {}
  [[gnu::always_inline]] constexpr value_type load() const {
    return tagged(ref_, tags_, [&] { return ref_.load(); });
  }
  [[gnu::always_inline]] constexpr void store(const value_type& v) const {
    tagged(ref_, tags_, [&] { ref_.store(v); });
  }
  template <typename S, typename M>
  requires std::same_as<S, value_type>
  constexpr auto at(M S::*member) const { return with_same(ref_.at(member), tags_); }
  /// These tags as well.
  constexpr auto with(const Tags& more, const SourceLocation& where = SourceLocation::current()) const {
    return ElementFor<TaggedRef>(TaggedRef(ref_.located(where), tags_ | more));
  }
  constexpr TaggedRef located(const SourceLocation& where) const { return TaggedRef(ref_.located(where), tags_); }
  [[gnu::always_inline]] constexpr TaggedRef here() const { return TaggedRef(ref_.here(), tags_); }
  constexpr TaggedRef declared() const { return TaggedRef(ref_.declared(), tags_); }
  [[gnu::always_inline]] constexpr TaggedRef used_here() const { return TaggedRef(ref_.used_here(), tags_); }
  constexpr TaggedRef used_at(const SourceLocation& where) const { return TaggedRef(ref_.used_at(where), tags_); }
  constexpr SourceLocation where() const { return ref_.where(); }

 private:
  Ref ref_;
  [[no_unique_address]] TagsFor<Ref> tags_;
};

/// An array, each access to elements of which has tags.
template <typename A>
class TaggedArray {
 public:
  using element_type = typename A::element_type;
  static constexpr StorageClass kStorageClass = A::kStorageClass;

  constexpr TaggedArray(const A& array, const TagsFor<A>& tags) : array_(array), tags_(tags) {}
  constexpr std::uint64_t size() const { return array_.size(); }
  template <std::integral I>
  requires(!HasPlace<A>) constexpr auto operator[](I i) const { return with_same(array_[i], tags_); }
  template <IntegerElement E>
  requires(!HasPlace<A>) constexpr auto operator[](E&& e) const { return (*this)[e.load()]; }
  constexpr auto operator[](const Index& i) const requires(!HasPlace<A>) { return (*this)[i.value]; }
  constexpr auto operator[](Index i) const requires HasPlace<A> { return with_same(array_[i], tags_); }
  /// These tags as well.
  constexpr TaggedArray with(const Tags& more) const { return TaggedArray(array_, tags_ | more); }

 private:
  A array_;
  [[no_unique_address]] TagsFor<A> tags_;
};

/// An image, each access to texels of which has tags.
template <typename I>
class TaggedImage {
 public:
  using texel_type = typename I::texel_type;
  static constexpr StorageClass kStorageClass = I::kStorageClass;
  static constexpr ImageDim kDim = I::kDim;
  using Coordinate = typename I::Coordinate;

  constexpr TaggedImage(const I& image, const TagsFor<I>& tags) : image_(image), tags_(tags) {}
  Coordinate size() const { return image_.size(); }
  texel_type read(Coordinate c, TexelReadOperands operands = ImageOperands::None,
                  MemoryScope visible = Scope::Invocation, SourceLocation where = SourceLocation::current()) const {
    return tagged(image_, tags_, [&] { return image_.read(c, operands, visible, where); });
  }
  void write(Coordinate c, Given<texel_type> value, TexelWriteOperands operands = ImageOperands::None,
             MemoryScope available = Scope::Invocation, SourceLocation where = SourceLocation::current()) const {
    tagged(image_, tags_, [&] { image_.write(c, value, operands, available, where); });
  }
  /// These tags as well.
  constexpr TaggedImage with(const Tags& more) const { return TaggedImage(image_, tags_ | more); }

 private:
  I image_;
  [[no_unique_address]] TagsFor<I> tags_;
};

}  // namespace heddle::detail
