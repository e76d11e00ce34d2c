#pragma once

/// \file
/// What the emulated form of host threads asks of the weak machine. Not for users; see heddle/host_thread.h.
/// Every function but run_emulated is called by a thread of the machine, and performs one operation of it.

#include <heddle/function.h>
#include <heddle/memory_order.h>
#include <heddle/source_location.h>

#include <cstdint>
#include <functional>
#include <memory>

namespace heddle::threads {
struct Report;
struct Options;
}  // namespace heddle::threads

namespace heddle::threads::detail {

/// Something that a run has: which run, and its number there. It may outlive its run, by mistake: then it is refused.
struct NumberOfRun {
  std::uint32_t run = 0;
  std::uint32_t number = 0;
};
using LocationNumber = NumberOfRun;
using ThreadNumber = NumberOfRun;
using StackNumber = NumberOfRun;
/// What happens before all that depends on a value; 0 for nothing.
using DependencyNumber = std::uint32_t;

struct LoadedBits {
  std::uint64_t bits = 0;
  DependencyNumber dependency = 0;
};

LocationNumber add_location(std::uint64_t initial, std::uint32_t size_bytes, const char* name, SourceLocation where);
/// The end of a location, which is no operation of the memory model: each later use of the location is a mistake of the
/// program, and is told. Outside of the run that made the location, the call does nothing.
void remove_location(LocationNumber location) noexcept;
LoadedBits load(LocationNumber location, MemoryOrder order, DependencyNumber dependency, SourceLocation where);
void store(LocationNumber location, std::uint64_t bits, MemoryOrder order, SourceLocation where);
/// `combine(context, old)` is what is stored. Returns the old value.
std::uint64_t modify(LocationNumber location, std::uint64_t (*combine)(const void* context, std::uint64_t old),
                     const void* context, MemoryOrder order, SourceLocation where);
struct ComparedBits {
  std::uint64_t old = 0;
  bool stored = false;
};
ComparedBits compare_exchange(LocationNumber location, std::uint64_t expected, std::uint64_t desired,
                              MemoryOrder success, MemoryOrder failure, bool weak, SourceLocation where);
void fence(MemoryOrder order, SourceLocation where);
/// 0 woken, -1 another value, -3 the time is up.
int futex_wait(LocationNumber location, std::uint64_t expected, bool timed, SourceLocation where);
int futex_wake(LocationNumber location, std::int64_t count, SourceLocation where);
int futex_cmp_requeue(LocationNumber location, LocationNumber target, std::uint64_t expected, std::int64_t count,
                      SourceLocation where);

ThreadNumber new_thread(std::function<void()> body, SourceLocation where);
/// Waits until the thread has ended; what it did happens before what follows. `quietly`: in a destructor, where a
/// thread of another run has ended.
void join(ThreadNumber thread, bool quietly, SourceLocation where);
std::uint32_t this_thread();

StackNumber new_stack(std::function<void()> function, SourceLocation where);
StackNumber current_stack();
void swap_stack(StackNumber to, bool kills, SourceLocation where);

/// One bundle: the stores of all definitions, in one step.
struct Definition {
  LocationNumber function;
  std::uint64_t version = 0;
};
void define(const Definition* definitions, std::size_t count, SourceLocation where);

void require(bool holds, const char* what, SourceLocation where);
Report run_emulated(const std::function<void()>& body, const Options& options);

}  // namespace heddle::threads::detail
