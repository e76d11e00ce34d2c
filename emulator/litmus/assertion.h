#pragma once

/// \file
/// Conditions on the final state of a test: `exists`, `~exists`, `forall` and `filter`.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "emulator/litmus/arithmetic.h"

namespace heddle::litmus {

/// One final value that an assertion or a filter names: a register of a thread, or a variable.
struct Observable {
  enum class Kind : std::uint8_t { Register, Variable };
  Kind kind = Kind::Variable;
  std::uint32_t thread = 0;  ///< of a register: index of its thread
  std::uint32_t index = 0;   ///< of the register in its thread, or of the variable in the test
  std::string name;          ///< "P1:r0" or "x", the key of an outcome

  friend bool operator==(const Observable&, const Observable&) = default;
};

/// Final values, one for each observable of the test, in its order.
using Outcome = std::vector<Integer>;

/// A tree of conditions. Conjunctions and disjunctions have any number of operands, so the tree is
/// as deep as the parentheses of the text, which the parser bounds.
struct Assertion {
  enum class Kind : std::uint8_t { All, Any, Not, Compare };

  struct Term {
    bool observed = false;
    std::size_t observable = 0;  ///< index into Test::observables, if observed
    Integer constant = 0;        ///< otherwise
  };

  Kind kind = Kind::All;
  std::vector<Assertion> operands;
  Comparison comparison = Comparison::Equal;
  Term left;
  Term right;
};

/// Whether an outcome satisfies an assertion; `outcome` has a value for every observable it names.
bool satisfies(std::span<const Integer> outcome, const Assertion& assertion);

/// The assertion as the format spells it, with the names of the observables.
std::string spell(const Assertion& assertion, std::span<const Observable> observables);

enum class Quantifier : std::uint8_t { None, Exists, NotExists, ForAll };

/// "exists", "~exists", "forall"; "" for None.
const char* spell(Quantifier quantifier);

/// Whether the quantified assertion holds when `satisfied` of `outcomes` satisfy it.
bool holds(Quantifier quantifier, std::size_t satisfied, std::size_t outcomes);

}  // namespace heddle::litmus
