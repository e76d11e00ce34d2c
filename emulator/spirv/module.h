#pragma once

/// \file
/// A SPIR-V module as words, with its instructions found.

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

namespace heddle::spirv {

using Id = std::uint32_t;
using Op = spv::Op;

/// Where an instruction stands: a line of the text that it was read from, else the offset of its first word.
struct Position {
  std::uint32_t line = 0;  ///< 0: there is no text
  std::uint32_t word = 0;
};

/// A module that cannot be run, and where; `what()` has no file name in it.
class Error : public std::runtime_error {
 public:
  Error(Position position, const std::string& message) : std::runtime_error(message), position_(position) {}
  Position position() const { return position_; }

 private:
  Position position_;
};

/// One instruction of a module, which must outlive it.
struct Instruction {
  Op op = Op::OpNop;
  Id type = 0;    ///< 0: it has no result type
  Id result = 0;  ///< 0: it has no result
  Position position;
  /// The words behind the result.
  std::uint32_t first_operand = 0;
  std::uint32_t operand_count = 0;
};

struct Module {
  /// 0x00010600 for 1.6.
  std::uint32_t version = 0;
  std::uint32_t bound = 0;
  std::vector<std::uint32_t> words;
  std::vector<Instruction> instructions;
  /// The ids of a text module by what stands behind their '%'; empty for a binary.
  std::map<std::string, Id, std::less<>> text_ids;
  std::vector<std::string> warnings;

  std::span<const std::uint32_t> operands(const Instruction& instruction) const {
    return std::span(words).subspan(instruction.first_operand, instruction.operand_count);
  }
  /// Operand `i`. Throws Error if there are not so many.
  std::uint32_t operand(const Instruction& instruction, std::size_t i) const;
  /// The string that begins at operand `i`, and how many words it takes.
  std::string string_at(const Instruction& instruction, std::size_t i, std::size_t* words_taken = nullptr) const;
};

/// The name of an opcode ("OpLoad").
std::string_view name_of(Op op);

/// Reads a binary module of either byte order. Throws Error.
Module read_binary(std::string_view bytes);
/// Whether bytes begin as a binary module does.
bool is_binary(std::string_view bytes);

/// Finds the instructions of `module.words` from word 5 on, and gives each the position that `lines` has for its first
/// word. Throws Error.
void find_instructions(Module& module, const std::map<std::uint32_t, std::uint32_t>& lines = {});

/// Whether a text looks like that of a module: its first line that is neither empty nor a comment begins with an
/// instruction.
bool is_assembly(std::string_view text);

/// Assembles the text of a module. Numeric ids keep their number. Throws Error.
Module assemble(std::string_view text);

}  // namespace heddle::spirv
