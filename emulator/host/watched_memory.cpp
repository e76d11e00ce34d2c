#include "emulator/host/watched_memory.h"

#include "emulator/host/checks.h"
#include "emulator/race/kernel_detector_quick.h"

namespace heddle::detail {

/// Calls act(bytes), which makes the access and returns what it read and wrote.
template <OperationKind kind, typename Act>
[[gnu::always_inline]] inline bool WatchedMemory::act(AgentId agent, const emulation::PlainAccess& access,
                                                      Act act) {
  constexpr bool writes = kind == OperationKind::Write;
  const emulation::Binding& binding = *access.binding;
  if (access.size_bytes != race::kGranuleBytes ||
      !emulation::is_sound(binding, access.offset_bytes, race::kGranuleBytes))
    return false;
  const AllocationId allocation = binding.allocation->id;
  const std::uint64_t offset = offset_bytes(access);
  if (writes && memory_.keeps_writers(allocation)) return false;
  const race::SiteId site = sites_.of(access, kind, detector_);
  const bool full = recent_.is_full();
  if (site == race::kNoSite || (!full && !recent_.knows(site))) return false;
  if (!detector_.answers_quickly<writes>(agent, binding.reference, allocation, offset, site) &&
      !detector_.answers(agent, binding.reference, {allocation, offset, race::kGranuleBytes}, site))
    return false;
  const advice::AccessValues values = act(binding.allocation->bytes + offset);
  if (full) {
    recent_.skip(memory_.told());
  } else {
    recent_.access(memory_.told(), agent, binding.reference,
                   {allocation, offset, race::kGranuleBytes}, site, values);
  }
  memory_.count_told();
  return true;
}

bool WatchedMemory::read(AgentId agent, const emulation::PlainAccess& access,
                         const unsigned char* value_bytes, void* value) {
  if (emulation::misses_initialization(*access.binding, access.offset_bytes, access.size_bytes,
                                       value_bytes)) [[unlikely]]
    return false;
  return act<OperationKind::Read>(agent, access, [&](const std::byte* bytes) -> advice::AccessValues {
    std::memcpy(value, bytes, race::kGranuleBytes);
    return {memory::load_value(bytes, race::kGranuleBytes), 0};
  });
}

bool WatchedMemory::write(AgentId agent, const emulation::PlainAccess& access, const void* value) {
  return act<OperationKind::Write>(agent, access, [&](std::byte* bytes) -> advice::AccessValues {
    std::memcpy(bytes, value, race::kGranuleBytes);
    access.binding->allocation->initialized.mark(offset_bytes(access), race::kGranuleBytes);
    return {0, memory::load_value(value, race::kGranuleBytes)};
  });
}

}  // namespace heddle::detail
