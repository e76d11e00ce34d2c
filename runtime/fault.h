#pragma once

namespace heddle::runtime {

/// Turns the traps of kernels into findings: SIGSEGV on a guard page (stack overflow) and SIGFPE
/// (integer division). Other faults go to whatever handler was there before. To be called once on
/// every thread that runs kernels, because alternate signal stacks belong to threads.
void install_fault_handler();

}  // namespace heddle::runtime
