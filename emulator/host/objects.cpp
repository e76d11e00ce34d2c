// What the bytes of a dispatch are called: buffers, images, and Workgroup memory, whose variables are made here.

#include <fmt/format.h>

#include <cstring>

#include "emulator/host/emulator.h"
#include "emulator/report/member_text.h"
#include "emulator/watch/parallel_memory.h"
#include "runtime/counted.h"
#include "runtime/text/readable.h"

namespace heddle::emulation {

std::string Emulator::describe(const void* address) {
  const std::string variable = describe_variable(address);
  return variable.empty() ? device.describe(address) : variable;
}

std::string Emulator::describe_variable(const void* address) {
  const auto locked = lock();
  for (const auto& memory : all_memory_) {
    for (const WorkgroupMemory::Variable& variable : memory->variables) {
      const auto* begin = memory->allocation.bytes + variable.binding.offset_bytes;
      const auto* byte = static_cast<const std::byte*>(address);
      if (byte >= begin && byte < begin + variable.binding.size_bytes) {
        return report::place_text(text::readable(variable.name), variable.binding.component,
                                  static_cast<std::uint64_t>(byte - begin));
      }
    }
  }
  return {};
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

void Emulator::tell_begin(std::uint32_t groups) {
  device.watchers.dispatch_begins({dispatch_, *this});
  if (device.parallel) device.parallel->dispatch_begins(dispatch_.first_agent, grid_->group_size, groups);
}

Coordinates Emulator::coordinates(AgentId agent) const {
  return trace::coordinates_of(dispatch_, agent);
}

void Emulator::make_memory(AllocationId id) {
  if (used_memory_ == all_memory_.size()) all_memory_.push_back(std::make_unique<WorkgroupMemory>());
  WorkgroupMemory& memory = *all_memory_[used_memory_++];
  memory.emulator = this;
  memory.pulse = this;
  memory.next_free = free_memory_;
  detail::Allocation& allocation = memory.allocation;
  allocation.id = id;
  allocation.name = "Workgroup memory";
  free_memory_ = &memory;
}

// The memory gets a new number when a workgroup first declares a variable in it: a listener must not take one
// workgroup's memory for another's.
void Emulator::begin_variables(WorkgroupMemory& memory) {
  detail::Allocation& allocation = memory.allocation;
  device.watchers.renew_workgroup_memory(allocation.id);
  if (!device.parallel) {
    device.memory->add(allocation.id, {allocation.bytes, allocation.size_bytes});
    device.memory->note_initialized(allocation.id, allocation.initialized);
  }
  // Only the bytes that variables cover are tracked, from when they do.
  allocation.initialized.track(0);
}

void Emulator::forget_variables(WorkgroupMemory& memory) {
  device.memory->remove(memory.allocation.id);
  const auto locked = lock();
  memory.variables.clear();
  memory.known.clear();
}

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
  const std::uint64_t most_bytes = memory.allocation.size_bytes;
  if (memory.used_bytes > most_bytes) {
    binding.name = made.name;
    raise(agent, FindingKind::WorkgroupVariables,
          fmt::format("Workgroup variables need {} bytes; {} is {}", memory.used_bytes, emulator.grid().memory_limit,
                      most_bytes),
          &binding, 0, where);
  }
  if (ordinal == 0) emulator.begin_variables(memory);
  memory.allocation.initialized.extend(memory.used_bytes);
  // As those of a buffer: what another workgroup left there would be another value in another run.
  const std::span<std::byte> bytes{memory.allocation.bytes + binding.offset_bytes, size_bytes};
  std::memset(bytes.data(), 0, bytes.size());
  if (zeroed || emulator.device.options.workgroup_memory_zeroed) {
    memory.allocation.initialized.mark(binding.offset_bytes, size_bytes);
  } else {
    emulator.device.fill_undefined(bytes, memory.invocations.place.workgroup | (std::uint64_t{ordinal} + 1) << 32);
  }
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
