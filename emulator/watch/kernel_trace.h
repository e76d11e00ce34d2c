#pragma once

/// \file
/// Writes the trace file of a device.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/trace/file_writer.h"
#include "emulator/watch/named_objects.h"
#include "runtime/last_words.h"

namespace heddle::trace {
class Instructions;
}

namespace heddle::watch {

/// As long as it lives, what a writer has in memory goes to its file before the process ends, whatever ends it.
class SavedTrace {
 public:
  /// The writer must outlive it.
  explicit SavedTrace(trace::FileWriter& writer);
  ~SavedTrace();
  SavedTrace(const SavedTrace&) = delete;
  SavedTrace& operator=(const SavedTrace&) = delete;

 private:
  std::size_t place_;
  runtime::LastWords last_words_;
};

/// Writes what a device's memory tells to a file, with the names that people have for things. A failure does
/// not disturb the kernel that runs: it is kept for check().
class KernelTrace final : public trace::Listener, public trace::ApiListener {
 public:
  /// Throws std::invalid_argument if the file cannot be written. `instructions` must outlive it.
  KernelTrace(const std::string& path, const trace::Instructions& instructions);
  /// Writes the end; a failure goes to standard error, unless check() has told it.
  ~KernelTrace() override;

  void dispatch_begins(const DispatchStart& started);
  /// The device uses the number of an allocation again: for another one, to which the trace gives a number of
  /// its own.
  void renew(AllocationId allocation);
  void name_object(const NamedObject& object);
  /// A detector found a race, or has more to say of one.
  void raced(const trace::ToldRace& race);
  /// What is known so far is on disk from now on.
  void flush();
  /// Throws std::runtime_error, once, if something could not be written.
  void check();

  void agent_begins(AgentId agent, const model::Place& place) override;
  void agent_ends(AgentId agent) override;
  void system_synchronizes(AgentId first, AgentId second) override;
  void dependency(bool memory) override;
  void operation(trace::OperationIndex index, const Operation& operation, trace::Value read, trace::Value written,
                 std::span<const trace::Source> sources) override;
  void passes(trace::OperationIndex arrival, std::span<const trace::OperationIndex> synchronizing) override;
  void placed(trace::OperationIndex write) override;
  void moved(trace::OperationIndex write, const Locations& bytes, AgentId agent, trace::CacheLevel from,
             trace::CacheLevel to, trace::MoveReason reason) override;
  void stale(trace::OperationIndex read, trace::OperationIndex missed, trace::CacheLevel kept_in) override;

  void step_begins(std::uint64_t step, const trace::ApiStep& told) override;
  void step_follows(std::uint64_t step, std::uint64_t earlier) override;
  void step_is_stale(std::uint64_t step, const trace::OldValues& values) override;
  void step_ends(std::uint64_t step) override;
  void held_back(const trace::HeldBack& held) override;

 private:
  template <typename Tell>
  void tell(const Tell& with_writer);
  AllocationId in_trace(AllocationId allocation) const;
  Locations in_trace(Locations bytes) const;

  const trace::Instructions& instructions_;
  std::unique_ptr<trace::FileWriter> writer_;
  std::optional<SavedTrace> saved_;
  /// Nothing is written any more once this is not empty.
  std::string failure_;
  bool told_failure_ = false;
  /// By allocation of the device: how often any was renewed when this one was, or 0.
  std::vector<std::uint32_t> renewed_;
  std::uint32_t renewals_ = 0;
  std::vector<trace::Source> sources_;
};

/// Where the trace of a device goes; empty if it has none. `asked` is DeviceOptions::trace. Without it
/// HEDDLE_TRACE counts: every device that asks gets a file of its own.
std::string trace_path(const std::optional<std::string>& asked);

}  // namespace heddle::watch
