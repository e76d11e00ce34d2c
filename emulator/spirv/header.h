#pragma once

/// \file
/// The header of a test file: comments that say what goes in, how many invocations run, and what may come out.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/spirv/module.h"

namespace heddle::spirv {

/// What an @Input line gives: a scalar, or what stands in braces.
struct InputValue {
  bool is_list = false;
  std::string text;
  /// The variable whose address it is, without '%', where &%name stands.
  std::string address_of;
  std::vector<InputValue> members;
};

struct Input {
  std::string name;  ///< without '%'
  InputValue value;
  std::uint32_t line = 0;
};

enum class Relation : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

/// A condition on final memory.
struct Condition {
  enum class Kind : std::uint8_t { All, Any, Not, Compare };

  struct Term {
    /// A scalar of a variable: its name without '%' and the indices down to it. Empty for a literal.
    std::string name;
    std::vector<std::uint64_t> indices;
    /// As the header writes it: a literal takes the type of the other side.
    std::string literal;
  };

  Kind kind = Kind::All;
  std::vector<Condition> operands;
  Relation relation = Relation::Equal;
  Term left;
  Term right;
  std::uint32_t line = 0;
};

enum class Quantifying : std::uint8_t { ForAll, Exists, NotExists };

/// How many invocations run.
struct Configuration {
  std::uint32_t invocations = 1;  ///< in a subgroup
  std::uint32_t subgroups = 1;    ///< in a workgroup
  std::uint32_t workgroups = 1;
};

struct Header {
  std::vector<Input> inputs;
  Quantifying quantifier = Quantifying::ForAll;
  /// Without one every execution satisfies it.
  std::optional<Condition> condition;
  std::optional<Condition> filter;
  std::optional<Configuration> configuration;
  std::vector<std::string> warnings;
};

/// Reads the comments before the first instruction, and warns of those behind it; `comment` is what begins one (";" or
/// "//"). Throws Error.
Header read_header(std::string_view text, std::string_view comment);

/// One value as an @Input line writes it. Throws Error.
InputValue read_input_value(std::string_view text);

/// As the header spells a term, without blanks ("%out[0][1]").
std::string spell(const Condition::Term& term);
/// A condition as a header may write it.
std::string spell(const Condition& condition);

}  // namespace heddle::spirv
