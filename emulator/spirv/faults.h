#pragma once

/// \file
/// Undefined behaviour that an invocation meets, and what is said of it.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/spirv/dispatch.h"

namespace heddle::spirv {

/// Undefined behaviour at a command.
struct Fault {
  std::uint32_t command = 0;
  FaultKind kind = FaultKind::None;
  /// What the command went by: a pointer, the base of a chain and an index, or the coordinates of a texel.
  std::vector<std::uint64_t> numbers;
  auto operator<=>(const Fault&) const = default;
};

/// The results of an invocation's last step: {0} where it met none.
std::vector<explore::Value> results_of(const Fault& fault);
std::optional<Fault> fault_in(const std::vector<explore::Value>& results);

/// One fault for each command that met any: the least, whichever was met first.
using Faults = std::map<std::uint32_t, Fault>;
void add_fault(Faults& faults, const std::vector<explore::Value>& results);

/// A fault in words, which say the variable, the index or the bytes, and what the variable has.
std::string describe_fault(const Dispatch& dispatch, const Fault& fault);
/// The variable that a fault is about, as the module calls it ("%data"); empty if there is none.
std::string object_of_fault(const Dispatch& dispatch, const Fault& fault);

/// The variable that the pointer of an instruction comes from ("StorageBuffer '%data'"); "memory" where the module
/// does not say one.
std::string pointed_to(const Dispatch& dispatch, const Instruction& instruction);

/// "StorageBuffer '%data'".
std::string object_words(const Object& object);

/// "OpLoad": what a command comes from.
std::string instruction_of(const Command& command);
/// "OpLoad reads bytes 256 to 259 of StorageBuffer '%data', which has 256 bytes".
std::string bytes_text(const Command& command, std::uint64_t offset, std::uint64_t bytes, const std::string& object,
                       std::uint64_t size);
/// "OpAccessChain takes index 64 of an array of 64 elements in Workgroup '%tile'"; no elements: it is a run-time array.
/// The index has so many bits.
std::string index_text(const Command& command, std::uint64_t index, std::uint8_t bits, const std::string& object);

/// Whether so many elements from a pointer on is no place in the pointer's object, however large that is.
bool leaves_object(std::uint64_t pointer, std::uint64_t offset, std::int64_t elements, std::uint64_t stride);

}  // namespace heddle::spirv
