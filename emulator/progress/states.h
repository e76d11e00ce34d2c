#pragma once

/// \file
/// Rows of numbers, each kept once: the states of a graph.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "emulator/progress/graph.h"

namespace heddle::progress {

/// Small numbers for values that are equal, and the values.
template <typename T>
class Numbers {
 public:
  std::uint32_t of(const T& value) {
    const auto [known, fresh] = numbers_.emplace(value, static_cast<std::uint32_t>(values_.size()));
    if (fresh) values_.push_back(&known->first);
    return known->second;
  }
  const T& operator[](std::uint32_t number) const { return *values_[number]; }
  std::size_t size() const { return values_.size(); }

 private:
  std::map<T, std::uint32_t> numbers_;
  std::vector<const T*> values_;
};

/// States that are rows of equally many numbers, in the order in which they were come to.
class States {
 public:
  explicit States(std::size_t width) : width_(width), known_(64, Hash{{this}}, Equal{{this}}) {}
  States(const States&) = delete;
  States& operator=(const States&) = delete;

  std::size_t size() const { return numbers_.size() / width_; }
  std::span<const std::uint32_t> row(State state) const { return std::span(numbers_).subspan(state * width_, width_); }
  /// The state of a row, which may be new.
  State add(std::span<const std::uint32_t> row) {
    const auto state = static_cast<State>(size());
    numbers_.insert(numbers_.end(), row.begin(), row.end());
    const auto [known, fresh] = known_.insert(state);
    if (!fresh) numbers_.resize(state * width_);
    return *known;
  }

 private:
  struct RowOf {
    const States* states;
  };
  struct Hash : RowOf {
    std::size_t operator()(State state) const {
      std::uint64_t hash = 0;
      for (const std::uint32_t number : states->row(state)) hash = (hash ^ number) * 0x9e3779b97f4a7c15u + (hash >> 29);
      return hash;
    }
  };
  struct Equal : RowOf {
    bool operator()(State a, State b) const {
      const auto left = states->row(a);
      return std::equal(left.begin(), left.end(), states->row(b).begin());
    }
  };

  std::size_t width_;
  std::vector<std::uint32_t> numbers_;
  std::unordered_set<State, Hash, Equal> known_;
};

}  // namespace heddle::progress
