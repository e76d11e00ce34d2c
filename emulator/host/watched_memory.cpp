#include "emulator/host/watched_memory.h"

#include "emulator/host/checks.h"
#include "emulator/race/kernel_detector_quick.h"

namespace heddle::detail {

/// A read into `value`, or a write from there.
template <OperationKind kind>
[[gnu::always_inline]] inline bool WatchedMemory::act(AgentId agent, const emulation::PlainAccess& access,
                                                      void* value) {
  constexpr bool writes = kind == OperationKind::Write;
  const emulation::Binding& binding = *access.binding;
  if (access.size_bytes > race::kGranuleBytes ||
      !emulation::is_sound(binding, access.offset_bytes, access.size_bytes))
    return false;
  const Locations bytes{binding.allocation->id, offset_bytes(access), access.size_bytes};
  if (writes && memory_.keeps_writers(bytes.allocation)) return false;
  const race::SiteId site = sites_.of(access, kind, detector_);
  const bool full = recent_.is_full();
  if (site == race::kNoSite || (!full && !recent_.knows(site)) ||
      (!detector_.answers_quickly<writes>(agent, binding.reference, bytes, site) &&
       !detector_.answers(agent, binding.reference, bytes, site)))
    return false;
  std::byte* const storage = binding.allocation->bytes + bytes.offset_bytes;
  const trace::Value moved = memory::load_value(writes ? value : storage, bytes.size_bytes);
  memory::store_value(writes ? storage : value, moved, bytes.size_bytes);
  if (full) {
    recent_.skip(memory_.told());
  } else {
    recent_.access(memory_.told(), agent, binding.reference, bytes, site,
                   writes ? advice::AccessValues{0, moved} : advice::AccessValues{moved, 0});
  }
  memory_.count_told();
  return true;
}

bool WatchedMemory::read(AgentId agent, const emulation::PlainAccess& access,
                         const unsigned char* value_bytes, void* value) {
  return !emulation::misses_initialization(*access.binding, access.offset_bytes, access.size_bytes,
                                           value_bytes) &&
         act<OperationKind::Read>(agent, access, value);
}

bool WatchedMemory::write(AgentId agent, const emulation::PlainAccess& access, const void* value) {
  if (!act<OperationKind::Write>(agent, access, const_cast<void*>(value))) return false;
  access.binding->allocation->initialized.mark(offset_bytes(access), access.size_bytes);
  return true;
}

bool WatchedMemory::update(AgentId agent, const emulation::Access& access, Scope scope,
                           MemorySemantics semantics, emulation::Modify modify, void* context) {
  const emulation::Binding& binding = *access.binding;
  if (access.size_bytes != race::kGranuleBytes ||
      !emulation::is_sound(binding, access.offset_bytes, access.size_bytes) ||
      emulation::misses_initialization(binding, access.offset_bytes, access.size_bytes, nullptr))
    return false;
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
  if (recent_.is_full()) {
    recent_.skip(index);
  } else {
    recent_.access(index, agent, binding.reference, bytes, site, values);
    recent_.reads_from(index, memory_.sources_of(bytes));
    recent_.placed(index);
  }
  memory_.note_writer(bytes, index);
  memory_.count_told();
  return true;
}

}  // namespace heddle::detail
