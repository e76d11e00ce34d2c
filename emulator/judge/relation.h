#pragma once

/// \file
/// Sets of events and relations between events, as bits.

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace heddle::judge {

/// A number of an event of one execution.
using EventIndex = std::uint32_t;

/// A set of events. All sets and relations of one execution have the same size.
class EventSet {
 public:
  EventSet() = default;
  explicit EventSet(std::size_t events) { reset(events); }

  /// Empties it, and makes it one of `events` events.
  void reset(std::size_t events) {
    events_ = events;
    words_.assign((events + 63) / 64, 0);
  }
  std::size_t size() const { return events_; }
  bool has(EventIndex e) const { return (words_[e / 64] >> (e % 64)) & 1; }
  void add(EventIndex e) { words_[e / 64] |= std::uint64_t{1} << (e % 64); }
  void remove(EventIndex e) { words_[e / 64] &= ~(std::uint64_t{1} << (e % 64)); }
  void clear() { words_.assign(words_.size(), 0); }
  bool empty() const {
    for (std::uint64_t w : words_)
      if (w) return false;
    return true;
  }
  std::size_t count() const {
    std::size_t n = 0;
    for (std::uint64_t w : words_) n += static_cast<std::size_t>(std::popcount(w));
    return n;
  }
  bool intersects(const EventSet& o) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (words_[i] & o.words_[i]) return true;
    return false;
  }
  EventSet& operator|=(const EventSet& o) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= o.words_[i];
    return *this;
  }
  EventSet& operator&=(const EventSet& o) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= o.words_[i];
    return *this;
  }
  /// Takes the events of `o` away.
  EventSet& operator-=(const EventSet& o) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~o.words_[i];
    return *this;
  }
  friend EventSet operator|(EventSet a, const EventSet& b) { return a |= b; }
  friend EventSet operator&(EventSet a, const EventSet& b) { return a &= b; }
  friend EventSet operator-(EventSet a, const EventSet& b) { return a -= b; }
  friend bool operator==(const EventSet&, const EventSet&) = default;

  /// Calls f(event) in ascending order.
  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t w = words_[i]; w; w &= w - 1)
        f(static_cast<EventIndex>(i * 64 + static_cast<std::size_t>(std::countr_zero(w))));
  }

  std::span<std::uint64_t> words() { return words_; }
  std::span<const std::uint64_t> words() const { return words_; }

 private:
  std::size_t events_ = 0;
  std::vector<std::uint64_t> words_;
};

/// A relation between events.
class Relation {
 public:
  Relation() = default;
  explicit Relation(std::size_t events) { reset(events); }

  /// Empties it, and makes it one between `events` events. Keeps its memory.
  void reset(std::size_t events) {
    events_ = events;
    stride_ = (events + 63) / 64;
    bits_.assign(events * stride_, 0);
  }
  std::size_t size() const { return events_; }
  bool has(EventIndex a, EventIndex b) const {
    return (bits_[a * stride_ + b / 64] >> (b % 64)) & 1;
  }
  void add(EventIndex a, EventIndex b) {
    bits_[a * stride_ + b / 64] |= std::uint64_t{1} << (b % 64);
  }
  void remove(EventIndex a, EventIndex b) {
    bits_[a * stride_ + b / 64] &= ~(std::uint64_t{1} << (b % 64));
  }
  /// Whether no pair is related.
  bool empty() const {
    for (std::uint64_t w : bits_)
      if (w) return false;
    return true;
  }
  std::size_t count() const {
    std::size_t n = 0;
    for (std::uint64_t w : bits_) n += static_cast<std::size_t>(std::popcount(w));
    return n;
  }

  Relation& operator|=(const Relation& o) {
    for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] |= o.bits_[i];
    return *this;
  }
  Relation& operator&=(const Relation& o) {
    for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] &= o.bits_[i];
    return *this;
  }
  friend Relation operator|(Relation a, const Relation& b) { return a |= b; }
  friend Relation operator&(Relation a, const Relation& b) { return a &= b; }
  friend bool operator==(const Relation&, const Relation&) = default;

  /// What `a` is related to, as words of bits.
  std::span<const std::uint64_t> row(EventIndex a) const {
    return {bits_.data() + a * stride_, stride_};
  }
  /// Relates `a` to everything that `set` has.
  void add_row(EventIndex a, std::span<const std::uint64_t> set) {
    for (std::size_t i = 0; i < stride_; ++i) bits_[a * stride_ + i] |= set[i];
  }
  /// Keeps of what `a` is related to what `set` has.
  void keep_row(EventIndex a, std::span<const std::uint64_t> set) {
    for (std::size_t i = 0; i < stride_; ++i) bits_[a * stride_ + i] &= set[i];
  }
  /// Adds what `a` is related to to `set`.
  void add_row_to(EventIndex a, EventSet& set) const {
    const auto words = set.words();
    for (std::size_t i = 0; i < stride_; ++i) words[i] |= bits_[a * stride_ + i];
  }
  /// What `a` is related to.
  EventSet successors(EventIndex a) const {
    EventSet set(events_);
    add_row_to(a, set);
    return set;
  }

  /// Calls f(a, b) for each related pair, in ascending order.
  template <typename F>
  void for_each(F&& f) const {
    for (EventIndex a = 0; a < events_; ++a) for_each_successor(a, [&](EventIndex b) { f(a, b); });
  }
  template <typename F>
  void for_each_successor(EventIndex a, F&& f) const {
    for (std::size_t i = 0; i < stride_; ++i)
      for (std::uint64_t w = bits_[a * stride_ + i]; w; w &= w - 1)
        f(static_cast<EventIndex>(i * 64 + static_cast<std::size_t>(std::countr_zero(w))));
  }

  /// Relational composition: a to c if a to some b here and b to c there.
  Relation then(const Relation& next) const;
  Relation transposed() const;
  /// Becomes its transitive closure.
  void close();
  bool acyclic() const;
  /// The events of a shortest cycle, in order, the first one not repeated; empty if there is none.
  std::vector<EventIndex> shortest_cycle() const;
  /// A shortest path from `a` to `b` of at least one step, both ends included; empty if none.
  std::vector<EventIndex> shortest_path(EventIndex a, EventIndex b) const;

 private:
  std::size_t events_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::uint64_t> bits_;
};

}  // namespace heddle::judge
