#pragma once

/// \file
/// The first operations of a run, and the part of them that two operations depend on.

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/advice/cut.h"
#include "emulator/advice/history.h"
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
  /// The lines that the two agents came to, all of them.
  History history;
  /// Whether operations of these agents were left out (cut.h): relations may be missing then.
  bool is_cut = false;
};

/// Remembers what it hears since the last memory dependency, up to a number of operations.
class Recent {
 public:
  /// What memory it hears. On a sequential one, where operations take effect in the order in which it hears of them,
  /// it finds out itself who read from whom, if that is asked for.
  enum class Hears : std::uint8_t { AnyMemory, SequentialMemory };
  /// What others remember of what it hears of.
  struct Known {
    /// An operation like all with this number of an instruction.
    std::function<const Operation&(std::uint32_t instruction)> operation;
    /// Where an agent is whose operations it heard of.
    std::function<model::Place(AgentId agent)> place;
    /// The place in the source of an operation whose place may be told in another way.
    std::function<SourceLocation(const SourceLocation&)> source = [](const SourceLocation& where) { return where; };
  };
  /// Operations before number `from` of the run it does not remember.
  Recent(std::size_t most_operations, Hears hears, Known known, model::OperationIndex from = 0)
      : hears_(hears),
        known_(std::move(known)),
        // (The library of Emscripten 3.1.6 has no std::make_unique_for_overwrite.)
        records_(new Record[most_operations]),
        next_(records_.get()),
        end_(next_ + (from == 0 ? most_operations : 0)),
        most_(most_operations),
        from_(from) {}

  /// An execution dependency: `first_later` is the first agent to begin after it.
  void execution_dependency(std::uint32_t first_later) { dependencies_.push_back(first_later); }
  /// A memory dependency.
  void forget();
  /// As trace::Listener.
  void operation(model::OperationIndex index, const Operation& operation, model::Value read, model::Value written,
                 std::span<const trace::Source> sources);
  /// Remembers, in a quarter of the room, an access of at most 8 bytes, which differs from other operations with
  /// this number in agent, reference and place only.
  void access(model::OperationIndex index, const Operation& operation, std::uint32_t instruction, model::Value read,
              model::Value written, std::span<const trace::Source> sources = {}) {
    last_ = {operation.agent, instruction};
    if (operation.kind == OperationKind::ReadModifyWrite && operation.locations.size_bytes > 4) [[unlikely]]
      return this->operation(index, operation, read, written, sources);
    if (is_full_at(index)) return;
    add(index, {operation.agent, operation.reference, operation.locations.allocation, instruction,
                operation.locations.offset_bytes, packed(operation.kind, read, written)});
    add_sources(index, sources);
  }
  /// Remembers an access with the value that it read or wrote.
  void access(model::OperationIndex index, AgentId agent, ReferenceId reference, const Locations& bytes,
              std::uint32_t instruction, model::Value value) {
    last_ = {agent, instruction};
    if (!is_full_at(index)) add(index, {agent, reference, bytes.allocation, instruction, bytes.offset_bytes, value});
  }
  /// The values of a read-modify-write of at most 4 bytes as one.
  static model::Value packed(model::Value read, model::Value written) { return read | written << 32; }
  /// Operations from `first` on: `barrier` of `count` agents from its own on.
  void meets(model::OperationIndex first, const Operation& barrier, std::uint32_t count);
  void placed(model::OperationIndex write) {
    if (hears_ == Hears::AnyMemory && has(write)) orders_.placed.push_back(write);
  }

  /// `agent`'s last operation like `first` (same instruction, overlapping bytes) before the
  /// operation `second`. Nothing if one of them is not remembered.
  std::optional<model::OperationIndex> last_like(const Operation& first, AgentId agent,
                                                 model::OperationIndex second) const;
  struct Last {
    AgentId agent;
    /// As in its record.
    SourceLocation where;
  };
  /// The last operation that it heard of, whether or not it is remembered; nothing if there is none since it forgot.
  /// Allocates nothing.
  std::optional<Last> last() const;
  /// Whether there was no room for the last operation that it heard of.
  bool is_full() const { return next_ == end_; }
  /// How many of `count` agents from `first` on have an operation in these lines of the file, the last one included.
  std::uint32_t count_in_lines(AgentId first, std::uint32_t count, const char* file, std::uint32_t first_line,
                               std::uint32_t last_line) const;
  /// Whether one of `count` agents from `first` on did the same twice running, as one does that waits.
  bool has_repeated(std::uint32_t first, std::uint64_t count) const;
  /// Calls `f(operation, values)` for all operations that are remembered, in their order.
  template <typename F>
  void for_each(F f) const {
    write_meetings();
    const auto count = static_cast<model::OperationIndex>(next_ - records_.get());
    for (model::OperationIndex i = 0; i < count; ++i) f(at(begin_ + i), values(begin_ + i));
  }
  /// The values of an operation that is remembered.
  AccessValues values(model::OperationIndex index) const;
  Locations locations(model::OperationIndex index) const { return at(index).locations; }

