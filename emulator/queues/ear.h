#pragma once

/// \file
/// Hears what the kernel of a command accesses.

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "emulator/queues/domains.h"
#include "emulator/queues/races.h"
#include "emulator/trace/listener.h"

namespace heddle::queues {

class KernelEar final : public trace::Listener {
 public:
  KernelEar(RaceFinder& finder, Domains& domains) : finder_(finder), domains_(domains) {}

  /// What a kernel did to a memory: the bytes of words that it wrote and that are not known to have come to the
  /// storage, and by what kind of access last.
  struct Written {
    std::unordered_map<std::uint64_t, std::uint8_t> words;
    std::unordered_map<std::uint64_t, Access> by;
    /// Words that were read: before they were written, and behind that.
    std::unordered_set<std::uint64_t> read;
    std::unordered_set<std::uint64_t> read_of_own;
  };
  struct Memory {
    const Domains::Memory* of = nullptr;
    Written written;
  };
  /// A kernel that runs: its command, and what it has written since it last went on.
  struct Kernel {
    NodeId node = kNoNode;
    std::uint32_t first_agent = 0;
    std::unordered_map<AllocationId, Memory> memories;
    /// Since the kernel last went on, it has executed an atomic or a barrier whose scope reaches other commands.
    bool meets_others = false;
    /// An atomic or a barrier of such a scope released, now or in an earlier turn.
    bool publishes = false;
  };

  /// What it hears from now on are accesses of this kernel, which is to pause after so many of them; for none never.
  void begin(Kernel& kernel, std::uint64_t accesses) {
    kernel_ = &kernel;
    until_pause_ = accesses;
    is_pause_due_ = false;
  }
  void end() { kernel_ = nullptr; }
  /// Whether the kernel is to pause now; from then on no longer.
  bool takes_pause() { return std::exchange(is_pause_due_, false); }

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
  void meets(trace::OperationIndex, const Operation& barrier, std::uint32_t) override {
    if (kernel_) hear_barrier(barrier);
  }
  void placed(trace::OperationIndex) override {}

 private:
  /// The scope of the operation, an atomic or a barrier, reaches other commands.
  void note_meeting(const Operation& operation);
  void hear_barrier(const Operation& barrier);
  void hear(const Operation& operation, trace::Value read, trace::Value written);
  void hear(Memory& memory, const Operation& operation, bool writes, trace::Value value);

  RaceFinder& finder_;
  Domains& domains_;
  /// Null if none runs.
  Kernel* kernel_ = nullptr;
  /// The last operation that it was told of.
  trace::OperationIndex operation_ = model::kInitialValue;
  std::uint64_t until_pause_ = 0;
  bool is_pause_due_ = false;
};

}  // namespace heddle::queues
