#pragma once

/// \file
/// How the operations of an invocation get tags: a mark of the program that has such code, and the time in which tags
/// count.

#include <heddle/tags.h>

namespace heddle::detail {

/// Notes that the program has code with tags: before it begins, and for as long as it runs.
bool note_tagged_code();
/// The mark of such code: what mentions it is instantiated only where a kernel uses tags.
template <typename>
struct TaggedCode {
  static inline const bool kIsThere = note_tagged_code();
};

/// While it is there the invocation's operations have these tags.
template <typename Derived, bool emulated>
class Tagging {
 public:
  constexpr Tagging(Derived&, const Tags&) {}
};
template <typename Derived>
class [[nodiscard]] Tagging<Derived, true> {
 public:
  Tagging(Derived& invocation, const Tags& tags) : invocation_(invocation) {
    (void)TaggedCode<Derived>::kIsThere;
    begin_tags(invocation.agent(), tags);
  }
  ~Tagging() { end_tags(invocation_.agent()); }
  Tagging(const Tagging&) = delete;
  Tagging& operator=(const Tagging&) = delete;

 private:
  Derived& invocation_;
};

/// A reference whose accesses have tags (detail/tagged_reference.h).
template <typename R>
concept TaggedReference = requires {
  R::kHasTags;
};

}  // namespace heddle::detail
