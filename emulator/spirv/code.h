#pragma once

/// \file
/// A kernel as flat code: every value is a scalar in a slot, every call is inlined, every offset is a number.

#include <heddle/spirv.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/spirv/arithmetic.h"
#include "emulator/spirv/images.h"
#include "emulator/spirv/types.h"

namespace heddle::spirv {

/// A scalar of an invocation.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};

/// A bit for each lane of a subgroup.
using Lanes = std::uint64_t;
inline constexpr std::uint32_t kMostLanes = 64;

// A pointer is an object's number above kObjectStride, and a number of bytes below it.
/// The object that stands for an invocation's own slots; the offset is a slot.
inline constexpr std::uint64_t kLocalObject = 0xffffff;
constexpr std::uint64_t object_of(std::uint64_t pointer) {
  return pointer / kObjectStride;
}
constexpr std::uint64_t offset_of(std::uint64_t pointer) {
  return pointer % kObjectStride;
}
constexpr std::uint64_t local_pointer(Slot slot) {
  return kLocalObject * kObjectStride + slot;
}

enum class Act : std::uint8_t {
  /// to = computation(a, b, c, d)
  Compute,
  /// to = a
  Move,
  /// to = a + offset + stride * index b, which is within its bounds
  Index,
  /// to = what lies at a + offset
  Load,
  /// what lies at a + offset = b
  Store,
  Atomic,
  Fence,
  Barrier,
  /// to = the length of the run-time array that begins at a + offset
  Length,
  /// See ExchangeInfo.
  Exchange,
  /// A construct begins or ends, of which the lanes that come to it together may be so again behind it; see PartInfo.
  Part,
  Rejoin,
  /// debugPrintfEXT; see PrintInfo.
  Print,
  Jump,
  /// Goes to `target` if a is not 0, else to `otherwise`.
  Branch,
  /// A loop is entered, or its header come to once more.
  EnterLoop,
  RepeatLoop,
  Finish,
  /// Undefined behaviour, which `detail` names: of a constant index `offset` of `count` elements, of so many bits as
  /// the
  /// computation has.
  Fault,
};

/// Undefined behaviour that is met.
enum class FaultKind : std::uint8_t {
  None,
  Unreachable,
  OutOfBounds,
  /// A texel lies outside of its image; its coordinates are in the slots a, b and c.
  OutsideOfImage,
  Arithmetic,
  UndefinedAddress,
  BadPointer,
  Refused
};

struct Command {
  Act act = Act::Finish;
  Computation computation;
  Slot to = kNoSlot;
  Slot a = kNoSlot;
  Slot b = kNoSlot;
  Slot c = kNoSlot;
  Slot d = kNoSlot;
  std::uint64_t offset = 0;
  /// Index: bytes or slots from one element to the next, and how many there are; 0: no bound of its own.
  std::uint64_t stride = 0;
  std::uint64_t count = 0;
  /// Index: whether the elements are those of a run-time array, which has none before the first.
  bool runtime = false;
  /// Where a jump goes: the index of a command.
  std::uint32_t target = 0;
  std::uint32_t otherwise = 0;
  /// Index into what the act needs: accesses, loops, fences.
  std::uint32_t detail = 0;
  /// The instruction that it comes from.
  const Instruction* from = nullptr;
  /// A line of the module's text; of a binary one of the source, where there are line records.
  std::uint32_t line = 0;
  /// The OpString that names the source of a binary; 0 where there is none.
  Id file = 0;
};

/// What a memory access is besides its address. Scopes and semantics are in slots.
struct AccessInfo {
  ScalarType type;
  /// OpNop: a plain access.
  Op atomic = Op::OpNop;
  MemoryOperands operands = MemoryOperands::None;
  Slot scope = kNoSlot;      ///< of an atomic, or of its availability or visibility
  Slot semantics = kNoSlot;  ///< of an atomic
  Slot unequal = kNoSlot;    ///< of a compare-exchange that fails
  Slot comparator = kNoSlot;
  /// GLSL450: the variable or the member reached is coherent.
  bool coherent = false;
  /// Whether the pointer is an address, and no descriptor.
  bool physical = false;
};

struct FenceInfo {
  Slot execution = kNoSlot;  ///< of a control barrier
  Slot scope = kNoSlot;
  Slot semantics = kNoSlot;
  /// The loops around a barrier, from the outermost.
  std::vector<std::uint32_t> loops;
};

struct LoopInfo {
  std::optional<std::uint32_t> parent;
  /// The command that every iteration begins with.
  std::uint32_t header = 0;
};

/// What lanes come to together, and leave together.
enum class PartKind : std::uint8_t {
  /// From a header block to its merge block.
  Construct,
  /// One iteration of a loop, up to its continue target.
  Iteration,
  Call,
};

/// Where lanes that went different ways are together again.
enum class Reconvergence : std::uint8_t {
  /// Behind a construct to which the whole workgroup came together.
  Workgroup,
  /// Behind one to which the whole subgroup came together (SubgroupUniformControlFlowKHR).
  Subgroup,
  /// Behind each construct, iteration and call (MaximallyReconvergesKHR).
  Maximal,
};

struct PartInfo {
  PartKind kind = PartKind::Construct;
  /// Whether each lane that comes to it comes to its end: nothing inside returns, or leaves for elsewhere.
  bool all_come = false;
  /// The loops around it.
  std::vector<std::uint32_t> loops;
};

/// An instruction that the lanes of a subgroup do together: each learns what the others give.
struct ExchangeInfo {
  /// OpNop: lanes that give different values part here.
  Op op = Op::OpNop;
  std::uint32_t group_operation = 0;
  /// What the lane gives.
  std::vector<Slot> operands;
  std::vector<ScalarType> types;
  /// The lane that is asked, a mask, or a distance.
  std::vector<Slot> extra;
  std::uint32_t cluster = 0;
  std::vector<Slot> results;
  std::vector<std::uint32_t> loops;
};

/// What is printed, and the values in it.
struct PrintInfo {
  std::string format;
  std::vector<Slot> values;
  std::vector<ScalarType> types;
};

/// Slots that hold a variable's own scalars.
struct LocalRange {
  Slot first = 0;
  std::uint32_t count = 0;
};

/// A slot that an invocation fills before it begins.
struct BuiltIn {
  Slot first = 0;
  std::uint32_t count = 0;
  spv::BuiltIn which{};
};

/// A variable in memory, and the slot that points to it.
struct MemoryVariable {
  Id id = 0;
  Slot pointer = 0;
};

/// An image, and the slots that hold its extents.
struct ImageVariable {
  Id id = 0;
  ImageShape shape;
  Slot extents = 0;
};

struct Code {
  std::vector<Command> commands;
  /// What the slots hold at the beginning; kUndefinedConstant for nothing.
  std::vector<std::uint64_t> image;
  std::vector<ScalarType> slot_types;
  std::vector<AccessInfo> accesses;
  std::vector<FenceInfo> fences;
  std::vector<LoopInfo> loops;
  std::vector<ExchangeInfo> exchanges;
  std::vector<PartInfo> parts;
  std::vector<PrintInfo> prints;
  Reconvergence reconvergence = Reconvergence::Workgroup;
  std::vector<LocalRange> locals;
  std::vector<BuiltIn> built_ins;
  std::vector<MemoryVariable> variables;
  std::vector<ImageVariable> images;
  bool glsl450 = false;
  std::vector<std::string> warnings;
};

}  // namespace heddle::spirv
