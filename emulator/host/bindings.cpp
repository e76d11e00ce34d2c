// What references of kernels are bound to that no argument has: Workgroup variables, and buffers by their addresses.

#include "emulator/host/complaints.h"
#include "emulator/host/emulator.h"
#include "runtime/counted.h"
#include "runtime/text/readable.h"

#include <fmt/format.h>

#include <cstring>

namespace heddle::emulation {

const Binding* workgroup_variable(Emulator& emulator, const Agent& agent, std::uint32_t ordinal,
                                  std::uint64_t size_bytes, std::uint32_t alignment_bytes,
                                  detail::ComponentType component, std::string_view name, bool zeroed,
                                  SourceLocation where) {
  WorkgroupMemory& memory = memory_of(agent);
  if (ordinal < memory.variables.size()) {
    const Binding& known = memory.variables[ordinal].binding;
    raise(agent, FindingKind::WorkgroupVariables,
          fmt::format("Workgroup variable {} of this invocation has {}, that of another "
                      "invocation of the workgroup ('{}') has {}: all must ask for the same "
                      "variables in the same order",
                      ordinal, runtime::counted(size_bytes, "byte", "bytes"), text::readable(known.name),
                      known.size_bytes),
          &known, 0, where);
  }
  memory.used_bytes = (memory.used_bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
  WorkgroupMemory::Variable made;
  made.name = name.empty() ? fmt::format("variable {}", ordinal) : std::string(name);
  made.declared = where;
  Binding& binding = made.binding;
  binding.reference = emulator.device.new_reference();
  binding.storage_class = StorageClass::Workgroup;
  binding.allocation = &memory.allocation;
  binding.offset_bytes = memory.used_bytes;
  binding.size_bytes = size_bytes;
  binding.component = component;
  memory.used_bytes += size_bytes;
  if (memory.used_bytes > agent.group->memory_bytes) {
    binding.name = made.name;
    raise(agent, FindingKind::WorkgroupVariables,
          fmt::format("Workgroup variables need {} bytes; {} is {}", memory.used_bytes, agent.group->grid->memory_limit,
                      agent.group->memory_bytes),
          &binding, 0, where);
  }
  if (ordinal == 0) emulator.begin_variables(memory);
  memory.allocation.initialized.extend(memory.used_bytes);
  // As those of a buffer: what another workgroup left there would be another value in another run.
  std::memset(memory.allocation.bytes + binding.offset_bytes, 0, size_bytes);
  if (zeroed || emulator.device.options.workgroup_memory_zeroed)
    memory.allocation.initialized.mark(binding.offset_bytes, size_bytes);
  const auto locked = emulator.lock();
  memory.variables.push_back(std::move(made));
  WorkgroupMemory::Variable& variable = memory.variables.back();
  variable.binding.name = variable.name;
  memory.known.push_back(&variable.binding);
  emulator.name_object(variable.binding);
  return &variable.binding;
}

const Binding* buffer_at(Emulator& emulator, const Agent& agent, std::uint64_t address, SourceLocation where) {
  const std::shared_ptr<detail::Allocation> found = emulator.device.at(address);
  if (!found) {
    raise(agent, FindingKind::OutOfBounds, fmt::format("address {:#x} is in no buffer of the device", address), nullptr,
          0, where);
  }
  const auto locked = emulator.lock();
  Binding& binding = emulator.by_address[found.get()];
  if (!binding.allocation) {
    binding = Binding(*found, emulator.device.new_reference(), StorageClass::PhysicalStorageBuffer);
    emulator.name_object(binding);
  }
  return &binding;
}

}  // namespace heddle::emulation
