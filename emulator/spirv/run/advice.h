#pragma once

/// \file
/// Orderings of a module that are stronger than its runs needed.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "emulator/advice/orderings.h"
#include "emulator/model/execution.h"
#include "emulator/spirv/run/run.h"

namespace heddle::spirv {

/// Collects over many executions which orderings each of them did not need.
class RunAdvice {
 public:
  /// `glsl`: orderings are told in GLSL's words.
  RunAdvice(bool glsl, bool chains);

  void add(const model::Execution& execution);
  /// Puts what no execution needed into the totals.
  void finish(RunTotals& totals) const;

 private:
  struct Use {
    OrderingAdvice advice;
    advice::Weakness weakness = advice::Weakness::LessMask;
    bool needed = false;
  };
  using Key = std::tuple<std::string, std::uint32_t, std::string, std::string>;

  bool is_told_by_a_weaker_one(const Use& use) const;

  bool glsl_;
  advice::Orderings orderings_;
  std::map<Key, Use> uses_;
  std::uint64_t advised_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace heddle::spirv
