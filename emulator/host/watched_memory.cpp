#include "emulator/host/watched_memory.h"

#include "emulator/race/kernel_detector_quick.h"

namespace heddle::detail {

/// A read into `value`, or a write from there.
template <OperationKind kind>
[[gnu::always_inline]] inline bool WatchedMemory::act(AgentId agent, const emulation::PlainAccess& access,
                                                      void* value) {
  constexpr bool writes = kind == OperationKind::Write;
  const emulation::Binding& binding = *access.binding;
  if (access.size_bytes > race::kGranuleBytes || !emulation::is_sound(access)) return false;
  const Locations bytes = locations(access);
  if (writes && memory_.keeps_writers(bytes.allocation)) return false;
  const race::SiteId site = sites_.of(access, kind, detector_);
  if (site == race::kNoSite || !recent_.knows(site) ||
      (!detector_.answers_quickly<writes>(agent, binding.reference, bytes, site) &&
       !detector_.answers(agent, binding.reference, bytes, site)))
    return false;
  const advice::AccessValues values = move_value<writes>(
      binding.allocation->bytes + bytes.offset_bytes, value, bytes.size_bytes);
  recent_.access(memory_.told(), agent, binding.reference, bytes, site, values);
  memory_.count_told();
  return true;
}

bool WatchedMemory::read(AgentId agent, const emulation::PlainAccess& access,
                         const unsigned char* value_bytes, void* value) {
  return !emulation::misses_initialization(access, value_bytes) && act<OperationKind::Read>(agent, access, value);
}

bool WatchedMemory::write(AgentId agent, const emulation::PlainAccess& access, const void* value) {
  if (!act<OperationKind::Write>(agent, access, const_cast<void*>(value))) return false;
  const Locations bytes = locations(access);
  access.binding->allocation->initialized.mark(bytes.offset_bytes, bytes.size_bytes);
  return true;
}

bool WatchedMemory::update(AgentId agent, const emulation::Access& access, Scope scope,
                           MemorySemantics semantics, emulation::Modify modify, void* context) {
  if (!is_granule_to_update(access)) return false;
  const emulation::Binding& binding = *access.binding;
  const Locations bytes = locations(access);
  std::byte* const storage = binding.allocation->bytes + bytes.offset_bytes;
  const race::SiteId site = site_of(access, scope, semantics, detector_);
  advice::AccessValues values;
  // The first one of an allocation makes the memory keep who wrote it.
  if (site == race::kNoSite || !recent_.knows(site) || !memory_.keeps_writers(bytes.allocation) ||
      !update_granule(storage, modify, context, values) ||
      !detector_.answers_atomic(agent, binding.reference, bytes, site))
    return false;
  memory::store_value(storage, values.written, race::kGranuleBytes);
  const model::OperationIndex index = memory_.told();
  const bool remembered = !recent_.is_full();
  recent_.access(index, agent, binding.reference, bytes, site, values);
  if (remembered) {
    recent_.reads_from(index, memory_.sources_of(bytes));
    recent_.placed(index);
  }
  memory_.note_writer(bytes, index);
  memory_.count_told();
  return true;
}

}  // namespace heddle::detail
