#pragma once

/// \file
/// Stack overflow and integer division by zero become findings.

namespace heddle::runtime {

/// Turns the traps of kernels into findings: SIGSEGV on a guard page (stack overflow) and SIGFPE
/// (integer division). Other faults go to whatever handler was there before. To be called
/// before a dispatch, on every thread that takes part: alternate signal stacks
/// belong to threads, and somebody else may have installed a handler since the last one (test
/// frameworks do). What somebody else did is found when it is 200 microseconds old, or when a device
/// was made since: looking for it takes three system calls, as long as a small dispatch.
void install_fault_handler();

}  // namespace heddle::runtime
