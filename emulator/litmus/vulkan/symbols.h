#pragma once

/// \file
/// The variables and registers that a test has named so far.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/litmus/token.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// Gives every variable of a test a number. One that is used without having been declared is a bug
/// of the test that changes nothing about its meaning: it starts at 0, and a warning says so.
class Variables {
 public:
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// Declares a variable with its own location, or, with `alias_of`, the location of another one.
  std::uint32_t declare(const Token& name, Integer initial, std::optional<std::uint32_t> alias_of = {});
  /// The number of a variable that is used here.
  std::uint32_t use(const Token& name);

  const Variable& operator[](std::uint32_t index) const { return variables_[index]; }
  std::uint32_t locations() const { return locations_; }
  std::vector<Variable> release() { return std::move(variables_); }
  std::vector<Diagnostic>& warnings() { return warnings_; }

 private:
  std::vector<Variable> variables_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
  std::uint32_t locations_ = 0;
  std::vector<Diagnostic> warnings_;
};

/// Gives the registers of one thread their numbers, in the order in which they appear.
class Registers {
 public:
  /// The number of a register; one that is not declared starts at 0.
  std::uint32_t use(const std::string& name);
  bool has(const std::string& name) const { return by_name_.count(name) != 0; }
  Register& operator[](std::uint32_t index) { return registers_[index]; }
  std::vector<Register> release() { return std::move(registers_); }

 private:
  std::vector<Register> registers_;
  std::unordered_map<std::string, std::uint32_t> by_name_;
};

}  // namespace heddle::litmus
