// Polling: of atomics, which say so, and of volatile memory.

#include "runtime/fairness.h"
#include "runtime/scheduler.h"

#include <atomic>
#include <thread>

namespace heddle::runtime {

namespace {

// Kernels poll volatile memory by loads that may be anything else: others get to run after so many that found the same
// in the same place, or after so many in all.
constexpr std::uint32_t kSameBeforeYield = 32;
constexpr std::uint32_t kReadsBeforeYield = 4096;

/// The last volatile loads of this thread, and how many there were since others last got to run; those that found the
/// same as the one before count for more.
thread_local LastPolls last_volatile;
thread_local std::uint32_t volatile_reads = 0;

/// Set before main, or as a library with kernels is loaded.
std::atomic<bool> volatile_memory_is_named = false;

}  // namespace

void Worker::yield(SourceLocation where, const Poll& poll) {
  Slot* self = outside_ring();
  // In a region of a kernel in phases, where the scheduler has begun no invocation, only other threads go on.
  if (!self) {
    if (now_.has_failed()) throw Unwind{};
    return std::this_thread::yield();
  }
  Group& g = *now_.group;
  SlotDetail& detail = g.detail(self);
  if (poll.changed || detail.poll.address != poll.address || detail.poll.value != poll.value) patience_.note_progress();
  self->wait = WaitKind::Poll;
  self->where = where;
  detail.poll = poll;
  if (patience_.looks_at_polls()) [[unlikely]]
    look(detail.states, poll);
  self->let_go();
  self->polled_in_round = g.round;
  if (adversary_.is_there()) [[unlikely]]
    adversary_.turn_ends(residents_.all(), g, *self, true);
  rounds_.note_poll();
  suspend_outside_ring(self, Turn::Anywhere);
}

std::string who_is_where() {
  const Worker& worker = *worker_of_thread;
  return who_is_where(worker.residents_.all(), *worker.now_.dispatch);
}

void yield(SourceLocation where, const Poll& poll) {
  worker_of_thread->yield(where, poll);
}

[[gnu::noinline]] void read_volatile(const void* address, std::uint64_t bits) {
  volatile_reads += last_volatile.note(address, bits) ? kReadsBeforeYield / kSameBeforeYield : 1;
  if (volatile_reads < kReadsBeforeYield) return;
  volatile_reads = 0;
  Poll poll = last_volatile.take("a volatile load");
  poll.code = __builtin_return_address(0);
  worker_of_thread->yield({}, poll);
}

bool has_volatile_memory() {
  volatile_memory_is_named = true;
  return true;
}

bool program_has_volatile_memory() noexcept {
  return volatile_memory_is_named;
}

void poll_in_region(const Workgroup& group, std::uint32_t index, SourceLocation where, const Poll& poll) {
  worker_of_thread->patience_.poll_in_region(group, index, where, poll);
}

}  // namespace heddle::runtime
