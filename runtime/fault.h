#pragma once

/// \file
/// Stack overflow and integer division by zero become findings; and invocations end that cannot be unwound.

#include <heddle/report.h>

namespace heddle::runtime {

class Fiber;

/// Code that a thread runs on fibers, and that is no invocation: host threads. Its traps come to it.
class TrapOwner {
 public:
  /// The fiber that the calling thread runs on; null for none. A signal handler calls it.
  virtual const Fiber* running_fiber() const noexcept = 0;
  /// The code on that fiber trapped at `instruction`, and its frames are given up: called from the first frame on.
  [[noreturn]] virtual void trapped(FindingKind kind, const void* instruction) = 0;

 protected:
  ~TrapOwner() = default;
};

/// Who is given the traps of the calling thread from now on, where they are no kernel's; null for nobody. Returns who
/// was given them before. To be followed by install_fault_handler.
TrapOwner* set_trap_owner(TrapOwner* owner);

/// The fiber of such code that the calling thread runs on; null for none. Safe in a signal handler.
const Fiber* owned_fiber() noexcept;

/// Turns the traps of kernels into findings: SIGSEGV on a guard page (stack overflow) and SIGFPE
/// (integer division; AArch64 has no such trap). Other faults go to whatever handler was there
/// before. To be called before a dispatch, on every thread that takes part: alternate signal stacks
/// belong to threads, and somebody else may have installed a handler since the last one (test
/// frameworks do). What somebody else did is found when it is 200 microseconds old, or when a device
/// was made since: looking for it takes three system calls, as long as a small dispatch.
void install_fault_handler();

/// Ends the invocation that the calling thread runs without unwinding it, and goes on with what others its thread has.
/// Returns only if the thread runs none, or none whose dispatch has failed.
void give_up_invocation();

/// What a device, or a run of host threads, has as long as it lives. Somebody may have installed signal handlers before
/// it was made, so its dispatches look for that. When the last of these is gone SIGSEGV and SIGFPE have the handlers
/// that they had before the first dispatch, unless somebody has installed others since; and the thread on which it went
/// has no alternate stack of heddle's. (Other threads that ran kernels keep theirs until they end.)
class FaultHandling {
 public:
  FaultHandling();
  ~FaultHandling();
  FaultHandling(const FaultHandling&) = delete;
  FaultHandling& operator=(const FaultHandling&) = delete;
};

}  // namespace heddle::runtime
