#pragma once

/// \file
/// What lanes of a subgroup tell each other in a run, where all of it happens once.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace heddle::spirv {

/// Where lanes put what they give, and find what the others gave. A barrier in between sees to it that all have.
class Board {
 public:
  void put(std::uint64_t instance, std::uint32_t lane, std::vector<std::uint64_t> values) {
    values_[{instance, lane}] = std::move(values);
  }
  const std::vector<std::uint64_t>& of(std::uint64_t instance, std::uint32_t lane) const {
    return values_.at({instance, lane});
  }
  void clear() { values_.clear(); }

 private:
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::uint64_t>> values_;
};

}  // namespace heddle::spirv
