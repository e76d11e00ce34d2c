#pragma once

/// \file
/// References whose members have names: `z[i].x` where a buffer holds vectors, and `p[i].position.x` where it holds
/// structs that `HEDDLE_MEMBERS` (heddle/members.h) describes.
///
/// Such a reference is a union of as many views of one plain reference as there are members, each of which knows its
/// way from the whole to its member. So it is as large as the plain reference, and making it costs no more. All of the
/// views are of standard layout and begin with the plain reference, which is their common initial sequence.

#include <heddle/source_location.h>
#include <heddle/spirv.h>
#include <heddle/vector.h>

#include <type_traits>

namespace heddle {
class Tags;
}

namespace heddle::detail {

/// Whether what is wrong with the use of a reference is told. What is done in both modes is told of the native one.
template <typename Ref>
inline constexpr bool kTellsMistakes = requires(const Ref& ref) {
  ref.memory();
};

/// The member that the last pointer points to.
template <auto first, auto... rest>
struct EndOfPath : EndOfPath<rest...> {};
template <typename S, typename M, M S::*member>
struct EndOfPath<member> {
  using type = M;
};

/// A member of type `T` of what `Ref` refers to, by the pointers to members that lead to it. (Functions and operators
/// of its type are found for it, since the type is among the parameters.) Complete in heddle/reference.h.
template <typename Ref, typename T, auto... path>
class Member;
template <typename Ref, auto... path>
using MemberAt = Member<Ref, typename EndOfPath<path...>::type, path...>;

/// The plain reference itself, as the first of the views.
template <typename Ref>
struct Whole {
  Ref ref;
  constexpr const Ref& whole() const { return ref; }
};

/// The members of the `T` to which `path` leads from what `Ref` refers to. There are none but for vectors and what
/// HEDDLE_MEMBERS describes; where there are, `Fields(ref)` and `whole()` are there, too.
template <typename Ref, typename T, auto... path>
struct Fields {
  static constexpr bool kNone = true;
};

/// The constructors and `whole()` of Fields, whose anonymous union has a Whole<Ref> `whole_` first.
#define HEDDLE_FIELDS_OF_ONE                                      \
  static constexpr bool kNone = false;                            \
  constexpr explicit Fields(const Ref& ref) : whole_{ref} {}      \
  constexpr Fields(const Fields& other) : whole_(other.whole_) {} \
  constexpr const Ref& whole() const {                            \
    return whole_.ref;                                            \
  }

template <typename Ref, typename T, auto... path>
struct Fields<Ref, Vec<T, 2>, path...> {
  HEDDLE_FIELDS_OF_ONE
  union {
    Whole<Ref> whole_;
    Member<Ref, T, path..., &Vec<T, 2>::x> x;
    Member<Ref, T, path..., &Vec<T, 2>::y> y;
  };
};
template <typename Ref, typename T, auto... path>
struct Fields<Ref, Vec<T, 3>, path...> {
  HEDDLE_FIELDS_OF_ONE
  union {
    Whole<Ref> whole_;
    Member<Ref, T, path..., &Vec<T, 3>::x> x;
    Member<Ref, T, path..., &Vec<T, 3>::y> y;
    Member<Ref, T, path..., &Vec<T, 3>::z> z;
  };
};
template <typename Ref, typename T, auto... path>
struct Fields<Ref, Vec<T, 4>, path...> {
  HEDDLE_FIELDS_OF_ONE
  union {
    Whole<Ref> whole_;
    Member<Ref, T, path..., &Vec<T, 4>::x> x;
    Member<Ref, T, path..., &Vec<T, 4>::y> y;
    Member<Ref, T, path..., &Vec<T, 4>::z> z;
    Member<Ref, T, path..., &Vec<T, 4>::w> w;
  };
};

template <typename Ref, typename T>
inline constexpr bool kHasFields = !Fields<Ref, T>::kNone;

/// A plain reference with members that have names.
template <typename Ref>
class WithMembers : public Fields<Ref, typename Ref::value_type> {
 public:
  using value_type = typename Ref::value_type;
  static constexpr StorageClass kStorageClass = Ref::kStorageClass;

  constexpr explicit WithMembers(const Ref& ref) : Fields<Ref, value_type>(ref) {}
  template <typename... Args>
  requires(sizeof...(Args) > 1) [[gnu::always_inline]] constexpr explicit WithMembers(const Args&... args)
      : Fields<Ref, value_type>(Ref(args...)) {}

  constexpr value_type load() const { return this->whole().load(); }
  constexpr void store(const value_type& v) const { this->whole().store(v); }
  template <typename S, typename M>
  requires std::same_as<S, value_type>
  constexpr auto at(M S::*member) const { return this->whole().at(member); }
  decltype(auto) place() const { return this->whole().place(); }
  auto* memory() const requires kTellsMistakes<Ref> { return this->whole().memory(); }
  constexpr Ref located(const SourceLocation& where) const { return this->whole().located(where); }
  [[gnu::always_inline]] constexpr Ref here() const { return this->whole().here(); }
  constexpr SourceLocation where() const { return this->whole().where(); }
  constexpr auto with(const Tags& tags, const SourceLocation& here = SourceLocation::current()) const {
    return this->whole().with(tags, here);
  }
};

/// What a reference is made on.
template <typename Ref>
using ReferenceBase = typename std::conditional_t<kHasFields<Ref, typename Ref::value_type>,
                                                  std::type_identity<WithMembers<Ref>>, std::type_identity<Ref>>::type;

}  // namespace heddle::detail
