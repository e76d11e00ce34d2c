#pragma once

/// \file
/// The names of a C litmus test: arrays, registers, threads, stacks.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/litmus/c/lexer.h"
#include "emulator/litmus/c/test.h"

namespace heddle::litmus::c {

/// What a file declares, while it is read.
struct Declarations {
  Format format = Format::C;
  std::vector<std::string> arrays;
  /// Their numbers, by name.
  std::map<std::string, std::int32_t, std::less<>> numbers;
  std::vector<std::vector<Value>> cells;
  std::vector<std::string> stacks;
  std::vector<Place> stack_places;
  /// Initial values of registers, by thread and name.
  std::map<std::pair<std::string, std::string>, Value> registers;

  /// The array of that name; makes one of one cell that holds 0.
  std::int32_t array(std::string_view name);
};

/// A thread while it is read.
struct ThreadScope {
  mu::ThreadCode code;
  std::set<std::string, std::less<>> parameters;
  std::map<std::string, std::uint32_t, std::less<>> registers;
  /// Registers that have a value where the text is read.
  std::set<std::uint32_t> assigned;
  struct Creation {
    std::string thread;
    std::uint32_t instruction;
    Place place;
  };
  std::vector<Creation> creations;

  std::uint32_t reg(std::string_view name);
  std::uint32_t nameless() { return nameless_++; }
  /// Nameless registers come behind those with names.
  void number_registers();

 private:
  static constexpr std::uint32_t kFirstNameless = 1u << 30;
  std::uint32_t nameless_ = kFirstNameless;
};

/// Whether the name is one of a type, or a word that may stand with one.
bool is_type_word(std::string_view name);

/// Reads `{ statements }` of a thread.
void parse_body(Lexer& lexer, Declarations& declarations, ThreadScope& scope);

}  // namespace heddle::litmus::c
