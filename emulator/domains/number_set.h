#pragma once

/// \file
/// Sets of small numbers.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace heddle::domains {

/// A set of numbers, a bit each.
class NumberSet {
 public:
  bool has(std::uint32_t number) const {
    const std::size_t word = number / 64;
    return word < words_.size() && ((words_[word] >> (number % 64)) & 1) != 0;
  }
  void add(std::uint32_t number) {
    if (words_.size() <= number / 64) words_.resize(number / 64 + 1, 0);
    words_[number / 64] |= std::uint64_t{1} << (number % 64);
  }
  NumberSet& operator|=(const NumberSet& other) {
    if (words_.size() < other.words_.size()) words_.resize(other.words_.size(), 0);
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  /// Calls f(number), ascending.
  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        f(static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(rest)));
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace heddle::domains
