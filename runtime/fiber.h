#pragma once

/// \file
/// Stacks that can be suspended and resumed, and what sanitizers must be told of them.

#include "runtime/context.h"
#include "runtime/stack_pool.h"

#include <cstddef>
#include <memory>

namespace heddle::runtime {

/// What AddressSanitizer and ThreadSanitizer must be told of a stack. Every stack that takes part in
/// switching has one, a thread's own as well.
struct Announced {
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  void* fake_stack = nullptr;
  void* tsan_fiber = nullptr;
};

/// Whether a sanitizer's runtime is in this process. Decided when the program starts, so that a
/// heddle built without sanitizers serves a program built with them.
extern const bool kSanitized;

/// Before and after a switch from one stack to another, the second on the stack that goes on.
void announce_leaving(Announced& from, const Announced& to);
void announce_arrival(Announced& here);
/// Frames of this stack were given up without unwinding: what they had poisoned is free again.
void announce_abandoned(const Announced& stack);
/// Fills in the stack of the calling thread.
void announce_thread(Announced& thread);
void announce_made(Announced& fiber);
void announce_gone(Announced& fiber);

/// A stack that can be suspended and gone on with. Belongs to one thread for ever: compilers may
/// keep the address of a thread_local across a switch.
class Fiber {
 public:
  /// `colour` shifts the first frame, so that the hot ends of many stacks do not meet in the same
  /// few cache sets (see kColourBytes). Throws std::system_error.
  Fiber(std::size_t stack_bytes, std::size_t colour, void (*entry)(void*), void* argument);
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  const Stack& stack() const { return stack_; }
  /// Where a restart of the fiber puts its first frame.
  std::byte* first_frame() const { return first_frame_; }

  /// Set while the fiber is suspended and no invocation owns it.
  Context parked = nullptr;
  Announced announced;

 private:
  Stack stack_;
  std::byte* first_frame_ = nullptr;
};

}  // namespace heddle::runtime
