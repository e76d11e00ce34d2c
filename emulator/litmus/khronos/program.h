#pragma once

/// \file
/// From a test of the `.test` format to something that the explorer explores.

#include <optional>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/litmus/khronos/test.h"

namespace heddle::litmus::khronos {

/// The writes of a test have numbers from 1 in place of values, so that what a read saw tells which
/// write it was; 0 is the initial value.
class Program {
 public:
  /// `test` must outlive the program.
  explicit Program(const Test& test);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const Test& test() const { return test_; }
  const explore::Program& program() const { return program_; }

  /// The number of the write of an instruction; 0 if it writes nothing.
  explore::Value number(std::uint32_t thread, std::size_t instruction) const { return numbers_[thread][instruction]; }
  /// Whether the read of an instruction may see the write of this number: one of the value that it
  /// asks for to the variable that it names, any one without a value.
  bool may_see(const Instruction& read, explore::Value number) const;

  /// Fills in of an instruction's operation what a run of it has.
  Operation operation(const Instruction& instruction) const;

 private:
  const Test& test_;
  std::vector<std::vector<explore::Value>> numbers_;
  std::vector<const Instruction*> writes_;  // by number; the first is null
  explore::Program program_;
};

}  // namespace heddle::litmus::khronos
