#pragma once

/// \file
/// A test of the `.test` format (the Khronos Alloy suite), as the parser understood it.

#include <heddle/operation.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/litmus/arithmetic.h"
#include "emulator/litmus/diagnostic.h"

namespace heddle::litmus::khronos {

struct Instruction {
  Place place;
  std::string text;
  /// Agent, reference, locations and barrier instance are filled in when it is executed.
  Operation operation;
  std::uint32_t variable = 0;          ///< of an access
  std::optional<Integer> reads;        ///< the value that a read must see; 0 is the initial one
  std::optional<Integer> writes;       ///< the value that a write stores
  std::uint32_t barrier_instance = 0;  ///< of a control barrier: equal if the names are
};

struct Thread {
  std::uint64_t number = 0;  ///< as SSW names it
  std::uint32_t subgroup = 0;
  std::uint32_t workgroup = 0;
  std::uint32_t queue_family = 0;
  std::vector<Instruction> code;
};

struct Variable {
  std::string name;
  std::uint32_t location = 0;  ///< SLOC gives two variables one location
};

/// One conjunct of a claim's condition.
struct Condition {
  enum class Kind : std::uint8_t {
    Consistent,      ///< consistent[X]
    LocordComplete,  ///< locordcomplete[X]
    RaceFree,        ///< racefree[X]
    Cardinality,     ///< #relation, a comparison, a number
  };
  Kind kind = Kind::Consistent;
  bool negated = false;
  std::string relation;
  Comparison comparison = Comparison::Equal;
  Integer count = 0;
};

struct Claim {
  Place place;
  std::string text;         ///< the line
  bool satisfiable = true;  ///< SATISFIABLE, or NOSOLUTION
  bool chains = true;       ///< false with NOCHAINS
  std::vector<Condition> conditions;
};

struct Test {
  std::vector<Thread> threads;
  std::vector<Variable> variables;
  std::uint32_t locations = 0;
  /// Pairs of thread indices: every operation of the first system-synchronizes-with every one of
  /// the second.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> system_synchronization;
  std::vector<Claim> claims;
};

/// The relations whose cardinality a claim may name, in alphabetical order.
extern const std::vector<std::string_view> kRelations;

}  // namespace heddle::litmus::khronos
