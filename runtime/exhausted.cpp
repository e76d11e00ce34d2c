// Memory that runs out while a dispatch is under way: the dispatch fails, all its invocations end, and the runtime can
// be used again.

#include "runtime/scheduler.h"

#include <sys/mman.h>

#include <atomic>
#include <new>

namespace heddle::runtime {
namespace {

// Enough to tell what is wrong, and to end what has begun. Nobody writes to it: it takes addresses and no memory.
constexpr std::size_t kReserveBytes = std::size_t{8} << 20;
std::atomic<void*> g_reserve{nullptr};

std::string no_stack(const std::exception& why) {
  return std::string(why.what()) +
         "; DeviceOptions::stack_bytes and resident_workgroups say how much memory stacks take";
}

}  // namespace

void keep_reserve() {
  if (g_reserve.load(std::memory_order_relaxed)) [[likely]]
    return;
  // Not from malloc: what a program gives back to that changes which pieces it takes from the system.
  void* const made = mmap(nullptr, kReserveBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void* none = nullptr;
  if (made == MAP_FAILED) return;
  if (!g_reserve.compare_exchange_strong(none, made)) munmap(made, kReserveBytes);
}

void give_up_reserve() {
  if (void* const kept = g_reserve.exchange(nullptr)) munmap(kept, kReserveBytes);
}

/// Fails the dispatch: there is no memory for `what`, and why is the exception that is handled just now.
void Worker::out_of_memory(const Group* g, std::string what) {
  give_up_reserve();
  Failure failure;
  failure.finding.message = "out of memory: " + std::move(what);
  if (g) failure.finding.invocation.workgroup = g->id;
  failure.finding.invocation.exact = false;
  failure.exception = std::make_exception_ptr(std::bad_alloc());
  fail(std::move(failure));
}

/// Makes a fiber that can be taken. False: there is no memory for its stack, and the dispatch has failed.
bool Worker::make_fiber() {
  try {
    stacks_.fibers().make();
    return true;
  } catch (const std::exception& e) {
    out_of_memory(now_.group, no_stack(e));
    return false;
  }
}

/// False: there is no memory for the stacks of a ring, and the dispatch has failed.
bool Worker::begin_ring(Group& g) {
  try {
    rings_.begin(g);
    return true;
  } catch (const std::exception& e) {
    out_of_memory(now_.group, no_stack(e));
    return false;
  }
}

/// No memory for workgroup `number`, for the reason that is handled just now: as if it had not been asked for.
void Worker::refuse_group(Group* g) {
  if (g) {
    residents_.take_back(*g);
    groups_.give(*g);
  }
  now_.group = nullptr;
  admission_.free_place();
  std::string why = "an error that is no std::exception";
  try {
    throw;
  } catch (const std::exception& e) {
    why = e.what();
  } catch (...) {
  }
  out_of_memory(g, "no room for another workgroup and its memory (" + why + "), which has " +
                       std::to_string(now_.launch->workgroup_memory_bytes) +
                       " bytes; DeviceOptions::workgroup_memory_bytes and resident_workgroups say how much they take");
}

}  // namespace heddle::runtime
