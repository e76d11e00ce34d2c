#pragma once

#include <array>

#include "emulator/host/race_watch.h"
#include "emulator/host/variable_accesses.h"
#include "emulator/memory/sequential.h"

namespace heddle::detail {

class WatchedMemory;

/// Open as long as its binding is there. Whether its interval is over has to be asked.
struct WatchedVariable : OpenVariable<WatchedMemory> {
  AllocationId allocation{};
  /// Where it begins among the cells that stand side by side with its first one, and the first of each of those.
  std::uint64_t first_granule = 0;
  std::array<race::Cell*, 16> pages{};

  [[gnu::always_inline]] race::Cell& cell(std::uint64_t in_it_bytes) const {
    constexpr std::uint64_t kPage = race::Shadow::kCellsOfPage;
    const std::uint64_t granule = first_granule + in_it_bytes / race::kGranuleBytes;
    return pages[granule / kPage][granule % kPage];
  }
};

/// Sequential memory with a watch that nobody but it listens with.
class WatchedMemory final : public VariableAccesses<WatchedMemory, WatchedVariable> {
 public:
  /// Both must outlive it.
  WatchedMemory(memory::SequentialMemory& memory, RaceWatch& watch)
      : VariableAccesses(watch.detector()), memory_(memory), recent_(watch.recent()) {}

  Answer read_any(AgentId agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
                  const char* file, const char* function) override;
  Answer calculate(AgentId agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
                   const char* file, const char* function, emulation::Arithmetic what,
                   std::uint32_t operand) override;
  bool update(AgentId agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
              const char* file, const char* function, emulation::Modify modify, void* context) override;

 private:
  friend VariableAccesses<WatchedMemory, WatchedVariable>;
  std::uint32_t read_at(AgentId agent, const Binding& binding, const Locations& bytes,
                        race::SiteId site) override;
  void write_at(AgentId agent, const Binding& binding, const Locations& bytes, race::SiteId site,
                std::uint32_t bits) override;

  // As VariableAccesses asks.
  const WatchedVariable* at_hand(const Binding& binding, AgentId agent, std::uint64_t offset_bytes);
  static bool ignores_plain_writes(const WatchedVariable& own) {
    return !own.of->memory_.keeps_writers(own.allocation);
  }
  static void note_word(const WatchedVariable& own, AgentId agent, race::SiteId site, std::uint64_t offset_bytes,
                        bool writes, std::uint32_t bits);
  [[gnu::noinline]] Answer read_buffer(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                                       race::SiteId site);
  [[gnu::noinline]] bool write_buffer(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                                      race::SiteId site, std::uint32_t bits);
  bool answers_atomic(AgentId agent, const Binding& binding, const Locations& bytes, race::SiteId site);
  /// Where somebody has accessed the granule.
  [[gnu::noinline]] Answer read_buffer_again(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                                             race::SiteId site);

  WatchedVariable& variable(const Binding& binding) {
    return variables_[static_cast<std::size_t>(binding.reference) % variables_.size()];
  }
  void open(const Binding& binding, AgentId agent);
  /// After an access to it that was not to one that is open.
  void open_for_next(const Binding& binding, AgentId agent, const Locations& bytes);
  /// The access itself.
  std::uint32_t read_granule_of(const Binding& binding, AgentId agent, const Locations& bytes, race::SiteId site);
  void tell(AgentId agent, ReferenceId reference, const Locations& bytes, race::SiteId site, model::Value value);

  memory::SequentialMemory& memory_;
  advice::Recent& recent_;
  /// Each at its place. What a binding that is gone had open is nobody's.
  std::array<WatchedVariable, 64> variables_;
};

// Where what it asks for is.
extern template class VariableAccesses<WatchedMemory, WatchedVariable>;

}  // namespace heddle::detail
