#pragma once

/// \file
/// Hears what the kernel of a command accesses.

#include <unordered_map>

#include "emulator/queues/domains.h"
#include "emulator/queues/races.h"
#include "emulator/trace/listener.h"

namespace heddle::queues {

class KernelEar final : public trace::Listener {
 public:
  KernelEar(RaceFinder& finder, Domains& domains) : finder_(finder), domains_(domains) {}

  /// What it hears from now on are accesses of this command to these memories.
  void begin(NodeId node, std::uint32_t first_agent, const std::vector<Domains::Presented>& memories);
  void end() { node_ = kNoNode; }
  /// By allocation the bytes of words that were written, and by what kind of access last.
  struct Written {
    std::unordered_map<std::uint64_t, std::uint8_t> words;
    std::unordered_map<std::uint64_t, Access> by;
  };
  const Written& written(AllocationId allocation) { return memories_[allocation].written; }

  bool needs_plain_sources() const override { return false; }
  bool hears_moves() const override { return false; }
  void agent_begins(AgentId, const model::Place&) override {}
  void agents_begin(AgentId, std::uint32_t, const model::Place&, std::span<const std::uint32_t>) override {}
  void agent_ends(AgentId) override {}
  void agents_end(AgentId, std::uint32_t) override {}
  void system_synchronizes(AgentId, AgentId) override {}
  void operation(trace::OperationIndex, const Operation& operation, trace::Value read, trace::Value written,
                 std::span<const trace::Source>) override;
  void passes(trace::OperationIndex, std::span<const trace::OperationIndex>) override {}
  void meets(trace::OperationIndex, const Operation&, std::uint32_t) override {}
  void placed(trace::OperationIndex) override {}

 private:
  struct Memory {
    const Domains::Memory* of = nullptr;
    Written written;
  };
  void hear(Memory& memory, const Operation& operation, bool writes, trace::Value value);

  RaceFinder& finder_;
  Domains& domains_;
  NodeId node_ = kNoNode;
  std::uint32_t first_agent_ = 0;
  std::unordered_map<AllocationId, Memory> memories_;
};

}  // namespace heddle::queues
