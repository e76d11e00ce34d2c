#pragma once

/// \file
/// How code ends that must not go on, because what it is a part of has failed: by an exception, and, where none gets
/// through, without being unwound.

namespace heddle::runtime {

/// Thrown inside an invocation, or a host thread, that must go away because its dispatch, or run, failed. Deliberately
/// not a std::exception, so that a kernel's handlers for those let it pass.
struct Unwind {};

/// As long as one lives, an Unwind that can go no further (a function on its way is noexcept, or it comes out of a
/// destructor while another exception is on its way) gives up the stack that it is on: std::terminate is not the end of
/// the process, and the destructors that are left do not run. Elsewhere std::terminate does what it did before. The
/// handler of std::terminate is what it was as soon as none lives any more. Thread-safe.
class GivesUpStacks {
 public:
  GivesUpStacks();
  ~GivesUpStacks();
  GivesUpStacks(const GivesUpStacks&) = delete;
  GivesUpStacks& operator=(const GivesUpStacks&) = delete;
};

/// What gives up a stack of the calling thread that is none of a dispatch's; null if there is none. It returns only if
/// the running stack must not be given up.
using GiveUp = void (*)();
extern constinit thread_local GiveUp give_up_other_stack;

}  // namespace heddle::runtime
