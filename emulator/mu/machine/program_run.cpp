#include "emulator/mu/machine/program_run.h"

#include <algorithm>
#include <utility>

namespace heddle::mu::machine {

ProgramRun::ProgramRun(const Program& program, const MemoryPolicy& policy, Choice& choice, std::uint64_t bound)
    : program_(program),
      choice_(choice),
      bound_(bound),
      memory_(static_cast<std::uint32_t>(program.threads.size()), policy, choice),
      futexes_(static_cast<std::uint32_t>(program.threads.size()), memory_, choice),
      sources_(memory_),
      detector_(static_cast<std::uint32_t>(program.threads.size())),
      threads_(program.threads.size()) {
  for (const ThreadCode& thread : program.threads)
    depends_ = depends_ || std::any_of(thread.code.begin(), thread.code.end(), [](const Instruction& instruction) {
                 return instruction.op == Op::Load && consumes(instruction.order);
               });
}

End ProgramRun::run(bool record) {
  begin(record);
  while (!ready_.empty()) {
    const auto count = static_cast<std::uint32_t>(ready_.size());
    step(ready_[count == 1 ? 0 : choice_.below(count, ChoicePoint::Invocation)]);
  }
  End out = End::Finished;
  for (ThreadIndex t = 0; t < threads_.size(); ++t) {
    if (threads_[t].end == End::Running) threads_[t].end = End::Blocked;
    while (const PendingIndex late = memory_.unanswered(t)) memory_.answer(late);
    if (threads_[t].end > out) out = threads_[t].end;
    for (Operand& reg : threads_[t].registers)
      if (reg.pending != kNotPending) reg.value = memory_.answer(reg.pending).value;
  }
  if (record) memory_.write_modification_orders(recorder_.execution());
  return out;
}

void ProgramRun::begin(bool record) {
  recording_ = record;
  const auto count = static_cast<std::uint32_t>(program_.threads.size());
  if (record) recorder_.restart(count, program_.locations());
  memory_.restart(program_.initial, record ? &recorder_ : nullptr);
  futexes_.restart();
  sources_.restart(record);
  detector_.restart();
  ready_.clear();
  for (ThreadIndex t = 0; t < count; ++t) {
    Thread& thread = threads_[t];
    const ThreadCode& code = program_.threads[t];
    thread.at = 0;
    thread.end = End::NotCreated;
    thread.waits = false;
    thread.postpones = false;
    thread.registers.clear();
    for (const Value initial : code.initial) thread.registers.push_back({initial, kNotPending, kNoSource, kNoSource});
    thread.stack.clear();
    thread.jumps.assign(code.loops, 0);
    thread.on_stack = kNone;
    thread.trapped.clear();
    thread.bundles = t;
    if (record || depends_) thread.stored.assign(program_.locations(), kNoSource);
    if (!code.created) begin_thread(t);
  }
}

void ProgramRun::begin_thread(ThreadIndex index) {
  threads_[index].end = End::Running;
  ready_.push_back(index);
  if (program_.threads[index].created) {
    record(index, EventKind::ThreadBegin, kNone, MemoryOrder::Relaxed, kNoSource, kNoSource);
    memory_.perform(index);
  }
  advance(index);
}

void ProgramRun::not_ready(ThreadIndex index) {
  const auto at = std::find(ready_.begin(), ready_.end(), index);
  *at = ready_.back();
  ready_.pop_back();
}

void ProgramRun::finish(ThreadIndex index, End end) {
  threads_[index].end = end;
  not_ready(index);
}

void ProgramRun::fault(ThreadIndex index) {
  detector_.wrong_address(watched(index));
  finish(index, End::Fault);
}

Watched ProgramRun::watched(ThreadIndex index) const {
  Watched out;
  out.thread = index;
  out.number = memory_.performed(index);
  out.place = threads_[index].at;
  return out;
}

/// One operation of the thread, or the value of a load that it postponed.
void ProgramRun::step(ThreadIndex index) {
  Thread& thread = threads_[index];
  const PendingIndex late = thread.postpones ? memory_.unanswered(index) : kNotPending;
  const bool ends = !thread.waits && program_.threads[index].code[thread.at].op == Op::End;
  if (late != kNotPending && (ends || choice_.below(4, ChoicePoint::Memory) == 0))
    memory_.answer(late);
  else if (ends)
    return finish(index, End::Finished);
  else
    perform(index);
  if (thread.end == End::Running && !thread.waits) advance(index);
}

bool ProgramRun::take_values(Thread& thread, std::size_t count) {
  for (std::size_t depth = 0; depth < count; ++depth) {
    Operand& operand = top(thread, depth);
    if (operand.pending == kNotPending) continue;
    if (!memory_.answered(operand.pending)) return false;
    operand.value = memory_.answer(operand.pending).value;
    operand.pending = kNotPending;
  }
  return true;
}

void ProgramRun::replace(Thread& thread, std::size_t pops, const Operand& pushed) {
  const std::size_t at = thread.stack.size() - pops;
  thread.stack[at] = pushed;
  thread.stack.resize(at + 1);
}

LocationIndex ProgramRun::location(ThreadIndex index, Value address) {
  const LocationIndex out = program_.location(address);
  if (out == kNone) fault(index);
  return out;
}

EventIndex ProgramRun::keep(ThreadIndex index, EventKind kind, LocationIndex location, MemoryOrder order,
                            SourceIndex operands, SourceIndex stored_from) {
  Event event;
  event.kind = kind;
  event.location = location;
  event.order = order;
  event.thread = index;
  event.instruction = threads_[index].at;
  event.operands = sources_.events(operands);
  event.stored_from = sources_.events(stored_from);
  return recorder_.add(std::move(event));
}

Access ProgramRun::access(ThreadIndex index, LocationIndex location, MemoryOrder order, SourceIndex operands,
                          EventIndex event, bool loads) {
  Access out;
  out.thread = index;
  out.location = location;
  out.order = order;
  out.event = event;
  //= mu:dependency-through-memory
  if (loads && !threads_[index].stored.empty()) operands = sources_.joined(operands, threads_[index].stored[location]);
  out.dependency = sources_.clock(operands);
  return out;
}

ProgramRun::Operand ProgramRun::loaded(EventIndex event, Value value, SourceIndex operands, ClockIndex consumed) {
  Operand out;
  out.value = value;
  if (!recording_ && operands == kNoSource && consumed == kNoClock) return out;
  out.carried = out.received = sources_.of(event, operands, consumed);
  return out;
}

void ProgramRun::watch(ThreadIndex index, LocationIndex location, MemoryOrder order, bool writes) {
  Watched one = watched(index);
  one.atomic = is_atomic(order);
  one.writes = writes;
  detector_.access(one, location, memory_.now());
}

}  // namespace heddle::mu::machine
