#pragma once

/// \file
/// Writes what host threads do to a trace file.

#include <heddle/memory_order.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/mu/execution.h"
#include "emulator/trace/file_writer.h"

namespace heddle::mu::host {

/// What an operation of a host thread is called: "store RELEASE", "creates thread 2"; and what it does.
struct HostOperation {
  HostOperation(ThreadIndex by, std::string called, MemoryOrder has = MemoryOrder::Relaxed, LocationIndex of = kNone)
      : thread(by), words(std::move(called)), order(has), location(of) {}

  ThreadIndex thread = 0;
  std::string words;
  MemoryOrder order = MemoryOrder::Relaxed;
  /// The location that it accesses; kNone if it accesses none.
  LocationIndex location = kNone;
  bool reads = false;
  bool writes = false;
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  /// The operation whose value it read, or kInitial.
  EventIndex source = kInitial;
  SourceLocation where;
};

class HostTrace {
 public:
  /// Throws std::invalid_argument if the file cannot be written.
  explicit HostTrace(const std::string& path);
  /// Writes the end; a failure to write goes to standard error.
  ~HostTrace();
  HostTrace(const HostTrace&) = delete;
  HostTrace& operator=(const HostTrace&) = delete;

  void thread_begins(ThreadIndex thread, std::string_view words);
  void location(LocationIndex location, std::string_view name);
  /// The number that the next operation gets.
  EventIndex next() const { return told_; }
  void operation(const HostOperation& operation);

 private:
  template <typename Tell>
  void tell(const Tell& with_writer);

  std::unique_ptr<trace::FileWriter> writer_;
  std::string failure_;
  EventIndex told_ = 0;
  /// How many agents have begun: threads begin in the order of their numbers.
  ThreadIndex begun_ = 0;
};

}  // namespace heddle::mu::host
