#include "emulator/host/watched_memory.h"

#include <algorithm>

namespace heddle::detail {

[[gnu::always_inline]] inline void WatchedMemory::tell(AgentId agent, ReferenceId reference,
                                                       const Locations& bytes, race::SiteId site,
                                                       model::Value value) {
  recent_.access(memory_.told(), agent, reference, bytes, site, value);
  memory_.count_told();
}

[[gnu::always_inline]] inline void WatchedMemory::note_word(const WatchedVariable& own, AgentId agent,
                                                            race::SiteId site, std::uint64_t offset_bytes, bool,
                                                            std::uint32_t bits) {
  own.of->tell(agent, own.binding->reference, {own.allocation, own.offset_bytes + offset_bytes, kMostBytes}, site,
               bits);
}

// Workgroups begin and end while others run, and the memory is not told of either: so it asks, every time.
[[gnu::always_inline]] inline const WatchedVariable* WatchedMemory::at_hand(const Binding& binding, AgentId agent,
                                                                            std::uint64_t offset_bytes) {
  const WatchedVariable* const own = opened(binding);
  return own->binding == &binding && own->has(offset_bytes) && is_whole(binding) &&
                 detector_.is_present(own->interval, agent)
             ? own
             : nullptr;
}

// Of one that the agent has just accessed otherwise: then something is known of its allocation.
void WatchedMemory::open(const Binding& binding, AgentId agent) {
  constexpr std::uint64_t kPage = race::Shadow::kCellsOfPage;
  const race::Shadow::Allocation* const told = detector_.find(binding.allocation->id);
  if (!detector_.is_quick() || !told || !told->is_known() || binding.offset_bytes % race::kGranuleBytes != 0 ||
      !is_whole(binding))
    return;
  const std::uint8_t number = told->number(binding.reference);
  if (number == race::kMostReferences) return;
  WatchedVariable& opened = variable(binding);
  opened = {};
  const std::uint64_t first = binding.offset_bytes / race::kGranuleBytes;
  opened.first_granule = first % kPage;
  std::uint64_t end = first - opened.first_granule;
  for (race::Cell*& page : opened.pages) {
    const std::span<race::Cell> cells = told->cells_from(end);
    if (cells.empty()) break;
    page = cells.data();
    end += std::min<std::uint64_t>(cells.size(), kPage);
    if (end % kPage != 0) break;
  }
  if (end <= first) return;
  opened.size_bytes = std::min(binding.size_bytes / race::kGranuleBytes, end - first) * race::kGranuleBytes;
  opened.bytes = storage(binding, locations(binding, std::uint64_t{0}));
  opened.offset_bytes = binding.offset_bytes;
  opened.allocation = binding.allocation->id;
  opened.interval = detector_.interval(agent, number);
  opened.of = this;
  opened.binding = &binding;
  binding.open = &opened;
}

inline void WatchedMemory::open_for_next(const Binding& binding, AgentId agent, const Locations& bytes) {
  if (binding.storage_class != StorageClass::Workgroup) return;
  if (!opened(binding) || !at_hand(binding, agent, granule_in(binding, bytes))) open(binding, agent);
}

[[gnu::always_inline]] inline std::uint32_t WatchedMemory::read_granule_of(const Binding& binding, AgentId agent,
                                                                           const Locations& bytes,
                                                                           race::SiteId site) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, storage(binding, bytes), sizeof bits);
  tell(agent, binding.reference, bytes, site, bits);
  return bits;
}

// Mostly nobody has accessed the granule. What is not answered at once is left to others by a last call: so nothing is
// kept for it.
emulation::QuickAccesses::Answer WatchedMemory::read_buffer(AgentId agent, const Binding& binding,
                                                            std::uint64_t offset_bytes, race::SiteId site) {
  const Locations bytes = locations(binding, offset_bytes);
  if (!is_sound(binding, offset_bytes) ||
      !detector_.answers_first(agent, binding.reference, bytes, site,
                               may_be_first<OperationKind::Read>(binding, offset_bytes))) [[unlikely]]
    return read_buffer_again(agent, binding, offset_bytes, site);
  return Answer(read_granule_of(binding, agent, bytes, site));
}

[[gnu::flatten]] emulation::QuickAccesses::Answer WatchedMemory::read_buffer_again(AgentId agent,
                                                                                   const Binding& binding,
                                                                                   std::uint64_t offset_bytes,
                                                                                   race::SiteId site) {
  const Locations bytes = locations(binding, offset_bytes);
  if (!is_sound(binding, offset_bytes) || !is_whole(binding) ||
      !detector_.answers_quickly<false>(agent, binding.reference, bytes, site,
                                        may_be_first<OperationKind::Read>(binding, offset_bytes))) [[unlikely]]
    return read_granule(agent, binding, offset_bytes, site);
  return Answer(read_granule_of(binding, agent, bytes, site));
}

