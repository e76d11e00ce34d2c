#include "emulator/spirv/faults.h"

#include <fmt/format.h>

namespace heddle::spirv {
namespace {

/// The variable that an id comes from: through chains, copies and what loads an image.
const Instruction* variable_of(const Definitions& definitions, Id id) {
  constexpr int kMostSteps = 100;
  const Instruction* at = definitions.find(id);
  for (int steps = 0; at != nullptr && steps < kMostSteps; ++steps) {
    switch (at->op) {
      case Op::OpVariable:
        return at;
      case Op::OpAccessChain:
      case Op::OpInBoundsAccessChain:
      case Op::OpPtrAccessChain:
      case Op::OpInBoundsPtrAccessChain:
      case Op::OpCopyObject:
      case Op::OpImageTexelPointer:
      case Op::OpImage:
      case Op::OpLoad:
        at = definitions.find(definitions.module().operand(*at, 0));
        break;
      default:
        return nullptr;
    }
  }
  return nullptr;
}

const Instruction* variable_of(const Dispatch& dispatch, const Instruction& instruction) {
  if (instruction.operand_count == 0) return nullptr;
  return variable_of(dispatch.definitions(), dispatch.module().operand(instruction, 0));
}

/// The object of a pointer that is one in memory.
const Object* object_at(const Dispatch& dispatch, std::uint64_t pointer) {
  const std::uint64_t number = object_of(pointer);
  if (is_token(pointer) || number == 0 || number >= dispatch.objects().size()) return nullptr;
  return &dispatch.objects()[number];
}

std::string words_of(StorageClass storage, const std::string& name) {
  return fmt::format("{} '{}'", name_of(storage), name);
}

/// The object of the pointer that a fault's command went by, else the variable that its instruction names.
std::string words_of_object(const Dispatch& dispatch, const Fault& fault) {
  const Command& command = dispatch.code().commands[fault.command];
  const Object* object = fault.numbers.empty() ? nullptr : object_at(dispatch, fault.numbers[0]);
  if (object != nullptr && command.act != Act::Fault) return object_words(*object);
  return command.from != nullptr ? pointed_to(dispatch, *command.from) : std::string("memory");
}

std::string access_text(const Dispatch& dispatch, const Fault& fault) {
  const Command& command = dispatch.code().commands[fault.command];
  const Object* object = object_at(dispatch, fault.numbers.at(0));
  const std::string object_text = words_of_object(dispatch, fault);
  if (object == nullptr) return instruction_of(command) + " is out of bounds of " + object_text;
  const std::uint32_t bytes = dispatch.code().accesses[command.detail].type.bytes();
  return bytes_text(command, offset_of(fault.numbers[0]), bytes, object_text, object->size);
}

std::string undefined_address_text(const Command& command, const Fault& fault) {
  const std::string what = instruction_of(command);
  const bool has_base = fault.numbers.empty() || is_token(fault.numbers[0]);
  if (command.act == Act::Index && !has_base) return what + " takes an index that nothing defines";
  return what + " is at an address that nothing defines";
}

std::string texel_text(const Dispatch& dispatch, const Fault& fault) {
  const Command& command = dispatch.code().commands[fault.command];
  std::string coordinates;
  for (const std::uint64_t each : fault.numbers)
    coordinates += fmt::format("{}{}", coordinates.empty() ? "" : ", ", static_cast<std::int64_t>(each));
  return fmt::format("{} is at ({}), which lies outside of {}", instruction_of(command), coordinates,
                     words_of_object(dispatch, fault));
}

std::string out_of_bounds_text(const Dispatch& dispatch, const Fault& fault) {
  const Command& command = dispatch.code().commands[fault.command];
  if (command.act == Act::Fault)
    return index_text(command, command.offset, command.computation.bits, words_of_object(dispatch, fault));
  if (command.act == Act::Index)
    return index_text(command, fault.numbers.at(1), command.computation.bits, words_of_object(dispatch, fault));
  return access_text(dispatch, fault);
}

}  // namespace

std::vector<explore::Value> results_of(const Fault& fault) {
  std::vector<explore::Value> out{fault.command + std::uint64_t{1}, static_cast<std::uint64_t>(fault.kind)};
  out.insert(out.end(), fault.numbers.begin(), fault.numbers.end());
  return out;
}

std::optional<Fault> fault_in(const std::vector<explore::Value>& results) {
  if (results.size() < 2 || results[0] == 0) return std::nullopt;
  return Fault{static_cast<std::uint32_t>(results[0] - 1),
               static_cast<FaultKind>(results[1]),
               {results.begin() + 2, results.end()}};
}

void add_fault(Faults& faults, const std::vector<explore::Value>& results) {
  const std::optional<Fault> fault = fault_in(results);
  if (!fault) return;
  const auto [known, is_new] = faults.emplace(fault->command, *fault);
  if (!is_new && *fault < known->second) known->second = *fault;
}

std::string object_words(const Object& object) {
  return words_of(object.storage, object.name);
}

std::string instruction_of(const Command& command) {
  return command.from != nullptr ? std::string(name_of(command.from->op)) : std::string("the kernel");
}

std::string pointed_to(const Dispatch& dispatch, const Instruction& instruction) {
  const Instruction* variable = variable_of(dispatch, instruction);
  if (variable == nullptr) return "memory";
  return words_of(static_cast<StorageClass>(dispatch.module().operand(*variable, 0)),
                  dispatch.definitions().spelled(variable->result));
}

std::string bytes_text(const Command& command, std::uint64_t offset, std::uint64_t bytes, const std::string& object,
                       std::uint64_t size) {
  const char* verb = command.act == Act::Load ? "reads" : command.act == Act::Store ? "writes" : "accesses";
  return fmt::format("{} {} bytes {} to {} of {}, which has {} bytes", instruction_of(command), verb, offset,
                     offset + bytes - 1, object, size);
}

std::string index_text(const Command& command, std::uint64_t index, std::uint8_t bits, const std::string& object) {
  const std::int64_t value = signed_value(index, bits);
  const std::string unsigned_text = value < 0 ? fmt::format(" ({} without a sign)", cut(index, bits)) : "";
  const std::string array =
      command.count != 0 ? fmt::format("an array of {} elements", command.count) : std::string("a run-time array");
  return fmt::format("{} takes index {}{} of {} in {}", instruction_of(command), value, unsigned_text, array, object);
}

std::string describe_fault(const Dispatch& dispatch, const Fault& fault) {
  const Command& command = dispatch.code().commands[fault.command];
  const std::string what = instruction_of(command);
  switch (fault.kind) {
    case FaultKind::Arithmetic:
      return what + " has no defined result: it divides by zero, or overflows";
    case FaultKind::Unreachable:
      return "OpUnreachable is reached";
    case FaultKind::UndefinedAddress:
      return undefined_address_text(command, fault);
    case FaultKind::BadPointer:
      return what +
             (object_of(fault.numbers.at(0)) == 0 ? " is at a null pointer" : " is at an address of no variable");
    case FaultKind::OutsideOfImage:
      return texel_text(dispatch, fault);
    case FaultKind::OutOfBounds:
      return out_of_bounds_text(dispatch, fault);
    default:
      return what + " is undefined behaviour";
  }
}

std::string object_of_fault(const Dispatch& dispatch, const Fault& fault) {
  if (fault.kind != FaultKind::OutOfBounds && fault.kind != FaultKind::OutsideOfImage) return "";
  const Command& command = dispatch.code().commands[fault.command];
  const Object* object = fault.numbers.empty() ? nullptr : object_at(dispatch, fault.numbers[0]);
  if (object != nullptr && command.act != Act::Fault) return object->name;
  const Instruction* variable = command.from != nullptr ? variable_of(dispatch, *command.from) : nullptr;
  return variable != nullptr ? dispatch.definitions().spelled(variable->result) : "";
}

bool leaves_object(std::uint64_t pointer, std::uint64_t offset, std::int64_t elements, std::uint64_t stride) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, static_cast<std::int64_t>(stride), &bytes)) return true;
  if (__builtin_add_overflow(bytes, static_cast<std::int64_t>(offset_of(pointer) + offset), &bytes)) return true;
  return bytes < 0 || static_cast<std::uint64_t>(bytes) >= kObjectStride;
}

}  // namespace heddle::spirv
