#include "emulator/mu/explore/thread.h"

#include <utility>

namespace heddle::mu::explore {

/// The execution of one instruction. It begins anew with each answer, and changes the thread only at its end: what was
/// answered is asked for in the same order again.
struct Thread::Step {
  Thread& thread;
  Terms& terms;
  const Knowledge& knowledge;
  const Instruction& instruction;
  Request request = {};
  bool asks = false;
  std::size_t decided = 0;
  std::size_t performed = 0;

  /// The operand that was pushed as the `depth`-th last, from 0.
  const Operand& top(std::size_t depth) const { return thread.stack_[thread.stack_.size() - 1 - depth]; }

  std::optional<std::int64_t> decide(Term term, bool known_by_value = true) {
    if (decided < thread.decisions_.size()) return thread.decisions_[decided++];
    if (known_by_value) {
      if (const auto value = knowledge.value(term)) {
        thread.decisions_.push_back(value->number());
        return thread.decisions_[decided++];
      }
    }
    request.kind = RequestKind::Decide;
    request.term = term;
    request.free = !known_by_value;
    asks = true;
    return std::nullopt;
  }
  bool fault() {
    request.kind = RequestKind::Fault;
    asks = true;
    return false;
  }
  std::optional<LocationIndex> location(const Operand& address) {
    const auto found = decide(terms.asked(TermKind::Location, address.term));
    if (!found) return std::nullopt;
    if (*found < 0) {
      fault();
      return std::nullopt;
    }
    return static_cast<LocationIndex>(*found);
  }
  /// Whether the operation may have these operands; asks or faults if not.
  bool fits(mu::Binary op, Term left, Term right) {
    if (!terms.node(left).may_be_address && !terms.node(right).may_be_address) return true;
    const auto faults = decide(terms.faults(op, left, right));
    return faults && (*faults == 0 || fault());
  }
  /// Has the event been performed? Asks for it if not.
  bool perform(Event event) {
    if (performed < thread.events_.size()) {
      ++performed;
      return true;
    }
    event.thread = thread.index_;
    event.instruction = thread.at_;
    request.kind = RequestKind::Perform;
    request.event = std::move(event);
    asks = true;
    return false;
  }
  EventIndex event() const { return thread.events_[performed - 1]; }
  const Operand& result() const { return thread.results_[performed - 1]; }

  Operand constant(std::int64_t n) { return {terms.constant(Value::number(n)), {}, {}, {}}; }
  /// A number that an event gives.
  Operand given(std::int64_t n, EventIndex by, bool computed) {
    Operand out = constant(n);
    if (computed) out.computed = {by};
    out.carried = out.received = {by};
    return out;
  }
  void finish(std::size_t pops, std::initializer_list<Operand> pushes, std::optional<std::uint32_t> jump = {}) {
    const std::vector<Operand> results(pushes);
    thread.stack_.resize(thread.stack_.size() - pops);
    thread.stack_.insert(thread.stack_.end(), results.begin(), results.end());
    thread.at_ = jump.value_or(thread.at_ + 1);
    thread.decisions_.clear();
    thread.events_.clear();
    thread.results_.clear();
  }

