#pragma once

/// \file
/// Sets of events, for the exact detector.

#include <bit>
#include <cstdint>
#include <vector>

namespace heddle::race {

/// A number of an event, in the order in which they happened.
using EventIndex = std::uint32_t;

/// A set of events that grows with the stream.
class EventSet {
 public:
  bool has(EventIndex e) const { return e / 64 < words() && ((word(e / 64) >> (e % 64)) & 1) != 0; }
  void add(EventIndex e) {
    reserve(e / 64 + 1);
    word(e / 64) |= std::uint64_t{1} << (e % 64);
  }
  EventSet& operator|=(const EventSet& o) {
    reserve(o.words());
    for (std::size_t i = 0; i < o.words(); ++i) word(i) |= o.word(i);
    return *this;
  }
  bool intersects(const EventSet& o) const {
    for (std::size_t i = 0; i < words() && i < o.words(); ++i)
      if ((word(i) & o.word(i)) != 0) return true;
    return false;
  }
  /// Whether it has every event of `o`.
  bool includes(const EventSet& o) const {
    for (std::size_t i = 0; i < o.words(); ++i)
      if ((o.word(i) & ~(i < words() ? word(i) : 0)) != 0) return false;
    return true;
  }
  bool empty() const {
    for (std::size_t i = 0; i < words(); ++i)
      if (word(i) != 0) return false;
    return true;
  }
  void clear() {
    first_ = 0;
    more_.clear();
  }

  /// Calls f(event) in ascending order.
  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < words(); ++i)
      for (std::uint64_t w = word(i); w != 0; w &= w - 1)
        f(static_cast<EventIndex>(i * 64 + static_cast<std::size_t>(std::countr_zero(w))));
  }

 private:
  std::size_t words() const { return 1 + more_.size(); }
  std::uint64_t word(std::size_t i) const { return i == 0 ? first_ : more_[i - 1]; }
  std::uint64_t& word(std::size_t i) { return i == 0 ? first_ : more_[i - 1]; }
  void reserve(std::size_t wanted) {
    if (wanted > words()) more_.resize(wanted - 1);
  }

  // Runs of litmus tests fit into one word: it costs no allocation.
  std::uint64_t first_ = 0;
  std::vector<std::uint64_t> more_;
};

}  // namespace heddle::race
