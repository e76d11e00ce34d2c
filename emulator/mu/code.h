#pragma once

/// \file
/// Programs of host threads, as code of a stack machine: what the front end compiles to, and the explorer and the
/// machine execute.

#include <heddle/memory_order.h>

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/mu/execution.h"
#include "emulator/mu/value.h"

namespace heddle::mu {

/// Operands come from the stack, the last one pushed first; results are pushed.
enum class Op : std::uint8_t {
  Push,  ///< `value`
  Get,   ///< register `index`
  Set,   ///< register `index` := popped
  Pop,
  Unary,         ///< `unary`
  Binary,        ///< `binary`
  Jump,          ///< to `target`
  JumpIfFalse,   ///< pops; to `target` if it is false
  JumpBack,      ///< to `target`, at most bound - 1 times for each loop `index`; then the thread is cut
  SelectBranch,  ///< leaves the condition; to `target` if it is false
  SelectEnd,     ///< pops the chosen operand and the condition; pushes the operand
  And,           ///< of `left && right`: leaves left, or replaces it by 0 and jumps to `target`
  Or,            ///< of `left || right`: leaves left, or replaces it by 1 and jumps to `target`
  LogicalEnd,    ///< pops right and left; pushes the truth of right
  KillDependency,
  InsertValue,
  ExtractValue,
  Load,    ///< pops address; `order`
  Store,   ///< pops value, address; `order`
  Define,  ///< pops version, address: a store of the bundle that BundleBegin began
  BundleBegin,
  Call,             ///< pops address; pushes the version
  FetchModify,      ///< pops operand, address; `binary`, `order`; pushes the old value
  Exchange,         ///< pops operand, address; `order`; pushes the old value
  CompareExchange,  ///< pops new value, expected value, address; `order`, `failure`, `weak`; pushes old value, success
  Fence,            ///< `order`
  NewThread,        ///< thread `index`
  Bind,             ///< stack `index`
  Unbind,           ///< stack `index`
  UnbindCurrent,    ///< the stack that the thread is on, if it has a name
  TrapEnter,        ///< unbinds that stack, and keeps it for TrapLeave
  TrapLeave,
  FutexWait,     ///< pops expected value, address; `weak`: it may expire; pushes its result
  FutexWake,     ///< pops number, address
  FutexRequeue,  ///< pops number, expected value, target address, address
  End,
};

struct Instruction {
  Op op = Op::End;
  MemoryOrder order = MemoryOrder::Relaxed;
  MemoryOrder failure = MemoryOrder::Relaxed;
  mu::Unary unary = mu::Unary::Not;
  mu::Binary binary = mu::Binary::Add;
  bool weak = false;
  std::uint32_t index = 0;
  std::uint32_t target = 0;
  Value value;
  /// Where in the source it is, and what it says there.
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string text;
};

struct Array {
  std::string name;
  LocationIndex first = 0;
  std::uint32_t cells = 1;
};

struct ThreadCode {
  std::string name;
  /// Names of the registers that the source knows; behind them come nameless ones.
  std::vector<std::string> registers;
  std::uint32_t register_count = 0;
  std::vector<Value> initial;  ///< of all registers
  std::uint32_t loops = 0;
  std::vector<Instruction> code;
  /// Does not run unless a NewThread names it.
  bool created = false;
};

struct Program {
  std::vector<Array> arrays;
  std::vector<Value> initial;  ///< of each location
  std::vector<std::string> stacks;
  std::vector<ThreadCode> threads;

  std::uint32_t locations() const { return static_cast<std::uint32_t>(initial.size()); }
  /// The location at an address; kNone outside of every location, and for a number.
  LocationIndex location(Value address) const {
    if (!address.is_address()) return kNone;
    const Array& array = arrays[static_cast<std::size_t>(address.array())];
    if (address.number() < 0 || address.number() >= array.cells) return kNone;
    return array.first + static_cast<LocationIndex>(address.number());
  }
  /// "x", or "x[1]" for another than the first cell.
  std::string location_name(LocationIndex location) const;
  /// A number in decimal; "&x" or "&x[1]".
  std::string spell(Value value) const;
};

}  // namespace heddle::mu
