#include "runtime/stacks.h"

#include "runtime/fault.h"

namespace heddle::runtime {

bool Stacks::is_end_of(const Fiber* running, const void* address) const {
  if (running) return running->stack().guards(address);
  // A host thread dispatches.
  if (const Fiber* const home = owned_fiber()) return home->stack().guards(address);
  // A thread's own stack: the kernel faulted within the guard below it.
  const auto* byte = static_cast<const std::byte*>(address);
  const auto* bottom = static_cast<const std::byte*>(thread_.bottom);
  constexpr std::ptrdiff_t kGuardBytes = 1 << 20;
  return bottom && byte < bottom + kGuardBytes && byte >= bottom - kGuardBytes;
}

void* Stacks::landing(const Fiber* running) const {
  announce_abandoned(running ? running->announced : thread_);
  if (running) return running->first_frame();
  // Its last use ended in a jump.
  announce_abandoned({landing_.get(), kLandingBytes, nullptr, nullptr});
  return landing_.get() + kLandingBytes;
}

}  // namespace heddle::runtime
