#pragma once

/// \file
/// What the doors have in common where variables in Workgroup memory are held ready.

#include "emulator/race/kernel_detector_quick.h"
#include "emulator/watch/quick_accesses.h"

namespace heddle::watch {

/// What an open variable in Workgroup memory has for the accesses to it: what its binding has `open`, as long as
/// nothing of it is another.
template <typename Of>
struct OpenVariable : emulation::OpenBinding {
  /// Null if there is none.
  const emulation::Binding* binding = nullptr;
  /// The size of its beginning that has cells, a multiple of a granule's. No other reference accesses these bytes.
  std::uint64_t size_bytes = 0;
  std::byte* bytes = nullptr;
  race::Interval interval;
  /// Where it begins in its allocation.
  std::uint64_t offset_bytes = 0;
  Of* of = nullptr;

  /// Whether the granule there is one of these.
  [[gnu::always_inline]] bool has(std::uint64_t in_it_bytes) const {
    return in_it_bytes < size_bytes && in_it_bytes % race::kWordBytes == 0;
  }
};

/// A door of which the accesses to open variables take the shortest way. What that takes is told by `Of`:
///
/// - `bool is_near(agent)`: whether what follows may be asked of the agent's workgroup; else `look_near(agent)` makes
///   it so.
/// - `const Variable* at_hand(binding, offset_bytes)`: what the binding has open, if its interval is not over and it
///   has the granule; else null. A Variable is an OpenVariable<Of> with `race::Cell& cell(in_it_bytes)`.
/// - `static bool ignores_plain_writes(const Variable&)`: whether no one asks which operation wrote its bytes.
/// - `static void note_word(const Variable&, agent, site, in_it_bytes, bool writes, bits)` tells of an access.
/// - `read_buffer(agent, binding, offset_bytes, site)` and `write_buffer(…, bits)`: an access to what is no Workgroup
///   memory, at a site of a granule.
template <typename Of, typename Variable>
class VariableAccesses : public DetectedAccesses {
 public:
  // What the following do not do at once they leave to others by a last call, with their arguments where they are:
  // so they keep nothing for it. (Nor do these two begin a granule: an invocation that reads first is wrong.)
  std::uint32_t read(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
                     const char* file, const char* function) final {
    if (opened(binding)) {
      if (!of().is_near(agent.id)) [[unlikely]]
        return read_elsewhere(agent, binding, offset_bytes, code, file, function);
      const OfWorkgroup* const known = of_workgroup(code, file, function);
      const Variable* const own = known ? of().at_hand(binding, offset_bytes) : nullptr;
      if (own) return read_of(*own, agent, *known, offset_bytes);
    }
    const race::SiteId site = granule_site(binding.storage_class, code, file, function);
    if (site == race::kNoSite) [[unlikely]]
      return of().read_newly(agent, binding, offset_bytes, code, file, function);
    if (binding.storage_class == StorageClass::Workgroup) [[unlikely]]
      return of().read_granule(agent, binding, offset_bytes, site);
    return of().read_buffer(agent, binding, offset_bytes, site);
  }
  void write(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
             const char* file, const char* function, std::uint32_t bits) final {
    if (opened(binding)) {
      if (!of().is_near(agent.id)) [[unlikely]]
        return write_elsewhere(agent, binding, offset_bytes, code, file, function, bits);
      const OfWorkgroup* const known = of_workgroup(code, file, function);
      const Variable* const own = known ? of().at_hand(binding, offset_bytes) : nullptr;
      if (own) return write_of(*own, agent, *known, offset_bytes, bits);
    }
    const race::SiteId site = granule_site(binding.storage_class, code, file, function);
    if (site == race::kNoSite) [[unlikely]]
      return of().write_newly(agent, binding, offset_bytes, code, file, function, bits);
    if (binding.storage_class == StorageClass::Workgroup) [[unlikely]]
      return of().write_granule(agent, binding, offset_bytes, site, bits);
    return of().write_buffer(agent, binding, offset_bytes, site, bits);
  }

