#pragma once

#include "emulator/host/quick_accesses.h"
#include "emulator/host/race_watch.h"
#include "emulator/memory/sequential.h"

namespace heddle::detail {

/// Sequential memory with a watch that nobody but it listens with.
class WatchedMemory final : public QuickAccesses {
 public:
  /// Both must outlive it.
  WatchedMemory(memory::SequentialMemory& memory, RaceWatch& watch)
      : memory_(memory), detector_(watch.detector()), recent_(watch.recent()) {}

  bool read(AgentId agent, const emulation::PlainAccess& access, const unsigned char* value_bytes,
            void* value) override;
  bool write(AgentId agent, const emulation::PlainAccess& access, const void* value) override;

 private:
  template <OperationKind kind, typename Act>
  bool act(AgentId agent, const emulation::PlainAccess& access, Act act);

  memory::SequentialMemory& memory_;
  race::KernelDetector& detector_;
  advice::Recent& recent_;
  PlainSites sites_;
};

}  // namespace heddle::detail
