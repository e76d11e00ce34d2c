#pragma once

/// \file
/// The edits that weaken the orderings of a program, one at a time: what mutation tries.

#include <heddle/detail/edit_record.h>
#include <heddle/operation.h>

#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace heddle::edits {

/// Each way to make the instruction of the operation order less, by one step.
std::vector<Edit> weakenings_of(const Operation& operation);

/// What the instructions of a program could be weakened by, each edit once. Thread-safe.
class Survey {
 public:
  void add(const Operation& operation);
  /// An edit a line, in the order of the source.
  std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::set<std::tuple<std::string, std::uint32_t, std::string>> edits_;
};

}  // namespace heddle::edits
