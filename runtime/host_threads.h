#pragma once

/// \file
/// The host threads of an emulated run (heddle/host_thread.h), for whoever emulates what they call.

#include <heddle/memory_policy.h>
#include <heddle/report.h>
#include <heddle/source_location.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace heddle::runtime {

/// Host threads that take turns on one thread of the system.
class HostThreads {
 public:
  /// A call is an operation of its thread.
  struct Call {
    std::uint32_t thread = 0;
    /// By thread: so many of its operations happen before what comes next, the call among those of its own thread.
    /// Valid until the next operation of any.
    std::span<const std::uint32_t> clock;
  };

  virtual ~HostThreads() = default;

  /// A number that the threads of no other run of this process have; not 0.
  virtual std::uint32_t run() const = 0;
  /// What a device has where its options say nothing else.
  virtual std::uint64_t seed() const = 0;
  virtual const MemoryPolicy& policy() const = 0;
  /// The file of its trace, another one for each device; empty for none.
  virtual std::string new_trace() = 0;
  /// The running thread makes a call; others may go on first. Where the run ends it throws Unwind, or, if something is
  /// being unwound, returns nothing: the call does nothing.
  virtual std::optional<Call> make_call(const SourceLocation& where) = 0;
  /// The running thread uses something, such as "a LogicalDevice", that this run has not made: the run ends. Throws
  /// Unwind, or, if something is being unwound, returns: the call does nothing.
  virtual void refuse(const char* what, const SourceLocation& where) = 0;
  /// The running thread waits, and others go on. False if there are none that can. Throws Unwind where the run ends.
  virtual bool let_others_go_on(const SourceLocation& where) = 0;
  /// The race is a finding of the run.
  virtual void tell(const DataRace& race) = 0;
};

/// The host threads that the calling thread of the system runs; null if it runs none.
HostThreads* host_threads() noexcept;
/// Returns those that it ran.
HostThreads* run_host_threads(HostThreads* threads) noexcept;

/// Whether the calling thread of the system is a host thread of a native run.
bool is_native_host_thread() noexcept;
/// Returns whether it was one.
bool be_native_host_thread(bool is_one) noexcept;

}  // namespace heddle::runtime
