#pragma once

/// \file
/// Sets of events and relations between events, as bits.

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::judge {

/// A number of an event of one execution.
using EventIndex = std::uint32_t;

/// A set of events. All sets and relations of one execution have the same size.
class EventSet {
 public:
  EventSet() = default;
  explicit EventSet(std::size_t events) { reset(events); }
  EventSet(const EventSet& o) : events_(o.events_), words_(o.words_), first_(o.first_) {
    if (o.more_) copy_more(o);
  }
  EventSet(EventSet&&) noexcept = default;
  EventSet& operator=(EventSet&&) noexcept = default;
  EventSet& operator=(const EventSet& o) {
    events_ = o.events_;
    words_ = o.words_;
    first_ = o.first_;
    if (o.more_)
      copy_more(o);
    else
      more_.reset();
    return *this;
  }
  ~EventSet() = default;

  /// Empties it, and makes it one of `events` events.
  void reset(std::size_t events) {
    events_ = events;
    words_ = words_of(events);
    first_ = 0;
    if (words_ > 1)
      more_ = std::make_unique<std::uint64_t[]>(words_);
    else
      more_.reset();
  }
  /// Makes it one of `events` events, and keeps those that there still are.
  void resize(std::size_t events) {
    if (words_of(events) != words_) {
      const EventSet before = *this;
      reset(events);
      for (std::size_t i = 0; i < words_ && i < before.words_; ++i) data()[i] = before.word(i);
    }
    events_ = events;
    if (events % 64 != 0) data()[words_ - 1] &= (std::uint64_t{1} << (events % 64)) - 1;
    if (events == 0) first_ = 0;
  }
  std::size_t size() const { return events_; }
  std::size_t words() const { return words_; }
  std::uint64_t word(std::size_t i) const { return data()[i]; }
  std::uint64_t& word(std::size_t i) { return data()[i]; }

  bool has(EventIndex e) const { return (word(e / 64) >> (e % 64)) & 1; }
  void add(EventIndex e) { word(e / 64) |= std::uint64_t{1} << (e % 64); }
  void remove(EventIndex e) { word(e / 64) &= ~(std::uint64_t{1} << (e % 64)); }
  bool empty() const {
    for (std::size_t i = 0; i < words(); ++i)
      if (word(i)) return false;
    return true;
  }
  std::size_t count() const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < words(); ++i) n += static_cast<std::size_t>(std::popcount(word(i)));
    return n;
  }
  bool intersects(const EventSet& o) const {
    for (std::size_t i = 0; i < words(); ++i)
      if (word(i) & o.word(i)) return true;
    return false;
  }
  EventSet& operator|=(const EventSet& o) {
    for (std::size_t i = 0; i < words(); ++i) word(i) |= o.word(i);
    return *this;
  }
  EventSet& operator&=(const EventSet& o) {
    for (std::size_t i = 0; i < words(); ++i) word(i) &= o.word(i);
    return *this;
  }
  /// Takes the events of `o` away.
  EventSet& operator-=(const EventSet& o) {
    for (std::size_t i = 0; i < words(); ++i) word(i) &= ~o.word(i);
    return *this;
  }
  friend EventSet operator|(EventSet a, const EventSet& b) { return a |= b; }
  friend EventSet operator&(EventSet a, const EventSet& b) { return a &= b; }
  friend EventSet operator-(EventSet a, const EventSet& b) { return a -= b; }
  friend bool operator==(const EventSet& a, const EventSet& b) {
    if (a.events_ != b.events_) return false;
    for (std::size_t i = 0; i < a.words(); ++i)
      if (a.word(i) != b.word(i)) return false;
    return true;
  }

  /// Calls f(event) in ascending order.
  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < words(); ++i)
      for (std::uint64_t w = word(i); w; w &= w - 1)
        f(static_cast<EventIndex>(i * 64 + static_cast<std::size_t>(std::countr_zero(w))));
  }

 private:
  static std::size_t words_of(std::size_t events) { return events > 64 ? (events + 63) / 64 : 1; }
  const std::uint64_t* data() const { return more_ ? more_.get() : &first_; }
  std::uint64_t* data() { return more_ ? more_.get() : &first_; }
  void copy_more(const EventSet& o) {
    more_ = std::make_unique<std::uint64_t[]>(words_);
    for (std::size_t i = 0; i < words_; ++i) more_[i] = o.more_[i];
  }

  std::size_t events_ = 0;
  std::size_t words_ = 1;
  // Executions of litmus tests fit into one word: it costs no allocation.
  std::uint64_t first_ = 0;
  /// All words, if there are more than one.
  std::unique_ptr<std::uint64_t[]> more_;
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
  /// Makes it one between `events` events, and keeps the pairs of those that there still are.
  void resize(std::size_t events);
  std::size_t size() const { return events_; }
  bool has(EventIndex a, EventIndex b) const { return (bits_[a * stride_ + b / 64] >> (b % 64)) & 1; }
  void add(EventIndex a, EventIndex b) { bits_[a * stride_ + b / 64] |= std::uint64_t{1} << (b % 64); }
  void remove(EventIndex a, EventIndex b) { bits_[a * stride_ + b / 64] &= ~(std::uint64_t{1} << (b % 64)); }
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

  /// Whether `a` is related to anything.
  bool relates(EventIndex a) const;
  /// Relates `a` to everything that `b` is related to in `o`.
  void add_row(EventIndex a, const Relation& o, EventIndex b) {
    for (std::size_t i = 0; i < stride_; ++i) bits_[a * stride_ + i] |= o.bits_[b * stride_ + i];
  }
  /// Relates `a` to every event of `set`.
  void add_row(EventIndex a, const EventSet& set) {
    for (std::size_t i = 0; i < stride_; ++i) bits_[a * stride_ + i] |= set.word(i);
  }
  /// Takes from `set` the events that `a` is related to.
  void take_row_from(EventIndex a, EventSet& set) const {
    for (std::size_t i = 0; i < stride_; ++i) set.word(i) &= ~bits_[a * stride_ + i];
  }
  /// Adds what `a` is related to to `set`.
  void add_row_to(EventIndex a, EventSet& set) const {
    for (std::size_t i = 0; i < stride_; ++i) set.word(i) |= bits_[a * stride_ + i];
  }
  /// Whether `a` is related to an event of `set`.
  bool row_meets(EventIndex a, const EventSet& set) const {
    for (std::size_t i = 0; i < stride_; ++i)
      if (bits_[a * stride_ + i] & set.word(i)) return true;
    return false;
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
