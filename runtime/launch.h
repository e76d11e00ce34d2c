#pragma once

/// \file
/// What a device asks of the runtime: to run every workgroup of a dispatch.

#include <heddle/choice.h>
#include <heddle/detail/runtime.h>
#include <heddle/function.h>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "runtime/call_stack.h"

namespace heddle {
enum class Reconvergence : std::uint8_t;
}

namespace heddle::runtime {

/// What the resident invocations do or wait for, those at one place together: "3 invocations wait at ...; ...".
/// On the thread of a dispatch that has one.
std::string who_is_where();

/// What a dispatch did.
struct Statistics {
  std::uint64_t workgroups = 0;
  /// Fibers that were needed at once, on all workers together; 0 where nothing waited.
  std::uint64_t fibers = 0;
  std::uint64_t resident_peak = 0;
};

struct Failure;

/// What emulation wants to know of workgroups and invocations as they come and go.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void workgroup_begins(Workgroup& group) = 0;
  virtual void workgroup_ends(Workgroup& group) = 0;
  /// The invocations `indices` of `group`, all of which wait, execute one dynamic instance of a
  /// barrier or a subgroup operation together: called once for each, before any of them goes on.
  virtual void invocations_meet(Workgroup& group, std::span<const std::uint32_t> indices) = 0;
  /// The dispatch has failed, and no invocation has begun to unwind; on the thread that found it out, perhaps on the
  /// stack of the invocation. Called once, and never twice at a time for one dispatch. The observer may add how to run
  /// this again.
  virtual void dispatch_fails(Failure& failure) = 0;
};

class Fairness;

struct Launch {
  Grid grid;
  Entries run;
  const void* kernel = nullptr;
  /// Handed to every workgroup.
  void* context = nullptr;
  std::uint32_t workers = 0;
  std::uint32_t resident_workgroups = 0;
  std::size_t stack_bytes = 0;
  std::size_t workgroup_memory_bytes = 0;
  /// Whether it starts at zero for each workgroup.
  bool workgroup_memory_zeroed = false;
  /// Native: each invocation begins as one that may wait anywhere, since a load of volatile memory, which nothing
  /// announces, may be a poll.
  bool waits_unannounced = false;
  /// Null: native, in parallel. Otherwise one worker, and every decision is asked of it.
  Choice* choice = nullptr;
  /// With a choice: the numbers of the workgroups that begin first, in this order; the others follow in ascending
  /// order.
  std::span<const std::uint32_t> first_groups;
  Observer* observer = nullptr;
  /// With a choice: who is put off for ever is whom this does not guarantee; null: nobody is.
  const Fairness* fairness = nullptr;
  /// With a choice: which lanes are together again. Zero is Maximal.
  Reconvergence reconvergence{};
  /// What a person calls the memory at an address; empty if unknown.
  const std::function<std::string(const void*)>* describe = nullptr;
  /// A number for the contents of all memory that a kernel may change, but for that of workgroups. Null: it is not
  /// looked at.
  const std::function<std::uint64_t()>* contents = nullptr;
  /// With a choice: give up when nothing but polling happened for so many rounds of all residents.
  std::uint64_t no_progress_rounds = 0;
  /// Without one: when nothing but polling happened for so long.
  std::chrono::milliseconds no_progress_time{0};
  /// Asked from time to time; true ends the dispatch. May be null.
  const Function<void(std::uint64_t done, std::uint64_t all)>* progress = nullptr;
};

/// Why a dispatch did not end well.
struct Failure {
  Finding finding;
  std::exception_ptr exception;
  /// The instruction that trapped; null if none did.
  const void* trapped_at = nullptr;
  /// The calls that the invocation was in; none where that is not known.
  CallStack calls = {};
  /// Nothing is wrong: somebody wanted it to end.
  bool cut_off = false;
};

/// Whether a kernel of this program names volatile memory.
bool program_has_volatile_memory() noexcept;

/// Whether the calling thread runs a kernel.
bool runs_kernel() noexcept;

/// Throws std::logic_error on a thread that runs a kernel: it can begin no dispatch.
void refuse_inside_kernel();

/// Runs every workgroup of a dispatch. Blocks. Null if all is well; on failure the other invocations are
/// unwound, and the runtime can be used again.
std::unique_ptr<Failure> launch(const Launch& launch, Statistics& statistics);

/// Ends the dispatch that the calling thread works on, though nothing is wrong with its kernel. `why` is a relative
/// clause: "which ...".
[[noreturn]] void cut_off(const char* why);

/// Whether a kernel called exit: destructors of static objects run while other threads may still be in kernels, and
/// nothing that those use may go away.
bool process_ends_in_kernel() noexcept;

/// Keeps addresses that nobody uses, if there are none yet, so that a dispatch that runs out of memory can tell it and
/// end.
void keep_reserve();
/// Now that memory ran out. Thread-safe, as the other one is.
void give_up_reserve();

/// Bytes of the deepest use of any fiber stack so far, in whole pages.
std::size_t stack_high_water_bytes();

}  // namespace heddle::runtime