  /// What is around the race between last_like(first, agent, second) and `second`. Nothing if that is not
  /// remembered. Of a part of more than `most` operations it has those that may order the two (cut.h): what orders the
  /// two there orders them in the whole, too.
  std::optional<Neighbourhood> around(const Operation& first, AgentId agent, model::OperationIndex second,
                                      std::size_t most);

 private:
  /// An access in short; or, where `instruction` is kInFull, an agent's operation, the one at `offset_bytes`
  /// among those.
  struct Record {
    // Nothing by default: room for many is there at once, and that would take it all.
    AgentId agent;
    ReferenceId reference;
    AllocationId allocation;
    std::uint32_t instruction;
    std::uint64_t offset_bytes;
    model::Value value;
  };
  static constexpr std::uint32_t kInFull = ~std::uint32_t{0};
  static constexpr std::uint32_t kNone = kInFull - 1;
  /// An agent, and the instruction of its operation; or kInFull, or kNone.
  struct LastInstruction {
    AgentId agent{};
    std::uint32_t instruction = kNone;
  };
  struct InFull {
    Operation operation;
    AccessValues values;
  };
  static constexpr std::uint64_t kGranuleBytes = 8;
  /// The last writers of the bytes of a granule.
  struct LastWriters {
    std::array<model::OperationIndex, kGranuleBytes> of_byte;
    LastWriters() { of_byte.fill(model::kInitialValue); }
  };
  /// What related the atomics.
  struct Orders {
    std::vector<model::ReadsFrom> reads_from;
    /// Their writes, as they became part of the modification order.
    std::vector<model::OperationIndex> placed;
  };

  /// A control barrier that agents with consecutive numbers came to, the one with that number in in_full_; and where
  /// their records are.
  struct Unwritten {
    Record* begin = nullptr;
    Record* end = nullptr;
    std::size_t number = 0;
  };

  static model::Value packed(OperationKind kind, model::Value read, model::Value written) {
    if (kind == OperationKind::ReadModifyWrite) return packed(read, written);
    return kind == OperationKind::Read ? read : written;
  }
  bool has(model::OperationIndex index) const {
    return index >= begin_ && index - begin_ < static_cast<std::size_t>(next_ - records_.get());
  }
  const Record& record(model::OperationIndex index) const { return records_[index - begin_]; }
  Operation at(model::OperationIndex index) const;
  bool is_full_at(model::OperationIndex index) { return next_ == end_ && !begins_at(index); }
  /// Whether it was to remember nothing until now; then it is not full any more.
  bool begins_at(model::OperationIndex index) {
    if (from_ == 0 || index < from_) [[likely]]
      return false;
    from_ = 0;
    end_ = records_.get() + most_;
    return true;
  }
  /// If it is not full. (No call, which those who ask would have to keep what they know for.)
  void add(model::OperationIndex index, const Record& made) {
    if (next_ == records_.get()) [[unlikely]]
      begin_ = index;
    *next_++ = made;
  }
  void add_sources(model::OperationIndex read, std::span<const trace::Source> sources) {
    if (hears_ == Hears::SequentialMemory) return;
    for (const trace::Source& source : sources) orders_.reads_from.push_back({read, source.write, source.bytes});
  }
  void write_meetings() const;
  bool is_control_barrier(model::OperationIndex index) const {
    const Record& r = record(index);
    return r.instruction == kInFull && in_full_[r.offset_bytes].operation.kind == OperationKind::ControlBarrier;
  }
  /// On sequential memory: all orders up to `last`.
  void find_last_writes(model::OperationIndex last);
  void add_byte_read(model::OperationIndex read, const Operation& operation, std::uint64_t byte,
                     model::OperationIndex writer);
  /// The agents by whose atomics and control barriers something may have come from the one operation's agent to the
  /// other's, the earliest way there is; none if there is none.
  std::vector<AgentId> way(model::OperationIndex first, model::OperationIndex second) const;
  std::vector<AgentId> agents_of(model::OperationIndex first, model::OperationIndex second) const;
  /// All operations up to `second` of these agents.
  std::vector<model::OperationIndex> operations_of(const std::vector<AgentId>& agents,
                                                   model::OperationIndex second) const;
  void add_orders(Neighbourhood& part,
                  const std::unordered_map<model::OperationIndex, model::OperationIndex>& number) const;

  Hears hears_;
  Known known_;
  /// The index of the first one.
  model::OperationIndex begin_ = 0;
  std::unique_ptr<Record[]> records_;
  /// Where the next one goes, and the end of the room.
  Record* next_;
  Record* end_;
  std::size_t most_;
  /// 0 once it has begun to remember.
  model::OperationIndex from_;
  std::vector<InFull> in_full_;
  LastInstruction last_;
  /// Where the last operation is that is kInFull.
  SourceLocation last_in_full_;
  /// Operations whose records are not written yet: mostly no one asks for them.
  mutable std::vector<Unwritten> unwritten_;
  /// On sequential memory those of the first operations, so many as `found_` says.
  Orders orders_;
  std::size_t found_ = 0;
  std::map<std::pair<AllocationId, std::uint64_t>, LastWriters> last_writers_;
  /// The first agents after each execution dependency.
  std::vector<std::uint32_t> dependencies_;
};

}  // namespace heddle::advice
