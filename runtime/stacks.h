#pragma once

/// \file
/// The stacks of one worker, and the switches between them.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/fiber_pool.h"
#include "runtime/pick.h"
#include "runtime/running.h"

namespace heddle::runtime {

/// The thread's own stack, and its fibers. A switch says what runs from then on, and leads to the stack that runs it; a
/// fiber that was at nothing finds its job here. Model ordering: none.
class Stacks {
 public:
  /// New fibers call `entry(argument)`, which must not return.
  Stacks(Running& now, Ring& ring, void (*entry)(void*), void* argument)
      : now_(now), ring_(ring), fibers_(entry, argument) {
    announce_thread(thread_);
  }

  FiberPool& fibers() { return fibers_; }

  /// What a fiber that is gone on with, and was at nothing, has to do.
  const Pick& job() const { return job_; }
  void set_job(Pick job) { job_ = job; }
  /// The fiber that is being switched to for its first time.
  Fiber* fresh() const { return fresh_; }
  /// A fiber that will find `pick` to do.
  Fiber* take_for(Pick pick) {
    job_ = pick;
    return fresh_ = fibers_.take();
  }

  [[gnu::always_inline]] void switch_to(Context* save, Context to) { swap_context(save, to, &ring_); }
  /// Who will run next runs now: the stack, and its fiber, that are to be switched to.
  std::pair<Context, Fiber*> make_way(Pick pick);
  /// Leaves the running stack, `here` (null: the thread's own), whose context goes to `*save`, for
  /// what `pick` says; Nothing leads to the thread's own stack.
  void leave(Pick pick, Context* save, Fiber* here);
  /// Leaves the thread's own stack until there is nothing else to run.
  void leave_own(Pick pick) {
    leave(pick, &own_, nullptr);
    own_ = nullptr;
  }

  /// A fiber of a ring is at nothing, but may be inside a kernel's code, which may be gone before it is wanted again:
  /// it returns from there, and is parked. `at`: where it goes on.
  void call_back(Fiber* fiber, Context at) {
    const Pick job = std::exchange(job_, {Pick::Park, 0, nullptr});
    fresh_ = fiber;
    switch_to(&caller_, at);
    job_ = job;
  }
  /// On the fiber that was called back. It returns when the fiber has another job.
  void come_back(Fiber* self) {
    fibers_.park(self);
    switch_to(&self->parked, caller_);
  }

  // Where an invocation trapped. `running`: the fiber that it is on; null: it is on the thread's own stack.
  /// Whether the address is where that stack has its end.
  bool is_end_of(const Fiber* running, const void* address) const;
  /// A stack pointer from which frames can be given up when that stack is unusable.
  void* landing(const Fiber* running) const;
  /// How many bytes the thread's own stack has.
  std::size_t own_bytes() const { return thread_.bytes; }

 private:
  Announced& announced(Fiber* fiber) { return fiber ? fiber->announced : thread_; }

  Running& now_;
  Ring& ring_;
  FiberPool fibers_;
  Pick job_;
  Fiber* fresh_ = nullptr;
  /// Who waits for a fiber to come back.
  Context caller_ = nullptr;
  /// Where the thread's own stack goes on, and what sanitizers are told of it.
  Context own_ = nullptr;
  Announced thread_;
  static constexpr std::size_t kLandingBytes = 64 * 1024;
  std::unique_ptr<std::byte[]> landing_ = std::make_unique<std::byte[]>(kLandingBytes);
};

inline std::pair<Context, Fiber*> Stacks::make_way(Pick pick) {
  switch (pick.kind) {
    case Pick::Resume:
      now_.group = pick.group;
      now_.slot = pick.slot();
      return {now_.slot->context, now_.slot->fiber};
    case Pick::Driver:
      now_.group = pick.group;
      now_.slot = nullptr;
      return {pick.group->driver, pick.group->driver_fiber};
    case Pick::Start:
    case Pick::Admit:
      take_for(pick);
      return {fresh_->parked, fresh_};
    case Pick::Nothing:
    case Pick::Ring:
    case Pick::Park:
      break;
  }
  return {own_, nullptr};
}

inline void Stacks::leave(Pick pick, Context* save, Fiber* here) {
  const auto [to, there] = make_way(pick);
  if (kSanitized) announce_leaving(announced(here), announced(there));
  switch_to(save, to);
  if (kSanitized) announce_arrival(announced(here));
}

}  // namespace heddle::runtime
