// What threads do to memory, to queues of futexes, to stacks and to each other.

#include <utility>

#include "emulator/mu/machine/program_run.h"

namespace heddle::mu::machine {
namespace {

class Modify final : public Update {
 public:
  Modify(const Instruction& instruction, Value operand) : instruction_(instruction), operand_(operand) {}
  std::optional<Value> written(Value old) const override {
    return instruction_.op == Op::Exchange ? operand_ : apply(instruction_.binary, old, operand_);
  }

 private:
  const Instruction& instruction_;
  Value operand_;
};

class CompareAndStore final : public Update {
 public:
  CompareAndStore(const Instruction& instruction, Value expected, Value fresh)
      : instruction_(instruction), expected_(expected), fresh_(fresh) {}
  std::optional<Value> written(Value old) const override {
    return old == expected_ ? std::optional(fresh_) : std::nullopt;
  }
  MemoryOrder failure(MemoryOrder) const override { return instruction_.failure; }

 private:
  const Instruction& instruction_;
  Value expected_;
  Value fresh_;
};

}  // namespace

void ProgramRun::load(ThreadIndex index, Thread& thread, const Instruction& instruction) {
  const Operand address = top(thread, 0);
  const LocationIndex place = location(index, address.value);
  if (place == kNone) return;
  // Nothing carries a dependency to a call.
  const SourceIndex operands = instruction.op == Op::Call ? kNoSource : address.carried;
  const EventIndex event = record(index, EventKind::Load, place, instruction.order, operands, kNoSource);
  const Access access = this->access(index, place, instruction.order, operands, event, true);
  Operand out;
  if (const PendingIndex pending = memory_.postpone(access)) {
    out.pending = pending;
    thread.postpones = true;
    if (recording_) out.carried = out.received = sources_.of(event, kNoSource, kNoClock);
  } else {
    const Loaded seen = memory_.load(access);
    // What carries to the load carries on.
    out = loaded(event, seen.value, operands, memory_.clocks().joined(access.dependency, seen.consumed));
  }
  watch(index, place, instruction.order, false);
  replace(thread, 1, out);
  ++thread.at;
}

void ProgramRun::store(ThreadIndex index, Thread& thread, const Instruction& instruction) {
  const Operand address = top(thread, 1);
  const Operand value = top(thread, 0);
  const LocationIndex place = location(index, address.value);
  if (place == kNone) return;
  const SourceIndex operands = sources_.joined(address.carried, value.carried);
  const EventIndex event = record(index, EventKind::Store, place, instruction.order, operands, value.received);
  memory_.store(access(index, place, instruction.order, operands, event, false), value.value);
  if (!thread.stored.empty()) thread.stored[place] = sources_.joined(thread.stored[place], value.received);
  watch(index, place, instruction.order, true);
  thread.stack.resize(thread.stack.size() - 2);
  ++thread.at;
}

// A bundle is loaded in one step, so that bundles have one order; its stores come last in modification order.
//= mu:function-redefinition
void ProgramRun::define(ThreadIndex index, Thread& thread) {
  const std::vector<Instruction>& code = program_.threads[index].code;
  while (code[thread.at].op == Op::Define) {
    const Operand function = top(thread, 1);
    const Operand version = top(thread, 0);
    const LocationIndex place = location(index, function.value);
    if (place == kNone) return;
    const SourceIndex operands = sources_.joined(function.carried, version.carried);
    const EventIndex number = record(index, EventKind::Store, place, MemoryOrder::Relaxed, operands, version.received);
    if (recording_) recorder_.event(number).bundle = thread.bundles;
    memory_.append(access(index, place, MemoryOrder::Relaxed, operands, number, false), version.value);
    if (!thread.stored.empty()) thread.stored[place] = sources_.joined(thread.stored[place], version.received);
    watch(index, place, MemoryOrder::Relaxed, true);
    thread.stack.resize(thread.stack.size() - 2);
    ++thread.at;
    if (code[thread.at].op != Op::Get || code[thread.at + 1].op != Op::Get || code[thread.at + 2].op != Op::Define)
      return;
    compute(index, thread, code[thread.at]);
    compute(index, thread, code[thread.at]);
    for (std::size_t depth = 0; depth < 2; ++depth)
      if (top(thread, depth).pending != kNotPending) memory_.answer(top(thread, depth).pending);
    has_values(thread, 2);
  }
}

void ProgramRun::update(ThreadIndex index, Thread& thread, const Instruction& instruction) {
  const Operand address = top(thread, 1);
  const Operand operand = top(thread, 0);
  const LocationIndex place = location(index, address.value);
  if (place == kNone) return;
  const SourceIndex operands = sources_.joined(address.carried, operand.carried);
  const SourceIndex stored = instruction.op == Op::Exchange ? operand.received : kNoSource;
  const EventIndex event = record(index, EventKind::ReadModifyWrite, place, instruction.order, operands, stored);
  const Access access = this->access(index, place, instruction.order, operands, event, true);
  const Updated updated = memory_.update(access, Modify(instruction, operand.value));
  watch(index, place, instruction.order, updated.stored);
  if (!updated.stored) {
    // What must not be combined ends the thread behind the load.
    if (recording_) recorder_.event(event).kind = EventKind::Load;
    return fault(index);
  }
  if (!thread.stored.empty()) thread.stored[place] = sources_.joined(thread.stored[place], stored);
  replace(thread, 2,
          loaded(event, updated.old, operands, memory_.clocks().joined(access.dependency, updated.consumed)));
  ++thread.at;
}

void ProgramRun::compare_exchange(ThreadIndex index, Thread& thread, const Instruction& instruction) {
  const Operand address = top(thread, 2);
  const Operand expected = top(thread, 1);
  const Operand fresh = top(thread, 0);
  const LocationIndex place = location(index, address.value);
  if (place == kNone) return;
  const SourceIndex operands = sources_.joined(address.carried, sources_.joined(expected.carried, fresh.carried));
  const EventIndex event = record(index, EventKind::Load, place, instruction.failure, operands, kNoSource);
  Access access = this->access(index, place, instruction.order, operands, event, true);
  Updated updated;
  if (instruction.weak && choice_.below(4, ChoicePoint::Memory) == 0) {
    access.order = instruction.failure;
    const Loaded seen = memory_.load(access);
    updated = {seen.value, false, seen.consumed};
  } else {
    updated = memory_.update(access, CompareAndStore(instruction, expected.value, fresh.value));
  }
  if (updated.stored && recording_) {
    Event& one = recorder_.event(event);
    one.kind = EventKind::ReadModifyWrite;
    one.order = instruction.order;
    one.stored_from = sources_.events(fresh.received);
  }
  if (updated.stored && !thread.stored.empty())
    thread.stored[place] = sources_.joined(thread.stored[place], fresh.received);
  watch(index, place, instruction.order, updated.stored);
  const Operand old =
      loaded(event, updated.old, operands, memory_.clocks().joined(access.dependency, updated.consumed));
  replace(thread, 3, old);
  thread.stack.push_back({Value::number(updated.stored), kNotPending, kNoSource, old.carried});
  ++thread.at;
}

void ProgramRun::futex(ThreadIndex index, Thread& thread, const Instruction& instruction) {
  if (instruction.op == Op::FutexWait) return wait(index, thread, instruction);
  if (instruction.op == Op::FutexWake) return wake(index, thread, instruction);
  requeue(index, thread, instruction);
}

void ProgramRun::wait(ThreadIndex index, Thread& thread, const Instruction& instruction) {
  const Operand address = top(thread, 1);
  const Operand expected = top(thread, 0);
  const LocationIndex place = location(index, address.value);
  if (place == kNone) return;
  const SourceIndex operands = sources_.joined(address.carried, expected.carried);
  const EventIndex event = record(index, EventKind::FutexWait, place, MemoryOrder::Relaxed, operands, kNoSource);
  const Access access = this->access(index, place, MemoryOrder::Relaxed, operands, event, true);
  const Futexes::Wait wait = futexes_.wait(access, expected.value);
  watch(index, place, MemoryOrder::Relaxed, false);
  thread.wait_result = loaded(event, Value::number(-1), operands, access.dependency);
  if (!wait.waits) {
    replace(thread, 2, thread.wait_result);
    ++thread.at;
    return;
  }
  if (recording_) recorder_.event(event).performed = true;
  thread.waits = true;
  thread.wait = event;
  thread.waits_on = place;
  if (!instruction.weak) not_ready(index);
}

void ProgramRun::end_wait(ThreadIndex index, EventKind how, std::int64_t result) {
  Thread& thread = threads_[index];
  thread.waits = false;
  const EventIndex number = record(index, how, thread.waits_on, MemoryOrder::Relaxed, kNoSource, kNoSource);
  if (recording_) {
    recorder_.event(number).wait = thread.wait;
    if (how == EventKind::FutexResume) recorder_.event(number).waker = thread.waker;
  }
  if (how == EventKind::FutexExpire)
    futexes_.expire(index);
  else
    memory_.perform(index);
  thread.wait_result.value = Value::number(result);
  replace(thread, 2, thread.wait_result);
  ++thread.at;
}

void ProgramRun::let_go_on(EventIndex waker) {
  for (const Waiter& waiter : futexes_.woken()) {
    Thread& thread = threads_[waiter.thread];
    thread.waker = waker;
    if (!program_.threads[waiter.thread].code[thread.at].weak) ready_.push_back(waiter.thread);
    end_wait(waiter.thread, EventKind::FutexResume, 0);
    advance(waiter.thread);
  }
}

void ProgramRun::wake(ThreadIndex index, Thread& thread, const Instruction&) {
  const Operand address = top(thread, 1);
  const Operand limit = top(thread, 0);
  const LocationIndex place = location(index, address.value);
  if (place == kNone) return;
  const SourceIndex operands = sources_.joined(address.carried, limit.carried);
  const EventIndex number = record(index, EventKind::FutexWake, place, MemoryOrder::Relaxed, operands, kNoSource);
  const Access access = this->access(index, place, MemoryOrder::Relaxed, operands, number, false);
  const auto woken = static_cast<std::uint32_t>(futexes_.wake(access, limit.value.number()).size());
  if (recording_) {
    Event& event = recorder_.event(number);
    event.performed = true;
    event.limit = limit.value.number();
    event.woken = woken;
  }
  replace(thread, 2, loaded(number, Value::number(woken), operands, access.dependency));
  ++thread.at;
  let_go_on(number);
}

void ProgramRun::requeue(ThreadIndex index, Thread& thread, const Instruction&) {
  const Operand limit = top(thread, 0);
  const Operand expected = top(thread, 1);
  const Operand address = top(thread, 3);
  const LocationIndex place = location(index, address.value);
  if (place == kNone) return;
  const LocationIndex target = location(index, top(thread, 2).value);
  if (target == kNone) return;
  const SourceIndex operands = sources_.joined(sources_.joined(address.carried, top(thread, 2).carried),
                                               sources_.joined(expected.carried, limit.carried));
  const EventIndex number = record(index, EventKind::FutexRequeue, place, MemoryOrder::Relaxed, operands, kNoSource);
  const Access access = this->access(index, place, MemoryOrder::Relaxed, operands, number, true);
  const Futexes::Requeue done = futexes_.requeue(access, target, expected.value, limit.value.number());
  watch(index, place, MemoryOrder::Relaxed, false);
  const auto woken = static_cast<std::uint32_t>(futexes_.woken().size());
  if (recording_) {
    Event& event = recorder_.event(number);
    event.target = target;
    event.limit = limit.value.number();
    event.performed = done.performed;
    event.woken = woken;
  }
  const Value result = Value::number(done.performed ? static_cast<std::int64_t>(woken) : -1);
  replace(thread, 4, loaded(number, result, operands, access.dependency));
  ++thread.at;
  if (done.performed) let_go_on(number);
}

void ProgramRun::stack_operation(ThreadIndex index, EventKind kind, std::uint32_t stack) {
  if (stack == kNone) return;
  const EventIndex number = record(index, kind, kNone, MemoryOrder::Relaxed, kNoSource, kNoSource);
  if (recording_) recorder_.event(number).stack = stack;
  const ClockValue* clock = memory_.perform(index);
  detector_.stack_operation(watched(index), stack, clock);
}

//= mu:stack-operations
void ProgramRun::others(ThreadIndex index, Thread& thread, const Instruction& instruction) {
  switch (instruction.op) {
    case Op::Fence:
      record(index, EventKind::Fence, kNone, instruction.order, kNoSource, kNoSource);
      memory_.fence(index, instruction.order);
      break;
    case Op::NewThread: {
      const ThreadIndex created = instruction.index;
      if (threads_[created].end != End::NotCreated) throw CreatedTwice{index, thread.at};
      const EventIndex number = record(index, EventKind::NewThread, kNone, MemoryOrder::Relaxed, kNoSource, kNoSource);
      if (recording_) recorder_.event(number).created = created;
      memory_.create(index, created);
      begin_thread(created);
      break;
    }
    case Op::Bind:
      stack_operation(index, EventKind::StackBind, instruction.index);
      thread.on_stack = instruction.index;
      break;
    case Op::Unbind:
      stack_operation(index, EventKind::StackUnbind, instruction.index);
      if (thread.on_stack == instruction.index) thread.on_stack = kNone;
      break;
    case Op::UnbindCurrent:
      stack_operation(index, EventKind::StackUnbind, thread.on_stack);
      thread.on_stack = kNone;
      break;
    case Op::TrapEnter:
      stack_operation(index, EventKind::StackUnbind, thread.on_stack);
      thread.trapped.push_back(thread.on_stack);
      thread.on_stack = kNone;
      break;
    default:
      // Op::TrapLeave.
      thread.on_stack = thread.trapped.back();
      thread.trapped.pop_back();
      stack_operation(index, EventKind::StackBind, thread.on_stack);
  }
  ++thread.at;
}

}  // namespace heddle::mu::machine
