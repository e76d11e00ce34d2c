// What the bytes of a dispatch are called: buffers, images, and Workgroup variables.

#include <fmt/format.h>

#include "emulator/host/emulator.h"
#include "runtime/text/readable.h"

namespace heddle::emulation {

std::string Emulator::describe(const void* address) {
  const auto locked = lock();
  for (const auto& memory : all_memory_) {
    for (const WorkgroupMemory::Variable& variable : memory->variables) {
      const auto* begin = memory->allocation.bytes + variable.binding.offset_bytes;
      const auto* byte = static_cast<const std::byte*>(address);
      if (byte >= begin && byte < begin + variable.binding.size_bytes) {
        return fmt::format("'{}', byte {}", text::readable(variable.name), byte - begin);
      }
    }
  }
  return device.describe(address);
}

namespace {

bool has(const Binding& binding, const Locations& bytes) {
  return binding.allocation && binding.allocation->id == bytes.allocation &&
         bytes.offset_bytes >= binding.offset_bytes && bytes.offset_bytes < binding.offset_bytes + binding.size_bytes;
}

watch::NamedObject named(const Binding& binding) {
  return {{binding.allocation->id, binding.offset_bytes, binding.size_bytes, binding.reference, binding.storage_class,
           binding.name},
          binding.component};
}

}  // namespace

void Emulator::name_object(const Binding& binding) {
  if (device.watchers.has_trace()) device.watchers.name_object(named(binding));
}

std::vector<watch::NamedObject> Emulator::arguments() const {
  std::vector<watch::NamedObject> all;
  for (const Binding& binding : bindings)
    if (binding.allocation) all.push_back(named(binding));
  return all;
}

const Binding* Emulator::object_at(const Locations& bytes) const {
  for (const Binding& binding : bindings)
    if (has(binding, bytes)) return &binding;
  if (const WorkgroupMemory::Variable* variable = variable_at(bytes)) return &variable->binding;
  for (const auto& [allocation, binding] : by_address)
    if (has(binding, bytes)) return &binding;
  return nullptr;
}

const WorkgroupMemory::Variable* Emulator::variable_at(const Locations& bytes) const {
  for (const auto& memory : all_memory_)
    for (const WorkgroupMemory::Variable& variable : memory->variables)
      if (has(variable.binding, bytes)) return &variable;
  return nullptr;
}

SourceLocation Emulator::declaration_of(const Locations& bytes) {
  const auto locked = lock();
  const WorkgroupMemory::Variable* const variable = variable_at(bytes);
  return variable && variable->binding.size_bytes == variable->binding.component.element_bytes ? variable->declared
                                                                                               : SourceLocation{};
}

std::optional<watch::NamedObject> Emulator::object_with(const Locations& bytes) {
  const auto locked = lock();
  const Binding* object = object_at(bytes);
  return object ? std::optional(named(*object)) : std::nullopt;
}

}  // namespace heddle::emulation
