#pragma once

/// \file
/// A module's code as a device runs it: a command is a step, which knows the function that does it. Nothing is decided
/// while it runs that is known beforehand, and nothing is allocated.

#include <heddle/reference.h>
#include <heddle/report.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "emulator/spirv/code.h"

namespace heddle::emulation {
struct Binding;
}

namespace heddle::spirv {

struct Step;
struct State;

/// Does a step, and says which one comes next; null: the invocation has ended.
using Handler = const Step* (*)(const Step* step, State& state);

/// How plain accesses to an object behave, where its declaration says so and not the instruction.
enum class Sharing : std::uint8_t { AsTheInstructionSays, Coherent, OfWorkgroup };
inline constexpr std::size_t kSharings = 3;

/// What only some steps need.
struct StepDetail {
  const Command* command = nullptr;
  SourceLocation where;
  /// How a plain access behaves, by Sharing.
  std::array<Qualifiers, kSharings> qualifiers;
  /// What an atomic, a fence or a barrier has; `unequal` is of a compare-exchange that fails.
  Scope scope = Scope::Invocation;
  Scope execution = Scope::Invocation;
  MemorySemantics semantics = MemorySemantics::None;
  MemorySemantics unequal = MemorySemantics::None;
  Op atomic = Op::OpNop;
  Slot comparator = kNoSlot;
  /// The variable that the instruction's pointer comes from, for findings ("StorageBuffer '%data'").
  const char* object = "";
};

struct Step {
  Handler run = nullptr;
  Slot to = 0;
  Slot a = 0;
  Slot b = 0;
  Slot c = 0;
  /// What is added to a pointer, or the bits that a result keeps.
  std::uint64_t number = 0;
  /// How far apart the elements are that an index chooses from, and how many there are; 0: no bound of its own.
  std::uint64_t stride = 0;
  std::uint64_t count = 0;
  /// Where jumps go.
  const Step* target = nullptr;
  const Step* otherwise = nullptr;
  const StepDetail* detail = nullptr;
};

/// Bytes that a pointer may point to, as one invocation reaches them.
struct Place {
  /// Emulated: a buffer, or a Workgroup variable. Null for constants, and where nothing is bound.
  const emulation::Binding* binding = nullptr;
  /// Where it lies in native mode, and where constants lie.
  std::byte* bytes = nullptr;
  std::uint64_t size = 0;
  Sharing sharing = Sharing::AsTheInstructionSays;
  bool constant = false;
  /// The variable, for findings; a text that lasts as long as the process.
  const char* object = "";
};

/// An invocation that runs.
struct State {
  std::uint64_t* slots = nullptr;
  /// By the object's number.
  const Place* places = nullptr;
  std::uint64_t place_count = 0;
  std::uint64_t slot_count = 0;
  /// An emulated::Invocation or a native::Invocation.
  void* invocation = nullptr;
  Coordinates (*coordinates)(const void* invocation) = nullptr;
};

/// A loop that goes round more often, and changes something each time, has no end.
inline constexpr std::uint64_t kMostIterations = std::uint64_t{1} << 20;
/// What is told of such a loop.
std::string endless_loop();

/// Ends the dispatch with a finding at this step.
[[noreturn]] void raise(const State& state, const Step& step, FindingKind kind, std::string message);
/// Ends the dispatch with a finding that says why so many bytes at the pointer are undefined or out of bounds.
[[noreturn]] void raise_bad_pointer(const State& state, const Step& step, std::uint64_t pointer, std::uint64_t bytes);

// The handlers of what is no access to memory: both modes share them.

/// The handler of a computation.
Handler handler_of(const Command& command);
/// The handler of a computation whose result the branch behind it goes by, or null: the step goes to `target` or to
/// `otherwise`, as the branch does.
Handler handler_with_branch(const Command& command);
const Step* step_move(const Step* step, State& state);
/// Does the move of the step behind it as well: from b to c.
const Step* step_move_two(const Step* step, State& state);
/// Does the jump of the step behind it as well.
const Step* step_move_and_jump(const Step* step, State& state);
const Step* step_index(const Step* step, State& state);
const Step* step_length(const Step* step, State& state);
const Step* step_jump(const Step* step, State& state);
const Step* step_branch(const Step* step, State& state);
const Step* step_enter_loop(const Step* step, State& state);
const Step* step_repeat_loop(const Step* step, State& state);
const Step* step_fault(const Step* step, State& state);
const Step* step_finish(const Step* step, State& state);
/// Does nothing: a fence that orders nothing.
const Step* step_nothing(const Step* step, State& state);

}  // namespace heddle::spirv