[[gnu::flatten]] bool WatchedMemory::write_buffer(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                                                  race::SiteId site, std::uint32_t bits) {
  const Locations bytes = locations(binding, offset_bytes);
  if (!is_sound(binding, offset_bytes) || memory_.keeps_writers(bytes.allocation) ||
      !detector_.answers_quickly<true>(agent, binding.reference, bytes, site,
                                       may_be_first<OperationKind::Write>(binding, offset_bytes))) [[unlikely]]
    return write_granule(agent, binding, offset_bytes, site, bits);
  std::memcpy(storage(binding, bytes), &bits, sizeof bits);
  binding.allocation->initialized.mark(bytes.offset_bytes, sizeof bits);
  tell(agent, binding.reference, bytes, site, bits);
  return true;
}

std::uint32_t WatchedMemory::read_at(AgentId agent, const Binding& binding, const Locations& bytes,
                                     race::SiteId site) {
  std::uint32_t bits = 0;
  if (detector_.answers(agent, binding.reference, bytes, site)) {
    bits = static_cast<std::uint32_t>(memory::load_value(storage(binding, bytes), bytes.size_bytes));
    tell(agent, binding.reference, bytes, site, bits);
    open_for_next(binding, agent, bytes);
  } else {
    memory_.read(record(agent, binding, bytes, site), &bits);
  }
  return bits;
}

void WatchedMemory::write_at(AgentId agent, const Binding& binding, const Locations& bytes, race::SiteId site,
                             std::uint32_t bits) {
  if (!memory_.keeps_writers(bytes.allocation) && detector_.answers(agent, binding.reference, bytes, site)) {
    memory::store_value(storage(binding, bytes), bits, bytes.size_bytes);
    tell(agent, binding.reference, bytes, site, bits);
    open_for_next(binding, agent, bytes);
  } else {
    memory_.write(record(agent, binding, bytes, site), &bits);
  }
  binding.allocation->initialized.mark(bytes.offset_bytes, bytes.size_bytes);
}

// Of a buffer of small elements neighbours mostly read what lies side by side. What is not answered at once is left to
// others by a last call.
emulation::QuickAccesses::Answer WatchedMemory::read_any(AgentId agent, const Binding& binding,
                                                         std::uint64_t offset_bytes, InstructionCode code,
                                                         const char* file, const char* function) {
  const race::SiteId site = sound_site(binding, offset_bytes, code, file, function);
  const std::uint32_t size = code.size_bytes();
  const Locations bytes = locations(binding, offset_bytes, size);
  if (site == race::kNoSite || size >= race::kGranuleBytes || binding.storage_class == StorageClass::Workgroup ||
      !emulation::is_initialized(binding, offset_bytes, size) ||
      !detector_.answers_part(agent, binding.reference, bytes, site)) [[unlikely]]
    return DetectedAccesses::read_any(agent, binding, offset_bytes, code, file, function);
  const auto bits = static_cast<std::uint32_t>(memory::load_value(storage(binding, bytes), size));
  tell(agent, binding.reference, bytes, site, bits);
  return Answer(bits);
}

// Of what the detector answers nobody asks who wrote it: nothing was released there (KernelOrder::ignores_relaxed).
[[gnu::always_inline]] inline bool WatchedMemory::answers_atomic(AgentId agent, const Binding& binding,
                                                                 const Locations& bytes, race::SiteId site) {
  return (is_whole(binding) && detector_.answers_atomic_quickly(agent, binding.reference, bytes, site)) ||
         (binding.allocation->initialized.has(bytes.offset_bytes, kMostBytes) &&
          detector_.answers_atomic(agent, binding.reference, bytes, site));
}

emulation::QuickAccesses::Answer WatchedMemory::calculate(AgentId agent, const Binding& binding,
                                                          std::uint64_t offset_bytes, InstructionCode code,
                                                          const char* file, const char* function,
                                                          emulation::Arithmetic what, std::uint32_t operand) {
  const race::SiteId site = sound_site(binding, offset_bytes, code, file, function);
  const Locations bytes = locations(binding, offset_bytes);
  if (site == race::kNoSite || !answers_atomic(agent, binding, bytes, site)) [[unlikely]] return {};
  std::uint32_t old = 0;
  std::memcpy(&old, storage(binding, bytes), sizeof old);
  const std::uint32_t fresh = emulation::result_of(what, old, operand);
  std::memcpy(storage(binding, bytes), &fresh, sizeof fresh);
  tell(agent, binding.reference, bytes, site, advice::Recent::packed(old, fresh));
  return Answer(old);
}

bool WatchedMemory::update(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                           InstructionCode code, const char* file, const char* function,
                           emulation::Modify modify, void* context) {
  const race::SiteId site = sound_site(binding, offset_bytes, code, file, function);
  const Locations bytes = locations(binding, offset_bytes);
  std::byte* const at = storage(binding, bytes);
  advice::AccessValues values;
  if (site == race::kNoSite || !update_granule(at, modify, context, values) ||
      !answers_atomic(agent, binding, bytes, site)) [[unlikely]]
    return false;
  memory::store_value(at, values.written, race::kGranuleBytes);
  tell(agent, binding.reference, bytes, site, advice::Recent::packed(values.read, values.written));
  return true;
}

template class VariableAccesses<WatchedMemory, WatchedVariable>;

}  // namespace heddle::detail
