#pragma once

/// \file
/// Conditions on final memory, decided without listing all that memory may finally hold.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/judge/judgement.h"
#include "emulator/spirv/dispatch.h"

namespace heddle::spirv {

/// A scalar that the header names.
struct Observable {
  std::string name;
  Location location;
  bool is_filtered = false;  ///< whether the filter names it
};

/// A condition whose names are resolved.
struct Resolved {
  struct Term {
    std::optional<std::size_t> observable;
    std::uint64_t bits = 0;
  };

  Condition::Kind kind = Condition::Kind::All;
  std::vector<Resolved> operands;
  Relation relation = Relation::Equal;
  ScalarType type;
  Term left;
  Term right;
};

/// What a header asks, resolved.
struct Question {
  /// In the order of the condition, then of the filter, each once.
  std::vector<Observable> observables;
  Quantifying quantifier = Quantifying::ForAll;
  std::optional<Resolved> condition;
  std::optional<Resolved> filter;
};

/// Throws Error for a name that is unknown, and for sides of different types.
Question question_of(const Dispatch& dispatch);

/// The values that each observable may have, each chosen for itself. A token stands for any value.
using Choices = std::vector<std::vector<std::uint64_t>>;

/// What memory may finally hold after an execution.
Choices final_choices(const Dispatch& dispatch, const Question& question, const judge::Judgement& judgement);

/// Whether some choice makes all of the conditions come out as wanted; nothing if that takes too many steps to say.
struct Wish {
  const Resolved* condition = nullptr;
  bool outcome = true;
};
std::optional<bool> is_possible(const std::vector<Wish>& wishes, const Choices& choices);

/// Whether values, one for each observable and none a token, satisfy a condition.
bool satisfies(const Resolved& condition, const std::vector<std::uint64_t>& values);

}  // namespace heddle::spirv
