#pragma once

/// \file
/// Sequential memory and race detector in one call for each plain access.

#include <array>

#include "emulator/memory/sequential.h"
#include "emulator/watch/race_watch.h"
#include "emulator/watch/variable_accesses.h"

namespace heddle::watch {

class WatchedMemory;

/// The cells that stand side by side with the first one of some bytes.
class CellsSideBySide {
 public:
  /// From this granule of the allocation on. Returns how many.
  std::uint64_t take(const race::Shadow::Allocation& allocation, std::uint64_t first_granule);
  /// Behind so many bytes.
  [[gnu::always_inline]] race::Cell& operator[](std::uint64_t bytes) const {
    const std::uint64_t granule = first_ + bytes / race::kWordBytes;
    return pages_[granule / kPage][granule % kPage];
  }

 private:
  static constexpr std::uint64_t kPage = race::Shadow::kCellsOfPage;
  /// In its page.
  std::uint64_t first_ = 0;
  std::array<race::Cell*, 16> pages_{};
};

/// Open as long as its binding is there. Whether its interval is over has to be asked.
struct WatchedVariable : OpenVariable<WatchedMemory> {
  AllocationId allocation{};
  CellsSideBySide cells;

  [[gnu::always_inline]] race::Cell& cell(std::uint64_t in_it_bytes) const { return cells[in_it_bytes]; }
};

/// Sequential memory with a watch that is the only listener.
class WatchedMemory final : public VariableAccesses<WatchedMemory, WatchedVariable> {
 public:
  /// All must outlive it.
  WatchedMemory(memory::SequentialMemory& memory, RaceWatch& watch, run::RecordedAccesses& recorded)
      : VariableAccesses(watch.detector(), recorded), memory_(memory), recent_(watch.recent()) {
    leave_to(watch.callers());
  }

  std::uint32_t calculate(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
                          const char* file, const char* function, emulation::Calculation what) override;
  void update(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
              const char* file, const char* function, MemorySemantics unequal, emulation::Modify modify,
              void* context) override;

 private:
  friend VariableAccesses<WatchedMemory, WatchedVariable>;
  std::uint32_t read_at(const Agent& agent, const Binding& binding, const Locations& bytes, race::SiteId site) override;
  void write_at(const Agent& agent, const Binding& binding, const Locations& bytes, race::SiteId site,
                std::uint32_t bits) override;

  // As VariableAccesses asks.
  bool is_near(AgentId agent) const { return detector_.is_near(agent); }
  void look_near(AgentId agent) { detector_.look_near(agent); }
  const WatchedVariable* at_hand(const Binding& binding, std::uint64_t offset_bytes);
  static bool ignores_plain_writes(const WatchedVariable& own) {
    return !own.of->memory_.keeps_writers(own.allocation);
  }
  static void note_word(const WatchedVariable& own, AgentId agent, race::SiteId site, std::uint64_t offset_bytes,
                        bool writes, std::uint32_t bits);
  [[gnu::noinline]] std::uint32_t read_buffer(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                              race::SiteId site);
  [[gnu::noinline]] void write_buffer(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                      race::SiteId site, std::uint32_t bits);
  bool answers_atomic(AgentId agent, const Binding& binding, const Locations& bytes, race::SiteId site);

  WatchedVariable& variable(const Binding& binding) {
    return variables_[static_cast<std::size_t>(binding.reference) % variables_.size()];
  }
  void open(const Binding& binding, AgentId agent);
  // After an access to a variable that is not open.
  void open_for_next(const Binding& binding, AgentId agent, const Locations& bytes);
  void tell(AgentId agent, ReferenceId reference, const Locations& bytes, race::SiteId site, model::Value value);

  memory::SequentialMemory& memory_;
  advice::Recent& recent_;
  /// Each at the place of its reference. A variable that a binding had open which is gone belongs to none.
  std::array<WatchedVariable, 64> variables_;
};

// Where what it asks for is.
extern template class VariableAccesses<WatchedMemory, WatchedVariable>;

}  // namespace heddle::watch
