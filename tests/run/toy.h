#pragma once

/// \file
/// A front end of a dozen instructions: the least that one needs for the explorer, the memories, checks, races and
/// traces.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/run/instruction_table.h"
#include "emulator/run/setting.h"

namespace heddle::toy {

/// The instructions. R is a register (r0 to r7), V a register, a number, `me` (the global number of the invocation),
/// `local` or `group`.
enum class Kind : std::uint8_t {
  Load,     ///< load R OBJECT V           R = OBJECT[V]
  Store,    ///< store OBJECT V V          OBJECT[V] = V
  Acquire,  ///< acquire R OBJECT V        an atomic load that acquires
  Release,  ///< release OBJECT V V        an atomic store that releases
  Add,      ///< add R OBJECT V V          R = OBJECT[V], which grows by V: a relaxed atomic
  Fence,    ///< fence                     a memory barrier of the device
  Barrier,  ///< barrier                   a control barrier of the workgroup
  Set,      ///< set R V
  Plus,     ///< plus R V                  R = R + V
  Label,    ///< label NAME
  Jump,     ///< jump NAME
  Unless,   ///< unless V V NAME           jumps if the two differ
};

struct Operand {
  enum class Of : std::uint8_t { Number, Register, Me, Local, Group } of = Of::Number;
  std::uint64_t number = 0;
};

struct Instruction {
  Kind kind = Kind::Fence;
  std::uint32_t destination = 0;
  run::ObjectId object{};
  Operand index;
  Operand value;
  /// Where a jump goes, as the position of an instruction.
  std::size_t target = 0;
  run::InstructionId id{};
};

/// A kernel and its only dispatch.
class Kernel {
 public:
  /// Lines are `groups N`, `local N`, `buffer NAME ELEMENTS`, `workgroup NAME ELEMENTS` (which has no values at first),
  /// then instructions. Throws std::invalid_argument with the line of what is none of these.
  explicit Kernel(const std::string& text);

  const run::Setting& setting() const { return setting_; }
  run::Setting& setting() { return setting_; }
  const run::InstructionTable& instructions() const { return table_; }
  /// For runs, or for the explorer, which is to go round a loop that changes nothing once.
  explore::Program program(bool for_runs);

  const std::vector<Instruction>& code() const { return code_; }
  const trace::Dispatch& dispatch() const { return dispatch_; }

 private:
  void parse(const std::string& line, std::uint32_t number);
  void parse_instruction(const std::vector<std::string>& words, const std::string& line, std::uint32_t number);
  Operand operand(const std::string& word) const;

  run::Setting setting_;
  run::InstructionTable table_;
  trace::Dispatch dispatch_;
  std::map<std::string, run::ObjectId> objects_;
  std::map<std::string, std::size_t> labels_;
  std::vector<std::pair<std::size_t, std::string>> jumps_;
  std::vector<run::Object> declared_;
  std::vector<Instruction> code_;
};

}  // namespace heddle::toy
