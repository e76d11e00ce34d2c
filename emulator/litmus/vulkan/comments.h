#pragma once

/// \file
/// Where the comments of a test's code stand in another spelling of it.

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// The comments of a test, each with what it stands in front of or behind: a thread's head or an instruction. Each is
/// one line.
class PlacedComments {
 public:
  /// Stands for the head of a thread, in place of the number of an instruction.
  static constexpr std::size_t kHead = ~std::size_t{0};

  explicit PlacedComments(const Test& test);

  using Texts = std::vector<std::string>;
  /// The comments that begin the line, or the cell of a table, of an instruction (by thread and number).
  const Texts& in_front(std::size_t thread, std::size_t instruction) const;
  /// The comments in the line, or the cell, of an instruction that stand behind its beginning.
  const Texts& behind(std::size_t thread, std::size_t instruction) const;
  /// The comments in front of the threads.
  const Texts& of_declarations() const { return of_declarations_; }
  /// The comments behind the code.
  const Texts& at_end() const { return at_end_; }

 private:
  using Which = std::pair<std::size_t, std::size_t>;
  std::map<Which, Texts> in_front_;
  std::map<Which, Texts> behind_;
  Texts of_declarations_;
  Texts at_end_;
};

}  // namespace heddle::litmus
