#include "emulator/host/watched_memory.h"

#include "emulator/race/kernel_detector_quick.h"

namespace heddle::detail {

emulation::SiteNumber WatchedMemory::look_up(const emulation::Instruction& instruction) {
  const SiteNumber site = DetectedAccesses::look_up(instruction);
  if (site != race::kNoSite) recent_.learn(detector_.site(site).operation, site);
  return site;
}

inline void WatchedMemory::tell(AgentId agent, const Binding& binding, const Locations& bytes,
                                SiteNumber site, model::Value value) {
  recent_.access(memory_.told(), agent, binding.reference, bytes, site, value);
  memory_.count_told();
}

// What these two do not answer they do as of fewer bytes: kept out of them.
std::uint32_t WatchedMemory::read(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                                  SiteNumber site) {
  const Locations bytes = locations(binding, offset_bytes);
  if (!detector_.answers_quickly<false>(agent, binding.reference, bytes.allocation, bytes.offset_bytes, site))
      [[unlikely]]
    return read_part(agent, binding, offset_bytes, kMostBytes, site);
  std::uint32_t value;
  std::memcpy(&value, storage(binding, bytes), sizeof value);
  tell(agent, binding, bytes, site, value);
  return value;
}

void WatchedMemory::write(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                          std::uint32_t value, SiteNumber site) {
  const Locations bytes = locations(binding, offset_bytes);
  if (memory_.keeps_writers(bytes.allocation) ||
      !detector_.answers_quickly<true>(agent, binding.reference, bytes.allocation, bytes.offset_bytes, site))
      [[unlikely]]
    return write_part(agent, binding, offset_bytes, value, kMostBytes, site);
  std::memcpy(storage(binding, bytes), &value, sizeof value);
  binding.allocation->initialized.mark(bytes.offset_bytes, sizeof value);
  tell(agent, binding, bytes, site, value);
}

[[gnu::noinline]] std::uint32_t WatchedMemory::read_part(AgentId agent, const Binding& binding,
                                                         std::uint64_t offset_bytes,
                                                         std::uint32_t size_bytes, SiteNumber site) {
  const Locations bytes = locations(binding, offset_bytes, size_bytes);
  std::uint32_t value = 0;
  if (detector_.answers(agent, binding.reference, bytes, site)) {
    std::memcpy(&value, storage(binding, bytes), size_bytes);
    tell(agent, binding, bytes, site, value);
  } else {
    memory_.read(record(agent, binding, bytes, site), &value);
  }
  return value;
}

[[gnu::noinline]] void WatchedMemory::write_part(AgentId agent, const Binding& binding,
                                                 std::uint64_t offset_bytes, std::uint32_t value,
                                                 std::uint32_t size_bytes, SiteNumber site) {
  const Locations bytes = locations(binding, offset_bytes, size_bytes);
  if (!memory_.keeps_writers(bytes.allocation) && detector_.answers(agent, binding.reference, bytes, site)) {
    std::memcpy(storage(binding, bytes), &value, size_bytes);
    tell(agent, binding, bytes, site, value);
  } else {
    memory_.write(record(agent, binding, bytes, site), &value);
  }
  binding.allocation->initialized.mark(bytes.offset_bytes, size_bytes);
}

bool WatchedMemory::update(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                           SiteNumber site, emulation::Modify modify, void* context) {
  const Locations bytes = locations(binding, offset_bytes);
  std::byte* const at = storage(binding, bytes);
  advice::AccessValues values;
  // The first one of an allocation makes the memory keep who wrote it.
  if (!memory_.keeps_writers(bytes.allocation) || !update_granule(at, modify, context, values) ||
      !detector_.answers_atomic(agent, binding.reference, bytes, site))
    return false;
  memory::store_value(at, values.written, race::kGranuleBytes);
  const model::OperationIndex index = memory_.told();
  const bool remembered = !recent_.is_full();
  tell(agent, binding, bytes, site, advice::Recent::packed(values.read, values.written));
  if (remembered) {
    recent_.reads_from(index, memory_.sources_of(bytes));
    recent_.placed(index);
  }
  memory_.note_writer(bytes, index);
  return true;
}

}  // namespace heddle::detail
