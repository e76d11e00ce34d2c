#pragma once

#include "emulator/host/quick_accesses.h"
#include "emulator/host/race_watch.h"
#include "emulator/memory/sequential.h"

namespace heddle::detail {

/// Sequential memory with a watch that nobody but it listens with.
class WatchedMemory final : public emulation::QuickAccesses {
 public:
  /// Both must outlive it.
  WatchedMemory(memory::SequentialMemory& memory, RaceWatch& watch)
      : memory_(memory), detector_(watch.detector()), recent_(watch.recent()) {}

  bool read(AgentId agent, const emulation::PlainAccess& access, const unsigned char* value_bytes,
            void* value) override;
  bool write(AgentId agent, const emulation::PlainAccess& access, const void* value) override;
  bool update(AgentId agent, const emulation::Access& access, Scope scope, MemorySemantics semantics,
              emulation::Modify modify, void* context) override;

 private:
  template <OperationKind kind>
  bool act(AgentId agent, const emulation::PlainAccess& access, void* value);

  memory::SequentialMemory& memory_;
  race::KernelDetector& detector_;
  advice::Recent& recent_;
  PlainSites sites_;
};

}  // namespace heddle::detail
