#pragma once

#include "emulator/host/quick_accesses.h"
#include "emulator/host/race_watch.h"
#include "emulator/memory/sequential.h"

namespace heddle::detail {

/// Sequential memory with a watch that nobody but it listens with.
class WatchedMemory final : public DetectedAccesses {
 public:
  /// Both must outlive it.
  WatchedMemory(memory::SequentialMemory& memory, RaceWatch& watch)
      : DetectedAccesses(watch.detector()), memory_(memory), recent_(watch.recent()) {}

  Answer read(AgentId agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
              const char* file, const char* function) override;
  bool write(AgentId agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
             const char* file, const char* function, std::uint32_t bits) override;
  bool update(AgentId agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
              const char* file, const char* function, emulation::Modify modify, void* context) override;

 private:
  std::uint32_t read_at(AgentId agent, const Binding& binding, const Locations& bytes,
                        race::SiteId site) override;
  void write_at(AgentId agent, const Binding& binding, const Locations& bytes, race::SiteId site,
                std::uint32_t bits) override;

  void tell(AgentId agent, const Binding& binding, const Locations& bytes, race::SiteId site,
            model::Value value);

  memory::SequentialMemory& memory_;
  advice::Recent& recent_;
};

}  // namespace heddle::detail
