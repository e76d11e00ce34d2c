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

  std::uint32_t read(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                     SiteNumber site) override;
  void write(AgentId agent, const Binding& binding, std::uint64_t offset_bytes, std::uint32_t value,
             SiteNumber site) override;
  std::uint32_t read_part(AgentId agent, const Binding& binding, std::uint64_t offset_bytes,
                          std::uint32_t size_bytes, SiteNumber site) override;
  void write_part(AgentId agent, const Binding& binding, std::uint64_t offset_bytes, std::uint32_t value,
                  std::uint32_t size_bytes, SiteNumber site) override;
  bool update(AgentId agent, const Binding& binding, std::uint64_t offset_bytes, SiteNumber site,
              emulation::Modify modify, void* context) override;

 private:
  SiteNumber look_up(const emulation::Instruction& instruction) override;
  void tell(AgentId agent, const Binding& binding, const Locations& bytes, SiteNumber site, model::Value value);

  memory::SequentialMemory& memory_;
  advice::Recent& recent_;
};

}  // namespace heddle::detail
