#pragma once

/// \file
/// The first operations of a run, and the part of them that two operations depend on.

#include <optional>
#include <unordered_map>
#include <vector>

#include "emulator/model/execution.h"
#include "emulator/trace/listener.h"

namespace heddle::advice {

/// What two agents did up to two racing operations, and the agents from whose atomics they read.
struct Neighbourhood {
  model::Execution execution;
  model::OperationIndex first = 0;
  model::OperationIndex second = 0;
  /// What the agents of the execution are called in the run.
  std::vector<AgentId> agents;
};

/// What an access read and wrote.
struct AccessValues {
  model::Value read = 0;
  model::Value written = 0;
};

/// Remembers what it hears since the last memory dependency, up to a number of operations.
class Recent {
 public:
  explicit Recent(std::size_t most_operations)
      : most_(most_operations), full_(most_operations == 0) {}

  void agent_begins(AgentId agent, const model::Place& place);
  void dependency(bool memory);
  void operation(model::OperationIndex index, const Operation& operation, model::Value read,
                 model::Value written, std::span<const trace::Source> sources);
  /// The same, in a third of the room: an access of at most 8 bytes, which differs from other operations with
  /// this number in agent, reference and place only.
  void access(model::OperationIndex index, const Operation& operation, std::uint32_t instruction,
              model::Value read, model::Value written) {
    if (!knows(instruction)) [[unlikely]] add_instruction(operation, instruction);
    access(index, operation.agent, operation.reference, operation.locations, instruction, {read, written});
  }
  /// Whether what it is told from now on is forgotten at once.
  bool is_full() const { return full_; }
  /// Whether it was told of an operation with this number, or does not ask for one any more.
  bool knows(std::uint32_t instruction) const {
    return is_full() ||
           (instruction < instructions_.size() && instructions_[instruction].known);
  }
  /// The same of an access whose instruction it knows.
  void access(model::OperationIndex index, AgentId agent, ReferenceId reference, const Locations& bytes,
              std::uint32_t instruction, const AccessValues& values) {
    next_ = index + 1;
    if (is_full()) return;
    add({agent, reference, bytes.allocation, instruction, bytes.offset_bytes, values});
  }
  /// Where the bytes come from that an atomic read.
  void reads_from(model::OperationIndex read, std::span<const trace::Source> sources);
  /// Operations from `first` on: `barrier` of `count` agents from its own on.
  void meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count);
  void placed(model::OperationIndex write);

  /// `agent`'s last operation like `first` (same instruction, overlapping bytes) before the
  /// operation `second`. Nothing if one of them is not remembered.
  std::optional<model::OperationIndex> last_like(const Operation& first, AgentId agent,
                                                 model::OperationIndex second) const;
  /// Of an operation that is remembered.
  AccessValues values(model::OperationIndex index) const { return record(index).values; }
  Locations locations(model::OperationIndex index) const { return at(index).locations; }

  /// Of the race between last_like(first, agent, second) and `second`. Nothing if that is not
  /// remembered, or if the part has more than `most` operations.
  std::optional<Neighbourhood> around(const Operation& first, AgentId agent,
                                      model::OperationIndex second, std::size_t most) const;

 private:
  /// An access in short; or, where `instruction` is kInFull, an agent's operation, the one at `offset_bytes`
  /// among those.
  struct Record {
    AgentId agent{};
    ReferenceId reference{};
    AllocationId allocation{};
    std::uint32_t instruction = 0;
    std::uint64_t offset_bytes = 0;
    AccessValues values;
  };
  static constexpr std::uint32_t kInFull = ~std::uint32_t{0};
  struct Instruction {
    Operation operation;
    bool known = false;
  };

  bool has(model::OperationIndex index) const {
    return index >= begin_ && index - begin_ < records_.size();
  }
  const Record& record(model::OperationIndex index) const { return records_[index - begin_]; }
  Operation at(model::OperationIndex index) const;
  void add(const Record& made) {
    records_.push_back(made);
    full_ = records_.size() >= most_;
  }
  void add_instruction(const Operation& operation, std::uint32_t instruction);
  std::vector<AgentId> agents_of(AgentId first, model::OperationIndex second) const;
  void add_orders(
      Neighbourhood& part,
      const std::unordered_map<model::OperationIndex, model::OperationIndex>& number) const;

  std::size_t most_;
  bool full_ = false;
  model::OperationIndex begin_ = 0;
  model::OperationIndex next_ = 0;
  std::vector<Record> records_;
  std::vector<Operation> in_full_;
  std::vector<Instruction> instructions_;
  std::vector<model::ReadsFrom> reads_from_;
  std::vector<model::OperationIndex> placed_;
  /// From `first_agent_` on; of those that began before the room was used up.
  std::vector<model::Place> places_;
  std::uint32_t first_agent_ = 0;
  /// The agent that begins next, and the first ones after each execution dependency.
  std::uint32_t next_agent_ = 0;
  std::vector<std::uint32_t> dependencies_;
};

}  // namespace heddle::advice