 protected:
  using DetectedAccesses::DetectedAccesses;

  /// What a binding has open; null if nothing.
  static const Variable* opened(const Binding& binding) { return static_cast<const Variable*>(binding.open); }

 private:
  Of& of() { return static_cast<Of&>(*this); }

  // Where another workgroup has run.
  [[gnu::noinline]] std::uint32_t read_elsewhere(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                                 InstructionCode code, const char* file, const char* function) {
    of().look_near(agent.id);
    return read(agent, binding, offset_bytes, code, file, function);
  }
  [[gnu::noinline]] void write_elsewhere(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                         InstructionCode code, const char* file, const char* function,
                                         std::uint32_t bits) {
    of().look_near(agent.id);
    write(agent, binding, offset_bytes, code, file, function, bits);
  }

  // Accesses to a word of a variable that has it. They are functions of their own, with little to keep: what they would
  // save on the stack, which is another one after each barrier, the first cache would have to fetch.
  [[gnu::noinline]] static std::uint32_t read_of(const Variable& own, const Agent& agent, const OfWorkgroup& known,
                                                 std::uint64_t offset_bytes) {
    if (!own.interval.template answers_word<false>(own.cell(offset_bytes), agent.id, known.site)) [[unlikely]]
      return read_again(own, agent, known, offset_bytes);
    return read_word(own, agent.id, offset_bytes, known.site.id);
  }
  [[gnu::noinline]] static std::uint32_t read_again(const Variable& own, const Agent& agent, const OfWorkgroup& known,
                                                    std::uint64_t offset_bytes) {
    race::Cell& cell = own.cell(offset_bytes);
    if (!own.interval.answers_read_again(cell, agent.id, known.site)) [[unlikely]]
      return own.of->read_granule(agent, *own.binding, offset_bytes, known.site.id);
    return read_word(own, agent.id, offset_bytes, known.site.id);
  }
  [[gnu::noinline]] static void write_of(const Variable& own, const Agent& agent, const OfWorkgroup& known,
                                         std::uint64_t offset_bytes, std::uint32_t bits) {
    if (!Of::ignores_plain_writes(own)) [[unlikely]]
      return own.of->write_granule(agent, *own.binding, offset_bytes, known.site.id, bits);
    race::Cell& cell = own.cell(offset_bytes);
    if (cell.is_empty()) return write_first(own, agent.id, known, offset_bytes, bits, cell);
    if (!own.interval.template answers_word<true>(cell, agent.id, known.site)) [[unlikely]]
      return own.of->write_granule(agent, *own.binding, offset_bytes, known.site.id, bits);
    write_word(own, agent.id, offset_bytes, known.site.id, bits);
  }
  // Where the granule was not accessed. Elsewhere it has been written: there are no gaps.
  [[gnu::noinline]] static void write_first(const Variable& own, AgentId agent, const OfWorkgroup& known,
                                            std::uint64_t offset_bytes, std::uint32_t bits, race::Cell& cell) {
    own.interval.begin(cell, agent, known.site);
    own.binding->allocation->initialized.mark_word(own.offset_bytes + offset_bytes);
    write_word(own, agent, offset_bytes, known.site.id, bits);
  }

  // The access itself.
  [[gnu::always_inline]] static std::uint32_t read_word(const Variable& own, AgentId agent, std::uint64_t offset_bytes,
                                                        race::SiteId site) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, own.bytes + offset_bytes, sizeof bits);
    Of::note_word(own, agent, site, offset_bytes, false, bits);
    return bits;
  }
  [[gnu::always_inline]] static void write_word(const Variable& own, AgentId agent, std::uint64_t offset_bytes,
                                                race::SiteId site, std::uint32_t bits) {
    std::memcpy(own.bytes + offset_bytes, &bits, sizeof bits);
    Of::note_word(own, agent, site, offset_bytes, true, bits);
  }
};

}  // namespace heddle::watch
