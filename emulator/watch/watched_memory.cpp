#include "emulator/watch/watched_memory.h"

#include <algorithm>

namespace heddle::watch {

[[gnu::always_inline]] inline void WatchedMemory::tell(AgentId agent, ReferenceId reference, const Locations& bytes,
                                                       race::SiteId site, model::Value value) {
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
[[gnu::always_inline]] inline const WatchedVariable* WatchedMemory::at_hand(const Binding& binding,
                                                                            std::uint64_t offset_bytes) {
  const WatchedVariable* const own = opened(binding);
  return own->binding == &binding && own->has(offset_bytes) && is_whole(binding) && detector_.is_present(own->interval)
             ? own
             : nullptr;
}

std::uint64_t CellsSideBySide::take(const race::Shadow::Allocation& allocation, std::uint64_t first_granule) {
  first_ = first_granule % kPage;
  std::uint64_t end = first_granule - first_;
  for (race::Cell*& page : pages_) {
    const std::span<race::Cell> cells = allocation.cells_from(end);
    if (cells.empty()) break;
    page = cells.data();
    end += std::min<std::uint64_t>(cells.size(), kPage);
    if (end % kPage != 0) break;
  }
  return end > first_granule ? end - first_granule : 0;
}

// The agent has just accessed the variable in another way, so that something is known of its allocation.
void WatchedMemory::open(const Binding& binding, AgentId agent) {
  const race::Shadow::Allocation* const told = detector_.find(binding.allocation->id);
  if (!detector_.is_quick() || !told || !told->is_known() || binding.offset_bytes % race::kWordBytes != 0 ||
      !is_whole(binding))
    return;
  const std::uint8_t number = told->number(binding.reference);
  if (number == race::kMostReferences) return;
  WatchedVariable& opened = variable(binding);
  opened = {};
  const std::uint64_t first = binding.offset_bytes / race::kWordBytes;
  const std::uint64_t granules = binding.size_bytes / race::kWordBytes;
  const std::uint64_t count = opened.cells.take(*told, first);
  if (count == 0) return;
  opened.size_bytes = std::min(granules, count) * race::kWordBytes;
  opened.interval = detector_.interval(agent, number);
  opened.bytes = storage(binding, locations(binding, std::uint64_t{0}));
  opened.offset_bytes = binding.offset_bytes;
  opened.allocation = binding.allocation->id;
  opened.of = this;
  opened.binding = &binding;
  binding.open = &opened;
}

inline void WatchedMemory::open_for_next(const Binding& binding, AgentId agent, const Locations& bytes) {
  if (binding.storage_class != StorageClass::Workgroup) return;
  look_near(agent);
  if (!opened(binding) || !at_hand(binding, granule_in(binding, bytes))) open(binding, agent);
}

// Mostly the granule has not been accessed. What is not answered at once is left to others by a last call: so nothing
// is kept for it.
std::uint32_t WatchedMemory::read_buffer(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                         race::SiteId site) {
  const Locations bytes = locations(binding, offset_bytes);
  if (!is_sound(binding, offset_bytes) ||
      !detector_.answers_first(agent.id, binding.reference, bytes, site,
                               may_be_first<OperationKind::Read>(binding, offset_bytes))) [[unlikely]]
    return read_granule(agent, binding, offset_bytes, site);
  std::uint32_t bits = 0;
  std::memcpy(&bits, storage(binding, bytes), sizeof bits);
  tell(agent.id, binding.reference, bytes, site, bits);
  return bits;
}

[[gnu::flatten]] void WatchedMemory::write_buffer(const Agent& agent, const Binding& binding,
                                                  std::uint64_t offset_bytes, race::SiteId site, std::uint32_t bits) {
  const Locations bytes = locations(binding, offset_bytes);
  if (!is_sound(binding, offset_bytes) || memory_.keeps_writers(bytes.allocation) ||
      !detector_.answers_word<true>(agent.id, binding.reference, bytes, site,
                                    may_be_first<OperationKind::Write>(binding, offset_bytes))) [[unlikely]]
    return write_granule(agent, binding, offset_bytes, site, bits);
  std::memcpy(storage(binding, bytes), &bits, sizeof bits);
  binding.allocation->initialized.mark(bytes.offset_bytes, sizeof bits);
  tell(agent.id, binding.reference, bytes, site, bits);
}

std::uint32_t WatchedMemory::read_at(const Agent& agent, const Binding& binding, const Locations& bytes,
                                     race::SiteId site) {
  std::uint32_t bits = 0;
  if (detector_.answers_plain(agent.id, binding.reference, bytes, site)) {
    bits = static_cast<std::uint32_t>(memory::load_value(storage(binding, bytes), bytes.size_bytes));
    tell(agent.id, binding.reference, bytes, site, bits);
    open_for_next(binding, agent.id, bytes);
  } else {
    memory_.read(record(agent, binding, bytes, site), &bits);
  }
  return bits;
}

void WatchedMemory::write_at(const Agent& agent, const Binding& binding, const Locations& bytes, race::SiteId site,
                             std::uint32_t bits) {
  if (!memory_.keeps_writers(bytes.allocation) && detector_.answers_plain(agent.id, binding.reference, bytes, site)) {
    memory::store_value(storage(binding, bytes), bits, bytes.size_bytes);
    tell(agent.id, binding.reference, bytes, site, bits);
    open_for_next(binding, agent.id, bytes);
  } else {
    memory_.write(record(agent, binding, bytes, site), &bits);
  }
  binding.allocation->initialized.mark(bytes.offset_bytes, bytes.size_bytes);
}

// Where the detector answers, no one asks who wrote: nothing was released there (KernelOrder::ignores_relaxed).
[[gnu::always_inline]] inline bool WatchedMemory::answers_atomic(AgentId agent, const Binding& binding,
                                                                 const Locations& bytes, race::SiteId site) {
  return (is_whole(binding) && detector_.answers_known_atomic(agent, binding.reference, bytes, site)) ||
         (binding.allocation->initialized.has(bytes.offset_bytes, kMostBytes) &&
          detector_.answers_atomic(agent, binding.reference, bytes, site));
}

std::uint32_t WatchedMemory::calculate(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                       InstructionCode code, const char* file, const char* function,
                                       emulation::Calculation what) {
  const Locations bytes = locations(binding, offset_bytes);
  const race::SiteId site = learnt_site(binding.storage_class, code, file, function);
  if (site == race::kNoSite || !is_sound(binding, offset_bytes) || !answers_atomic(agent.id, binding, bytes, site))
      [[unlikely]]
    return calculate_newly(agent, binding, offset_bytes, code, file, function, what);
  open_for_next(binding, agent.id, bytes);
  std::byte* const at = storage(binding, bytes);
  std::uint32_t old = 0;
  std::memcpy(&old, at, sizeof old);
  const std::uint32_t fresh = what.of(old);
  std::memcpy(at, &fresh, sizeof fresh);
  tell(agent.id, binding.reference, bytes, site, advice::Recent::packed(old, fresh));
  return old;
}

void WatchedMemory::update(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
                           const char* file, const char* function, MemorySemantics unequal, emulation::Modify modify,
                           void* context) {
  const race::SiteId site = sound_site(binding, offset_bytes, code, file, function);
  const Locations bytes = locations(binding, offset_bytes);
  std::byte* const at = storage(binding, bytes);
  advice::AccessValues values;
  if (site == race::kNoSite || !update_granule(at, modify, context, values) ||
      !answers_atomic(agent.id, binding, bytes, site)) [[unlikely]]
    return update_newly(agent, binding, offset_bytes, code, file, function, unequal, modify, context);
  memory::store_value(at, values.written, race::kWordBytes);
  tell(agent.id, binding.reference, bytes, site, advice::Recent::packed(values.read, values.written));
}

template class VariableAccesses<WatchedMemory, WatchedVariable>;

}  // namespace heddle::watch
