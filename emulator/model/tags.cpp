#include "emulator/model/tags.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace heddle::model {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

// All sets that this process has seen. They stay where they are.
class Table {
 public:
  TagSetId intern(const TagSet& tags) {
    const std::unique_lock lock(mutex_);
    const auto [known, fresh] = numbers_.emplace(tags, static_cast<TagSetId>(sets_.size()));
    if (fresh) sets_.push_back(tags);
    return known->second;
  }
  const TagSet& operator[](TagSetId id) const {
    const std::shared_lock lock(mutex_);
    return sets_[static_cast<std::size_t>(id)];
  }

 private:
  mutable std::shared_mutex mutex_;
  std::deque<TagSet> sets_{TagSet{}};
  std::map<TagSet, TagSetId> numbers_{{TagSet{}, TagSetId::Empty}};
};

Table& table() {
  static Table table;
  return table;
}

}  // namespace

//= mmra:tags
std::optional<Tag> Tag::parse(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view prefix = text.substr(0, colon);
  const std::string_view suffix = text.substr(colon + 1);
  if (!is_word(prefix) || !is_word(suffix)) return std::nullopt;
  return Tag{std::string(prefix), std::string(suffix)};
}

std::optional<TagSet> TagSet::parse(std::string_view text) {
  TagSet all;
  while (!text.empty()) {
    const std::size_t comma = text.find(", ");
    const std::optional<Tag> tag = Tag::parse(text.substr(0, comma));
    if (!tag) return std::nullopt;
    all.add(*tag);
    if (comma == std::string_view::npos) break;
    text = text.substr(comma + 2);
    if (text.empty()) return std::nullopt;
  }
  return all;
}

void TagSet::add(const Tag& tag) {
  const auto at = std::lower_bound(tags_.begin(), tags_.end(), tag);
  if (at == tags_.end() || *at != tag) tags_.insert(at, tag);
}

bool TagSet::has(const Tag& tag) const {
  return std::binary_search(tags_.begin(), tags_.end(), tag);
}

bool TagSet::has_prefix(std::string_view prefix) const {
  return std::any_of(tags_.begin(), tags_.end(), [&](const Tag& tag) { return tag.prefix == prefix; });
}

TagSet TagSet::without(std::string_view prefix) const {
  TagSet rest;
  for (const Tag& tag : tags_)
    if (tag.prefix != prefix) rest.add(tag);
  return rest;
}

// No prefix is looked up anywhere: unrecognized ones take part like all others, and mean nothing else.
//= mmra:compatibility
//= mmra:unrecognized
bool compatible(const TagSet& a, const TagSet& b) {
  return std::all_of(a.tags().begin(), a.tags().end(), [&](const Tag& mine) {
    if (!b.has_prefix(mine.prefix)) return true;
    return std::any_of(a.tags().begin(), a.tags().end(),
                       [&](const Tag& tag) { return tag.prefix == mine.prefix && b.has(tag); });
  });
}

//= mmra:combining
TagSet combined(const TagSet& a, const TagSet& b) {
  TagSet both;
  for (const Tag& tag : a.tags())
    if (b.has_prefix(tag.prefix)) both.add(tag);
  for (const Tag& tag : b.tags())
    if (a.has_prefix(tag.prefix)) both.add(tag);
  return both;
}

std::string text(const TagSet& tags) {
  std::string out;
  for (const Tag& tag : tags.tags()) out += (out.empty() ? "" : ", ") + tag.prefix + ':' + tag.suffix;
  return out;
}

TagSetId intern(const TagSet& tags) {
  return table().intern(tags);
}

const TagSet& tags_of(TagSetId id) {
  return table()[id];
}

bool compatible(TagSetId a, TagSetId b) {
  if (a == b || a == TagSetId::Empty || b == TagSetId::Empty) return true;
  return compatible(tags_of(a), tags_of(b));
}

}  // namespace heddle::model
