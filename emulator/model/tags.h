#pragma once

/// \file
/// Memory model relaxation annotations: tags that leave program order between two operations out of happens-before.

#include <heddle/operation.h>

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::model {

/// One annotation, written "prefix:suffix". No prefix means anything but in comparison with others.
struct Tag {
  std::string prefix;
  std::string suffix;

  /// Nothing if the text is not one colon between two words of letters, digits, '_', '-' and '.'.
  static std::optional<Tag> parse(std::string_view text);

  friend auto operator<=>(const Tag&, const Tag&) = default;
};

/// A set of tags. Two sets are the same if they have the same tags.
class TagSet {
 public:
  /// What `text` makes of a set: "foo:x, foo:y". Nothing if a part of the text is no tag.
  static std::optional<TagSet> parse(std::string_view text);

  void add(const Tag& tag);
  bool empty() const { return tags_.empty(); }
  /// Ascending.
  const std::vector<Tag>& tags() const { return tags_; }
  bool has(const Tag& tag) const;
  bool has_prefix(std::string_view prefix) const;
  /// All but the tags of one prefix.
  TagSet without(std::string_view prefix) const;

  friend auto operator<=>(const TagSet&, const TagSet&) = default;

 private:
  std::vector<Tag> tags_;
};

/// Whether program order between operations with these sets counts: for each prefix that both have, they have a tag in
/// common. Symmetric, true of equal sets and of the empty set with any; not transitive. To drop a whole set, or all
/// tags of one prefix, makes it true of more; to drop one tag of several need not. Source: LLVM, "Memory Model
/// Relaxation Annotations", compatibility.
bool compatible(const TagSet& a, const TagSet& b);

/// The set of one operation that stands for two: of each prefix that both have, the tags of both. What is compatible
/// with either set is compatible with it. This is the rule of the document, whose worked examples drop tags that it
/// keeps: `foo:x, foo:y, bar:x` and `foo:x, bar:y` make `foo:x` there, and all four tags here; `foo:x` alone would not
/// be compatible with `foo:y`, which the first set is compatible with. Source: LLVM, "Memory Model Relaxation
/// Annotations", combination.
TagSet combined(const TagSet& a, const TagSet& b);

/// "foo:x, foo:y"; "" for the empty set.
std::string text(const TagSet& tags);

/// The number of a set in this process, the same for equal sets; of the empty set TagSetId::Empty. Threads may call
/// this and the next two at once.
TagSetId intern(const TagSet& tags);
const TagSet& tags_of(TagSetId id);
bool compatible(TagSetId a, TagSetId b);

}  // namespace heddle::model
