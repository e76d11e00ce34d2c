#include "emulator/host/watched_memory.h"

#include "emulator/race/kernel_detector_quick.h"

namespace heddle::detail {

inline void WatchedMemory::tell(AgentId agent, const Binding& binding, const Locations& bytes,
                                race::SiteId site, model::Value value) {
  recent_.access(memory_.told(), agent, binding.reference, bytes, site, value);
  memory_.count_told();
}

// What these two do not answer at once they leave to others by a last call: so they keep nothing for it.
[[gnu::flatten]] emulation::QuickAccesses::Answer WatchedMemory::read(AgentId agent, const Binding& binding,
                                                                      std::uint64_t offset_bytes,
                                                                      InstructionCode code, const char* file,
                                                                      const char* function) {
  const race::SiteId site = granule_site(binding.storage_class, code, file, function);
  if (site == race::kNoSite) [[unlikely]] return read_any(agent, binding, offset_bytes, code, file, function);
  const Locations bytes = locations(binding, offset_bytes);
  if (!is_sound(binding, offset_bytes) || !is_whole(binding) ||
      !detector_.answers_quickly<false>(agent, binding.reference, bytes, site,
                                        may_be_first<OperationKind::Read>(binding, offset_bytes))) [[unlikely]]
    return read_granule(agent, binding, offset_bytes, site);
  std::uint32_t bits;
  std::memcpy(&bits, storage(binding, bytes), sizeof bits);
  tell(agent, binding, bytes, site, bits);
  return Answer(bits);
}

[[gnu::flatten]] bool WatchedMemory::write(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                                           InstructionCode code, const char* file, const char* function,
                                           std::uint32_t bits) {
  const race::SiteId site = granule_site(binding.storage_class, code, file, function);
  if (site == race::kNoSite) [[unlikely]]
    return write_any(agent, binding, offset_bytes, code, file, function, bits);
  const Locations bytes = locations(binding, offset_bytes);
  if (!is_sound(binding, offset_bytes) || memory_.keeps_writers(bytes.allocation) ||
      !detector_.answers_quickly<true>(agent, binding.reference, bytes, site,
                                       may_be_first<OperationKind::Write>(binding, offset_bytes))) [[unlikely]]
    return write_granule(agent, binding, offset_bytes, site, bits);
  std::memcpy(storage(binding, bytes), &bits, sizeof bits);
  binding.allocation->initialized.mark(bytes.offset_bytes, sizeof bits);
  tell(agent, binding, bytes, site, bits);
  return true;
}

std::uint32_t WatchedMemory::read_at(AgentId agent, const Binding& binding, const Locations& bytes,
                                     race::SiteId site) {
  std::uint32_t bits = 0;
  if (detector_.answers(agent, binding.reference, bytes, site)) {
    bits = static_cast<std::uint32_t>(memory::load_value(storage(binding, bytes), bytes.size_bytes));
    tell(agent, binding, bytes, site, bits);
  } else {
    memory_.read(record(agent, binding, bytes, site), &bits);
  }
  return bits;
}

void WatchedMemory::write_at(AgentId agent, const Binding& binding, const Locations& bytes, race::SiteId site,
                             std::uint32_t bits) {
  if (!memory_.keeps_writers(bytes.allocation) && detector_.answers(agent, binding.reference, bytes, site)) {
    memory::store_value(storage(binding, bytes), bits, bytes.size_bytes);
    tell(agent, binding, bytes, site, bits);
  } else {
    memory_.write(record(agent, binding, bytes, site), &bits);
  }
  binding.allocation->initialized.mark(bytes.offset_bytes, bytes.size_bytes);
}

bool WatchedMemory::update(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                           InstructionCode code, const char* file, const char* function,
                           emulation::Modify modify, void* context) {
  const race::SiteId site = sound_site(binding, offset_bytes, code, file, function);
  if (site == race::kNoSite || !emulation::is_initialized(binding, offset_bytes, kMostBytes)) [[unlikely]]
    return false;
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
