#pragma once

/// \file
/// A litmus test of herd's C dialect, or of its extension for Mu, as the parser understood it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/litmus/arithmetic.h"
#include "emulator/litmus/assertion.h"
#include "emulator/litmus/diagnostic.h"
#include "emulator/mu/code.h"

namespace heddle::litmus::c {

using mu::Value;

enum class Format : std::uint8_t { C, Mu };

/// Final values, one for each observable of the test, in its order.
using Outcome = std::vector<Value>;

/// A tree of conditions on final values.
struct Condition {
  enum class Kind : std::uint8_t { All, Any, Not, Compare };
  struct Term {
    std::optional<std::size_t> observable;  ///< index into Test::observables
    Value constant;                         ///< otherwise
  };
  Kind kind = Kind::All;  ///< without operands: true
  std::vector<Condition> operands;
  Comparison comparison = Comparison::Equal;
  Term left;
  Term right;
};

struct Test {
  Format format = Format::C;
  std::string name;
  mu::Program program;
  std::optional<Condition> filter;
  Quantifier quantifier = Quantifier::None;
  std::optional<Condition> assertion;
  /// For a Register `thread` is an index into Program::threads, for a Variable `index` is a location. Sorted by name.
  std::vector<Observable> observables;
};

bool satisfies(const Outcome& outcome, const Condition& condition);
std::string spell(const Condition& condition, const Test& test);

/// A test or errors.
struct Parse {
  std::optional<Test> test;
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;
};
Parse parse(std::string_view source);

/// Whether the first word of a text is that of these formats.
bool begins_as_c(std::string_view source);

}  // namespace heddle::litmus::c
