#include <heddle/detail/runtime.h>

#include <utility>

#include "emulator/spirv/faults.h"
#include "emulator/spirv/host/step.h"
#include "emulator/spirv/tokens.h"

/// \file
/// Steps that are no computations and no accesses to memory, and findings of steps.

namespace heddle::spirv {
namespace {

[[noreturn, gnu::cold, gnu::noinline]] void raise_undefined_branch(const State& state, const Step& step) {
  raise(state, step, FindingKind::UndefinedValue, "a value that nothing defines decides which way is taken.");
}

[[noreturn, gnu::cold, gnu::noinline]] void raise_bad_index(const State& state, const Step& step, std::uint64_t by) {
  const std::uint64_t base = object_of(state.slots[step.a]);
  const bool is_known = base != 0 && base < state.place_count;
  raise(state, step, FindingKind::OutOfBounds,
        index_text(*step.detail->command, by, step.detail->command->computation.bits,
                   is_known ? state.places[base].object : step.detail->object) +
            '.');
}

/// Whether an index of an array without a length goes to where another object is. (That of a physical address is held
/// against the device's buffers.)
bool leaves(const State& state, const Step& step, std::uint64_t base, std::int64_t i) {
  constexpr std::uint64_t kNear = 1U << 20;
  if (step.count != 0 || static_cast<std::uint64_t>(i) < kNear) return false;
  if (step.detail->command->runtime && i < 0) return true;
  return object_of(base) < state.place_count && leaves_object(base, step.number, i, step.stride);
}

}  // namespace

std::string endless_loop() {
  return "a loop of the module was gone round " + std::to_string(kMostIterations) + " times.";
}

void raise(const State& state, const Step& step, FindingKind kind, std::string message) {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.where = step.detail->where;
  finding.invocation = state.coordinates(state.invocation);
  runtime::raise(std::move(finding));
}

void raise_bad_pointer(const State& state, const Step& step, std::uint64_t pointer, std::uint64_t bytes) {
  const Command& command = *step.detail->command;
  const std::string what = instruction_of(command);
  if (is_token(pointer)) raise(state, step, FindingKind::OutOfBounds, what + " is at an address that nothing defines.");
  const std::uint64_t number = object_of(pointer);
  if (number == 0) raise(state, step, FindingKind::OutOfBounds, what + " is at a null pointer.");
  if (number >= state.place_count || bytes == 0)
    raise(state, step, FindingKind::OutOfBounds, what + " is out of bounds of " + step.detail->object + '.');
  const Place& place = state.places[number];
  raise(state, step, FindingKind::OutOfBounds,
        bytes_text(command, offset_of(pointer), bytes, place.object, place.size) + '.');
}

const Step* step_move(const Step* step, State& state) {
  state.slots[step->to] = state.slots[step->a];
  return step + 1;
}

const Step* step_move_two(const Step* step, State& state) {
  state.slots[step->to] = state.slots[step->a];
  state.slots[step->c] = state.slots[step->b];
  return step + 2;
}

const Step* step_move_and_jump(const Step* step, State& state) {
  state.slots[step->to] = state.slots[step->a];
  return step->target;
}

const Step* step_index(const Step* step, State& state) {
  const std::uint64_t base = state.slots[step->a];
  const std::uint64_t by = state.slots[step->b];
  if (is_token(base) || is_token(by)) [[unlikely]]
    raise_bad_pointer(state, *step, is_token(base) ? base : by, 0);
  const std::int64_t i = signed_value(by, step->c);
  if ((step->count != 0 && static_cast<std::uint64_t>(i) >= step->count) || leaves(state, *step, base, i)) [[unlikely]]
    raise_bad_index(state, *step, by);
  state.slots[step->to] = base + step->number + static_cast<std::uint64_t>(i) * step->stride;
  return step + 1;
}

const Step* step_length(const Step* step, State& state) {
  const std::uint64_t pointer = state.slots[step->a] + step->number;
  if (is_token(pointer) || object_of(pointer) >= state.place_count) raise_bad_pointer(state, *step, pointer, 0);
  const std::uint64_t size = state.places[object_of(pointer)].size;
  const std::uint64_t offset = offset_of(pointer);
  state.slots[step->to] = offset > size || step->stride == 0 ? 0 : (size - offset) / step->stride;
  return step + 1;
}

const Step* step_jump(const Step* step, State&) {
  return step->target;
}

const Step* step_branch(const Step* step, State& state) {
  const std::uint64_t condition = state.slots[step->a];
  if (is_token(condition)) [[unlikely]]
    raise_undefined_branch(state, *step);
  return condition != 0 ? step->target : step->otherwise;
}

const Step* step_enter_loop(const Step* step, State& state) {
  state.slots[step->to] = 0;
  return step + 1;
}

const Step* step_repeat_loop(const Step* step, State& state) {
  if (++state.slots[step->to] == kMostIterations) [[unlikely]]
    raise(state, *step, FindingKind::NoProgress, endless_loop());
  return step + 1;
}

const Step* step_fault(const Step* step, State& state) {
  const Command& command = *step->detail->command;
  if (static_cast<FaultKind>(command.detail) == FaultKind::Unreachable)
    raise(state, *step, FindingKind::RequirementFailed, "OpUnreachable is reached.");
  if (static_cast<FaultKind>(command.detail) == FaultKind::OutsideOfImage)
    raise(state, *step, FindingKind::OutOfBounds,
          instruction_of(command) + " is outside of " + step->detail->object + '.');
  raise(state, *step, FindingKind::OutOfBounds,
        index_text(command, command.offset, command.computation.bits, step->detail->object) + '.');
}

const Step* step_finish(const Step*, State&) {
  return nullptr;
}

const Step* step_nothing(const Step* step, State&) {
  return step + 1;
}

}  // namespace heddle::spirv
