#pragma once

/// \file
/// Numbers of a file, as the engines have them.

#include <cstdint>
#include <map>

namespace heddle::litmus {

/// Small numbers for the numbers of a file.
class Renumbering {
 public:
  std::uint32_t operator()(std::uint64_t number) {
    return numbers_.emplace(number, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

 private:
  std::map<std::uint64_t, std::uint32_t> numbers_;
};

}  // namespace heddle::litmus
