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
  dispatch_->fail(std::move(failure));
  if (!ring().unwinding) begin_unwinding();
}

void Worker::fail_at(Standstill standstill) {
  if (dispatch_->fail({std::move(standstill.finding), nullptr})) asked_for_calls_ = standstill.slot;
  if (!ring().unwinding) begin_unwinding();
}

// Only on its own stack an invocation can tell its calls.
void Worker::unwind() {
  if (asked_for_calls_ && current_ == asked_for_calls_) {
    asked_for_calls_ = nullptr;
    CallStack calls = CallStack::here();
    const std::lock_guard lock(dispatch_->mutex);
    dispatch_->failure->calls = std::move(calls);
  }
  throw Unwind{};
}

void Worker::begin_unwinding() {
  ring().unwinding = true;
  walks_ = false;
  admission_.drop_tickets();
  for (Group* g : std::vector(residents_)) release(*g);
}

void Worker::release(Group& g) {
  if (!g.waited) return;
  if (g.in_ring) leave_ring(g);
  Slot* const running = current_;
  if (launch_->choice) g.walk.look_at_all();
  for (Slot* slot = g.begin; slot != g.end; ++slot) {
    slot->polled_in_round = 0;
    if (slot->state == SlotState::Unstarted) {
      // Invocations that ran as plain calls before the first one that waited are counted here, too.
      finish(g, slot);
    } else if (slot->state == SlotState::Started) {
      slot->let_go();
    }
  }
  current_ = running;
}

void Worker::kernel_threw(Group& g, std::uint32_t index) {
  Failure failure;
  failure.finding.invocation = coordinates(g, index);
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
  fail(std::move(failure));
}

}  // namespace heddle::runtime
