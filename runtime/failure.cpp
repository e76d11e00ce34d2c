// A dispatch that failed: every invocation that waits goes on, by an exception, to its end.

#include <new>

#include "runtime/scheduler.h"

namespace heddle::runtime {

bool Dispatch::fail(Failure f) {
  const std::lock_guard lock(mutex);
  if (failure) return false;
  failure = std::make_unique<Failure>(std::move(f));
  gives_up.emplace();
  failed.store(true, std::memory_order_release);
  if (launch->observer) launch->observer->dispatch_fails(*failure);
  if (!failure->cut_off) told_last.emplace(to_string(failure->finding));
  return true;
}

void Worker::fail(Failure failure) {
  now_.dispatch->fail(std::move(failure));
  if (!is_unwinding()) begin_unwinding();
}

void Worker::fail_at(Standstill standstill) {
  if (now_.dispatch->fail({std::move(standstill.finding), nullptr})) asked_for_calls_ = standstill.slot;
  if (!is_unwinding()) begin_unwinding();
}

// Only on its own stack an invocation can tell its calls.
void Worker::unwind() {
  if (asked_for_calls_ && now_.slot == asked_for_calls_) {
    asked_for_calls_ = nullptr;
    CallStack calls = CallStack::here();
    const std::lock_guard lock(now_.dispatch->mutex);
    now_.dispatch->failure->calls = std::move(calls);
  }
  throw Unwind{};
}

void Worker::begin_unwinding() {
  turns_.ring().unwinding = true;
  walks_ = false;
  admission_.drop_tickets();
  for (Group* g : std::vector(residents_.all())) release(*g);
}

void Worker::release(Group& g) {
  if (!g.waited) return;
  if (g.in_ring) rings_.leave(g);
  Slot* const running = now_.slot;
  if (now_.launch->choice) g.walk.look_at_all();
  for (Slot* slot = g.begin; slot != g.end; ++slot) {
    slot->polled_in_round = 0;
    if (slot->state == SlotState::Unstarted) {
      // Invocations that ran as plain calls before the first one that waited are counted here, too.
      finish(g, slot);
    } else if (slot->state == SlotState::Started) {
      slot->let_go();
    }
  }
  now_.slot = running;
}

// --- what templates call --------------------------------------------------------------------

void kernel_threw(Workgroup& group, std::uint32_t index) {
  Failure failure;
  failure.finding.invocation = coordinates(group, index);
  try {
    throw;
  } catch (const Unwind&) {
    return;
  } catch (const std::exception& e) {
    // What ran out of memory may be heddle, which then has none to say so.
    if (dynamic_cast<const std::bad_alloc*>(&e)) give_up_reserve();
    failure.finding.message = std::string("the kernel threw: ") + e.what();
  } catch (...) {
    failure.finding.message = "the kernel threw something that is no std::exception";
  }
  failure.exception = std::current_exception();
  worker_of_thread->fail(std::move(failure));
}

}  // namespace heddle::runtime
