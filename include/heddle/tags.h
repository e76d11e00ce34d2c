#pragma once

/// \file
/// Memory model relaxation annotations of kernels: `tag("sync-as:3")`, and how it is passed with the memory operands or
/// the memory semantics of an instruction, or with a reference. heddle/tagged_invocation.h has what takes them.
///
/// Source: LLVM, "Memory Model Relaxation Annotations".

#include <heddle/semantics.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace heddle {

namespace detail {

/// Reached in a constant expression these stop the compiler, which prints their names.
[[noreturn]] inline void a_tag_is_two_words_with_a_colon_between() {
  throw InvalidArgumentError("a tag is prefix:suffix, two words of letters, digits, '_', '-' and '.'");
}
[[noreturn]] inline void an_instruction_has_eight_tags_at_most() {
  throw InvalidArgumentError("an instruction has eight tags at most");
}

constexpr bool is_word_of_tag(std::string_view text) {
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '-' && c != '.') return false;
  }
  return !text.empty();
}

}  // namespace detail

/// A set of tags, each a prefix and a suffix. No prefix means anything by itself: where one instruction follows another
/// of its invocation, and of some prefix both have tags but none in common, then the first does not happen before the
/// second. To have no tags is compatible with everything.
class Tags {
 public:
  static constexpr std::size_t kMost = 8;

  /// No tags.
  constexpr Tags() = default;

  constexpr std::size_t size() const { return size_; }
  /// As it was written, with its colon.
  constexpr std::string_view operator[](std::size_t i) const { return texts_[i]; }

  /// The tags of both.
  friend constexpr Tags operator|(const Tags& a, const Tags& b) {
    Tags both = a;
    for (std::size_t i = 0; i < b.size_; ++i) both.add(b.texts_[i]);
    return both;
  }

 private:
  friend consteval Tags tag(const char* text);
  constexpr void add(const char* text) {
    if (size_ == kMost) detail::an_instruction_has_eight_tags_at_most();
    texts_[size_++] = text;
  }

  std::array<const char*, kMost> texts_{};
  std::size_t size_ = 0;
};

/// The tag that a string literal spells, "prefix:suffix". What is no tag does not compile.
consteval Tags tag(const char* text) {
  const std::string_view spelled = text;
  const std::size_t colon = spelled.find(':');
  if (colon == std::string_view::npos || !detail::is_word_of_tag(spelled.substr(0, colon)) ||
      !detail::is_word_of_tag(spelled.substr(colon + 1)))
    detail::a_tag_is_two_words_with_a_colon_between();
  Tags made;
  made.add(text);
  return made;
}

/// Memory semantics, or memory operands, and tags: `kReleaseBuffers | tag("sync-as:1")`.
template <typename Value>
struct Tagged {
  Value value;
  Tags tags;
};

namespace detail {

template <typename V>
inline constexpr bool kTakesTags = std::same_as<V, MemorySemantics> || std::same_as<V, MemoryOperands>;
template <typename V>
inline constexpr bool kTakesTags<Dynamic<V>> = kTakesTags<V>;

}  // namespace detail

template <typename V>
requires detail::kTakesTags<V>
constexpr Tagged<V> operator|(const V& value, const Tags& tags) {
  return {value, tags};
}
template <typename V>
constexpr Tagged<V> operator|(const Tagged<V>& tagged, const Tags& more) {
  return {tagged.value, tagged.tags | more};
}
template <std::same_as<MemorySemantics> V>
constexpr Tagged<V> operator|(const Tagged<V>& tagged, V more) {
  return {tagged.value | more, tagged.tags};
}

/// An argument of an instruction (AtomicSemantics, LoadOperands ...) that comes with tags.
template <typename Argument>
class WithTags {
 public:
  template <std::convertible_to<Argument> V>
  consteval WithTags(const Tagged<V>& tagged) HEDDLE_REFUSED(typename Argument::RulesOf, tagged.value)
      : argument_(tagged.value, detail::problem_of<typename Argument::RulesOf>(tagged.value, true)),
        tags_(tagged.tags) {}
  template <typename V>
  WithTags(const Tagged<Dynamic<V>>& tagged) : argument_(tagged.value), tags_(tagged.tags) {}

  constexpr const Argument& argument() const { return argument_; }
  constexpr const Tags& tags() const { return tags_; }

 private:
  Argument argument_;
  Tags tags_;
};

}  // namespace heddle