  void execute();
  void compute();
  void unary();
  void binary();
  void branch();
  void logical();
  void access();
  void store(EventKind kind, LocationIndex location);
  void modify();
  void compare_exchange();
  void futex();
  void wait();
  void requeue(LocationIndex location);
  void others();
};

void Thread::Step::execute() {
  switch (instruction.op) {
    case Op::Push:
    case Op::Get:
    case Op::Set:
    case Op::Pop:
    case Op::Unary:
    case Op::Binary:
    case Op::KillDependency:
    case Op::InsertValue:
    case Op::ExtractValue:
      return compute();
    case Op::Jump:
    case Op::JumpIfFalse:
    case Op::JumpBack:
    case Op::SelectBranch:
    case Op::SelectEnd:
      return branch();
    case Op::And:
    case Op::Or:
    case Op::LogicalEnd:
      return logical();
    case Op::Load:
    case Op::Call:
    case Op::Store:
    case Op::Define:
      return access();
    case Op::FetchModify:
    case Op::Exchange:
      return modify();
    case Op::CompareExchange:
      return compare_exchange();
    case Op::FutexWait:
    case Op::FutexWake:
    case Op::FutexRequeue:
      return futex();
    default:
      return others();
  }
}

//= mu:carries-a-dependency
void Thread::Step::compute() {
  switch (instruction.op) {
    case Op::Push:
      return finish(0, {{terms.constant(instruction.value), {}, {}, {}}});
    case Op::Get:
      return finish(0, {thread.registers_[instruction.index]});
    case Op::Set: {
      thread.registers_[instruction.index] = top(0);
      return finish(1, {});
    }
    case Op::Pop:
      return finish(1, {});
    case Op::Unary:
      return unary();
    case Op::Binary:
      return binary();
    case Op::InsertValue:
      return finish(1, {{top(0).term, top(0).computed, {}, top(0).carried}});
    default:
      return finish(1, {{top(0).term, top(0).computed, {}, {}}});
  }
}

void Thread::Step::unary() {
  const Operand operand = top(0);
  if (instruction.unary != mu::Unary::Not && terms.node(operand.term).may_be_address) {
    const auto faults = decide(terms.faults(instruction.unary, operand.term));
    if (!faults) return;
    if (*faults != 0) return static_cast<void>(fault());
  }
  Operand out{terms.unary(instruction.unary, operand.term), operand.computed, operand.carried, operand.carried};
  if (instruction.unary == mu::Unary::Not) out.carried.clear();
  finish(1, {out});
}

void Thread::Step::binary() {
  const Operand left = top(1);
  const Operand right = top(0);
  if (!fits(instruction.binary, left.term, right.term)) return;
  Operand out{terms.binary(instruction.binary, left.term, right.term),
              united(left.computed, right.computed),
              {},
              united(left.carried, right.carried)};
  if (!compares(instruction.binary)) out.carried = out.received;
  finish(2, {out});
}

void Thread::Step::branch() {
  if (instruction.op == Op::Jump) return finish(0, {}, instruction.target);
  if (instruction.op == Op::JumpBack) {
    if (++thread.jumps_[instruction.index] < thread.bound_) return finish(0, {}, instruction.target);
    --thread.jumps_[instruction.index];
    request.kind = RequestKind::Cut;
    asks = true;
    return;
  }
  if (instruction.op == Op::SelectEnd) {
    Operand out = top(0);
    out.computed = united(out.computed, top(1).computed);
    out.received = out.carried;
    return finish(2, {out});
  }
  const auto truth = decide(terms.asked(TermKind::Truth, top(0).term));
  if (!truth) return;
  std::optional<std::uint32_t> jump;
  if (*truth == 0) jump = instruction.target;
  finish(instruction.op == Op::JumpIfFalse ? 1 : 0, {}, jump);
}

void Thread::Step::logical() {
  if (instruction.op == Op::LogicalEnd) {
    return finish(2, {{terms.asked(TermKind::Truth, top(0).term),
                       united(top(1).computed, top(0).computed),
                       {},
                       united(top(1).carried, top(0).carried)}});
  }
  const auto truth = decide(terms.asked(TermKind::Truth, top(0).term));
  if (!truth) return;
  const bool is_or = instruction.op == Op::Or;
  if ((*truth != 0) != is_or) return finish(0, {});
  finish(1, {{terms.constant(Value::number(is_or)), top(0).computed, {}, top(0).carried}}, instruction.target);
}

void Thread::Step::access() {
  const bool stores = instruction.op == Op::Store || instruction.op == Op::Define;
  const Operand address = top(stores ? 1 : 0);
  const auto place = location(address);
  if (!place) return;
  Event event;
  event.kind = stores ? EventKind::Store : EventKind::Load;
  event.order = instruction.order;
  event.location = *place;
  // Nothing carries a dependency to a call.
  if (instruction.op != Op::Call) event.operands = address.carried;
  if (stores) {
    event.operands = united(event.operands, top(0).carried);
    event.stored_from = top(0).received;
    request.written = top(0);
  }
  if (instruction.op == Op::Define) event.bundle = thread.bundles_;
  if (!perform(event)) return;
  if (stores) return finish(2, {});
  finish(1, {result()});
}

void Thread::Step::modify() {
  const Operand operand = top(0);
  const auto place = location(top(1));
  if (!place) return;
  Event event;
  event.kind = EventKind::ReadModifyWrite;
  event.order = instruction.order;
  event.location = *place;
  event.operands = united(top(1).carried, operand.carried);
  request.written = operand;
  if (instruction.op == Op::Exchange) {
    event.stored_from = operand.received;
  } else {
    request.modifies = true;
    request.binary = instruction.binary;
  }
  if (!perform(event)) return;
  // What must not be combined ends the thread behind the load.
  if (instruction.op == Op::FetchModify && !fits(instruction.binary, result().term, operand.term)) {
    request.about = this->event();
    return;
  }
  finish(2, {result()});
}

void Thread::Step::compare_exchange() {
  const Operand fresh = top(0);
  const Operand expected = top(1);
  const auto place = location(top(2));
  if (!place) return;
  // Until it is settled: a load whose order gives nothing.
  Event event;
  event.location = *place;
  event.operands = united(top(2).carried, united(expected.carried, fresh.carried));
  if (!perform(event)) return;
  const EventIndex e = this->event();
  const Operand old = result();
  const auto equal = decide(terms.binary(mu::Binary::Equal, old.term, expected.term));
  if (!equal) return;
  bool succeeds = *equal != 0;
  if (succeeds && instruction.weak) {
    const auto chosen = decide(0, false);
    if (!chosen) return;
    succeeds = *chosen != 0;
  }
  if (performed == thread.events_.size()) {
    request.kind = RequestKind::Settle;
    request.about = e;
    request.succeeds = succeeds;
    request.event.order = succeeds ? instruction.order : instruction.failure;
    request.event.stored_from = fresh.received;
    request.written = fresh;
    asks = true;
    return;
  }
  Operand success = given(succeeds, e, true);
  success.carried.clear();
  finish(3, {old, success});
}

//= mu:futex
void Thread::Step::futex() {
  if (instruction.op == Op::FutexWait) return wait();
  const bool requeues = instruction.op == Op::FutexRequeue;
  const auto place = location(top(requeues ? 3 : 1));
  if (!place) return;
  if (requeues) return requeue(*place);
  Event event;
  event.kind = EventKind::FutexWake;
  event.location = *place;
  event.operands = united(top(1).carried, top(0).carried);
  event.performed = true;
  request.limit = top(0).term;
  if (!perform(event)) return;
  finish(2, {result()});
}

void Thread::Step::requeue(LocationIndex place) {
  const auto target = location(top(2));
  if (!target) return;
  Event event;
  event.kind = EventKind::FutexRequeue;
  event.location = place;
  event.target = *target;
  event.operands = united(united(top(3).carried, top(2).carried), united(top(1).carried, top(0).carried));
  request.limit = top(0).term;
  if (!perform(event)) return;
  const EventIndex e = this->event();
  const auto equal = decide(terms.binary(mu::Binary::Equal, result().term, top(1).term));
  if (!equal) return;
  if (performed == thread.events_.size()) {
    request.kind = RequestKind::Settle;
    request.about = e;
    request.succeeds = *equal != 0;
    asks = true;
    return;
  }
  ++performed;
  Operand out = result();
  out.computed = {e};
  finish(4, {*equal != 0 ? out : given(-1, e, true)});
}

void Thread::Step::wait() {
  const auto place = location(top(1));
  if (!place) return;
  Event event;
  event.kind = EventKind::FutexWait;
  event.location = *place;
  event.operands = united(top(1).carried, top(0).carried);
  if (!perform(event)) return;
  const EventIndex e = this->event();
  const auto equal = decide(terms.binary(mu::Binary::Equal, result().term, top(0).term));
  if (!equal) return;
  if (*equal == 0) return finish(2, {given(-1, e, true)});
  if (decided == thread.decisions_.size()) {
    request.kind = RequestKind::EndWait;
    request.about = e;
    request.may_expire = instruction.weak;
    asks = true;
    return;
  }
  const auto end = static_cast<WaitEnd>(thread.decisions_[decided++]);
  if (end == WaitEnd::Blocked) {
    request.kind = RequestKind::Blocked;
    asks = true;
    return;
  }
  Event last;
  last.kind = end == WaitEnd::Woken ? EventKind::FutexResume : EventKind::FutexExpire;
  last.location = *place;
  last.wait = e;
  if (!perform(last)) return;
  finish(2, {given(end == WaitEnd::Woken ? 0 : -3, e, true)});
}

void Thread::Step::others() {
  Event event;
  switch (instruction.op) {
    case Op::Fence:
      event.kind = EventKind::Fence;
      event.order = instruction.order;
      break;
    case Op::NewThread:
      event.kind = EventKind::NewThread;
      event.created = instruction.index;
      break;
    case Op::BundleBegin:
      thread.bundles_ += static_cast<std::uint32_t>(thread.program_->threads.size());
      return finish(0, {});
    case Op::Bind:
    case Op::Unbind:
      event.kind = instruction.op == Op::Bind ? EventKind::StackBind : EventKind::StackUnbind;
      event.stack = instruction.index;
      break;
    case Op::UnbindCurrent:
    case Op::TrapEnter:
      event.kind = EventKind::StackUnbind;
      event.stack = thread.on_stack_;
      break;
    case Op::TrapLeave:
      event.kind = EventKind::StackBind;
      event.stack = thread.trapped_.back();
      break;
    default:
      request.kind = RequestKind::Finished;
      asks = true;
      return;
  }
  const bool nameless =
      event.stack == kNone && (event.kind == EventKind::StackBind || event.kind == EventKind::StackUnbind);
  if (!nameless && !perform(event)) return;
  if (instruction.op == Op::TrapEnter) thread.trapped_.push_back(thread.on_stack_);
  if (instruction.op == Op::TrapLeave) thread.trapped_.pop_back();
  if (event.kind == EventKind::StackBind) thread.on_stack_ = event.stack;
  if (event.kind == EventKind::StackUnbind && event.stack == thread.on_stack_) thread.on_stack_ = kNone;
  finish(0, {});
}

Thread::Thread(const Program& program, ThreadIndex index, std::uint64_t bound, Terms& terms)
    : program_(&program), index_(index), bound_(bound), jumps_(program.threads[index].loops, 0), bundles_(index) {
  for (const Value initial : program.threads[index].initial)
    registers_.push_back({terms.constant(initial), {}, {}, {}});
}

Request Thread::advance(Terms& terms, const Knowledge& knowledge) {
  for (;;) {
    Step step{*this, terms, knowledge, program_->threads[index_].code[at_]};
    step.execute();
    if (step.asks) return std::move(step.request);
  }
}

void Thread::performed(EventIndex event, Operand result) {
  events_.push_back(event);
  results_.push_back(std::move(result));
}

void Thread::performed(EventIndex event) {
  performed(event, Operand{});
}

}  // namespace heddle::mu::explore
