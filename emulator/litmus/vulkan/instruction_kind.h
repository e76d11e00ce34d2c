#pragma once

/// \file
/// The kinds of instructions, and what is so of all instructions of a kind. Who asks this asks the table: a kind that
/// is missing here is an error of the compiler.

#include <cstdint>
#include <string_view>

namespace heddle::litmus {

enum class InstructionKind : std::uint8_t {
  Load,
  Store,
  ReadModifyWrite,
  MemoryBarrier,
  ControlBarrier,
  DeviceOperation,  ///< avdevice, visdevice
  Interlock,        ///< beginlock, endlock
  Free,
  HostCall,  ///< of a host column: an operation on the host domain, or a call that waits or is waited for
  Compute,
  Branch,
  Jump,
  Label,
};

/// Who executes an instruction.
enum class ExecutedBy : std::uint8_t {
  Thread,  ///< the thread alone, unseen by others
  Memory,  ///< it is an operation of the memory model
};

/// A row of the table: what an instruction does, and which parts of `Instruction` it uses.
struct KindTraits {
  /// The word of its first tag, where a change of a test may spell the instruction anew.
  std::string_view mnemonic = {};
  ExecutedBy by = ExecutedBy::Memory;
  /// How many operands are values that it uses: `left`, or `left` and `right`.
  unsigned values = 0;
  bool reads = false;          ///< the memory
  bool writes = false;         ///< the memory
  bool sets_register = false;  ///< `destination`
  bool has_variable = false;   ///< `variable`
  bool may_have_tags = false;  ///< relaxation tags
  bool waits = false;          ///< for other threads, at a control barrier
  bool jumps = false;          ///< to `target`, always or not
  bool falls_through = true;   ///< the instruction behind it may be next

  constexpr bool accesses() const { return reads || writes; }
  /// Whether it reads memory and leaves it as it is.
  constexpr bool only_reads() const { return reads && !writes; }
};

constexpr KindTraits traits_of(InstructionKind kind) {
  switch (kind) {
    case InstructionKind::Load:
      return {.mnemonic = "ld", .reads = true, .sets_register = true, .has_variable = true, .may_have_tags = true};
    case InstructionKind::Store:
      return {.mnemonic = "st", .values = 1, .writes = true, .has_variable = true, .may_have_tags = true};
    case InstructionKind::ReadModifyWrite:
      return {.mnemonic = "rmw",
              .values = 1,
              .reads = true,
              .writes = true,
              .sets_register = true,
              .has_variable = true,
              .may_have_tags = true};
    case InstructionKind::MemoryBarrier:
      return {.mnemonic = "membar", .may_have_tags = true};
    case InstructionKind::ControlBarrier:
      return {.mnemonic = "cbar", .may_have_tags = true, .waits = true};
    case InstructionKind::DeviceOperation:
      return {.may_have_tags = true};
    case InstructionKind::Interlock:
      return {};
    case InstructionKind::Free:
      return {.has_variable = true};
    case InstructionKind::HostCall:
      return {};
    case InstructionKind::Compute:
      return {.by = ExecutedBy::Thread, .values = 2, .sets_register = true};
    case InstructionKind::Branch:
      return {.by = ExecutedBy::Thread, .values = 2, .jumps = true};
    case InstructionKind::Jump:
      return {.by = ExecutedBy::Thread, .jumps = true, .falls_through = false};
    case InstructionKind::Label:
      return {.by = ExecutedBy::Thread};
  }
  return {};
}

}  // namespace heddle::litmus
