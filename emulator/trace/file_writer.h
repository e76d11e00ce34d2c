#pragma once

/// \file
/// Streams a trace to disk.

#include <atomic>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/trace/api_steps.h"
#include "emulator/trace/components.h"
#include "emulator/trace/file_format.h"
#include "emulator/trace/listener.h"

namespace heddle::trace {

/// Writes everything it is told to a file, as it comes. Keeps a buffer and the shapes of the program's
/// operations, whatever the length of the run. Names of files and functions must outlive it.
class FileWriter final : public Listener, public ApiListener {
 public:
  /// Throws TraceFileError if it cannot be written; so do all others.
  explicit FileWriter(const std::string& path);
  /// Closes it; says nothing if that fails.
  ~FileWriter() override;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  /// Writes the end. A trace without it counts as cut off.
  void close();
  /// Hands everything so far to the system, so that others can have a look.
  void flush();
  /// Likewise where the process ends, on whatever thread and in the middle of whatever: safe in a handler of a signal.
  /// Nothing is told behind it.
  void save_at_end() noexcept;

  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId agent) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool memory) override;
  void dispatched(const Dispatch& dispatch) override;
  void named(const NamedBytes& bytes) override { named(bytes, {}); }
  /// Tells of a name of bytes, and of what they consist of.
  void named(const NamedBytes& bytes, const Components& components);
  /// What the operation, or the agent, that is told next is called.
  void called(std::string_view words);
  /// Two accesses race.
  void raced(const ToldRace& race);
  void operation(OperationIndex index, const Operation& operation, Value read, Value written,
                 std::span<const Source> sources) override;
  void late(OperationIndex read, OperationIndex before) override;
  void passes(OperationIndex arrival, std::span<const OperationIndex> synchronizing) override;
  void placed(OperationIndex write) override;
  void moved(OperationIndex write, const Locations& bytes, AgentId agent, CacheLevel from, CacheLevel to,
             MoveReason reason) override;
  void stale(OperationIndex read, OperationIndex missed, CacheLevel kept_in) override;

  void step_begins(std::uint64_t step, const ApiStep& told) override;
  void step_follows(std::uint64_t step, std::uint64_t earlier) override;
  void step_is_stale(std::uint64_t step, const OldValues& values) override;
  void step_ends(std::uint64_t step) override;
  void held_back(const HeldBack& held) override;

 private:
  /// An operation with its variable parts cleared.
  struct Shape {
    Operation operation;
    bool operator==(const Shape& other) const;
  };
  struct HashOfShape {
    std::size_t operator()(const Shape& shape) const;
  };

  void begin(RecordTag tag);
  void byte(std::uint8_t value) { buffer_.push_back(static_cast<char>(value)); }
  void number(std::uint64_t value);
  void difference(std::int64_t value) { number(zigzag(value)); }
  /// An agent, as seen from the one that the last record named.
  void agent(AgentId id);
  void earlier(OperationIndex index);
  void locations(const Locations& bytes);
  void sources(const Operation& operation, std::span<const Source> sources);
  std::uint32_t shape_of(const Operation& operation);
  std::uint32_t string_of(std::string_view text);
  /// Makes room for so many strings.
  void forget_if_full(std::uint32_t strings = 3);
  void members_of(const Components& components);

  std::string path_;
  std::ofstream file_;
  std::vector<char> buffer_;
  bool closed_ = false;
  std::atomic<bool> saved_{false};
  OperationIndex told_ = 0;
  std::uint64_t steps_ = 0;
  std::uint32_t last_agent_ = 0;
  model::Place last_place_;
  Locations last_bytes_;
  std::uint64_t last_instance_ = 0;
  std::unordered_map<Shape, std::uint32_t, HashOfShape> shapes_;
  std::unordered_map<std::string, std::uint32_t> strings_;
};

}  // namespace heddle::trace
