#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "emulator/mu/host/machine.h"
#include "emulator/mu/order.h"

namespace heddle::mu::host {
namespace {

Value value_of(std::uint64_t bits) {
  return Value::number(static_cast<std::int64_t>(bits));
}
std::uint64_t bits_of(Value value) {
  return static_cast<std::uint64_t>(value.number());
}

}  // namespace

LocationIndex Machine::add_location(std::uint64_t initial, std::uint32_t size_bytes, const char* name,
                                    SourceLocation where) {
  names_.add({name, where, size_bytes});
  const LocationIndex location = memory_.add(value_of(initial));
  if (trace_) trace_->location(location, names_.name_of(location));
  return location;
}

// The objects of a run that ends are destroyed in any order.
void Machine::remove_location(LocationIndex location) noexcept {
  if (!stopping_) names_[location].destroyed_by = running_;
}

void Machine::tell(HostOperation operation, SourceLocation where) {
  if (!trace_) return;
  operation.where = where;
  trace_->operation(operation);
}

void Machine::tell_access(LocationIndex location, MemoryOrder order, const char* what,
                          std::optional<machine::Loaded> read, std::optional<std::uint64_t> written,
                          SourceLocation where) {
  if (!trace_) return;
  HostOperation told{running_, fmt::format("{} {}", what, spell(order)), order, location};
  told.reads = read.has_value();
  if (read) {
    told.read = bits_of(read->value);
    told.source = read->store;
  }
  told.writes = written.has_value();
  told.written = written.value_or(0);
  tell(std::move(told), where);
}

Access Machine::access(LocationIndex location, MemoryOrder order, ClockIndex dependency) const {
  Access out;
  out.thread = running_;
  out.location = location;
  out.order = order;
  out.dependency = dependency;
  if (trace_) out.event = trace_->next();
  return out;
}

machine::Watched Machine::watched(SourceLocation where) {
  machine::Watched out;
  out.thread = running_;
  out.number = memory_.performed(running_);
  out.place = names_.number_of(where);
  return out;
}

void Machine::watch(LocationIndex location, MemoryOrder order, bool writes, SourceLocation where, bool futex) {
  machine::Watched one = watched(where);
  one.atomic = is_atomic(order);
  one.writes = writes;
  one.futex = futex;
  detector_.access(one, location, memory_.now());
  findings_.log_new_races();
}

machine::Loaded Machine::load(LocationIndex location, MemoryOrder order, ClockIndex dependency, SourceLocation where) {
  if (!begin_access(location, "reads", where)) return {};
  machine::Loaded out = memory_.load(access(location, order, dependency));
  watch(location, order, false, where);
  tell_access(location, order, "load", out, std::nullopt, where);
  out.consumed = memory_.clocks().joined(out.consumed, dependency);
  return out;
}

void Machine::store(LocationIndex location, std::uint64_t bits, MemoryOrder order, SourceLocation where) {
  if (!begin_access(location, "writes", where)) return;
  memory_.store(access(location, order), value_of(bits));
  watch(location, order, true, where);
  tell_access(location, order, "store", std::nullopt, bits, where);
}

machine::Updated Machine::update(LocationIndex location, MemoryOrder order, const machine::Update& update,
                                 bool may_fail, SourceLocation where) {
  if (!begin_access(location, "modifies", where)) return {};
  machine::Updated out;
  if (may_fail && choice_.below(4, ChoicePoint::Memory) == 0) {
    const machine::Loaded seen = memory_.load(access(location, update.failure(order)));
    out = {seen.value, false, seen.consumed, seen.store};
  } else {
    out = memory_.update(access(location, order), update);
  }
  watch(location, order, out.stored, where);
  const machine::Loaded seen{out.old, out.consumed, out.store};
  if (!out.stored)
    tell_access(location, update.failure(order), "compare-exchange that fails: load", seen, std::nullopt, where);
  else if (trace_)
    tell_access(location, order, "read-modify-write", seen, bits_of(*update.written(out.old)), where);
  return out;
}

void Machine::fence(MemoryOrder order, SourceLocation where) {
  if (!begin_operation(where)) return;
  memory_.fence(running_, order);
  if (trace_) tell({running_, fmt::format("fence {}", spell(order)), order}, where);
}

int Machine::futex_wait(LocationIndex location, std::uint64_t expected, bool timed, SourceLocation where) {
  if (!begin_access(location, "waits on", where)) return -1;
  const machine::Futexes::Wait wait = futexes_.wait(access(location, MemoryOrder::Relaxed), value_of(expected));
  watch(location, MemoryOrder::Relaxed, false, where, true);
  if (trace_)
    tell_of(fmt::format("waits on futex '{}' while it holds {}{}", names_.name_of(location), expected,
                        wait.waits ? "" : ", which it does not"),
            where);
  if (!wait.waits) return -1;
  block(timed ? Waits::TimedFutex : Waits::Futex, where);
  return threads_[running_].expired ? -3 : 0;
}

void Machine::wake(const std::vector<machine::Waiter>& woken) {
  for (const machine::Waiter& waiter : woken) {
    Thread& thread = threads_[waiter.thread];
    if (thread.waits != Waits::TimedFutex) ready_.push_back(waiter.thread);
    thread.waits = Waits::No;
    memory_.perform(waiter.thread);
    if (trace_) tell({waiter.thread, fmt::format("is woken by thread {}", running_)}, thread.where);
  }
}

int Machine::futex_wake(LocationIndex location, std::int64_t count, SourceLocation where) {
  if (!begin_access(location, "wakes those that wait on", where)) return 0;
  if (trace_) tell_of(fmt::format("wakes up to {} of futex '{}'", count, names_.name_of(location)), where);
  wake(futexes_.wake(access(location, MemoryOrder::Relaxed), count));
  return static_cast<int>(futexes_.woken().size());
}

int Machine::futex_cmp_requeue(LocationIndex location, LocationIndex target, std::uint64_t expected, std::int64_t count,
                               SourceLocation where) {
  if (!begin_access(location, "requeues those that wait on", where)) return -1;
  const machine::Futexes::Requeue out =
      futexes_.requeue(access(location, MemoryOrder::Relaxed), target, value_of(expected), count);
  watch(location, MemoryOrder::Relaxed, false, where, true);
  if (trace_)
    tell_of(fmt::format("wakes up to {} of futex '{}', and moves the others to '{}'{}", count, names_.name_of(location),
                        names_.name_of(target), out.performed ? "" : ": no, it holds another value"),
            where);
  if (!out.performed) return -1;
  wake(futexes_.woken());
  return static_cast<int>(futexes_.woken().size());
}

ThreadIndex Machine::add_thread(SourceLocation where) {
  if (threads_.size() == options_.most_threads) {
    stop(FindingKind::InvalidArgument,
         fmt::format("the run has {} threads, and wants one more; Options::most_threads allows more", threads_.size()),
         where);
    throw Unwind{};
  }
  threads_.emplace_back();
  return static_cast<ThreadIndex>(threads_.size() - 1);
}

ThreadIndex Machine::new_thread(std::function<void()> body, SourceLocation where) {
  if (!begin_operation(where)) return 0;
  const ThreadIndex created = add_thread(where);
  const ThreadIndex creator = running_;
  threads_[created].stack = new_stack(std::move(body), where);
  memory_.create(creator, created);
  if (trace_) {
    tell_of(fmt::format("creates thread {}", created), where);
    trace_->thread_begins(created, fmt::format("thread {}", created));
  }
  running_ = created;
  bind(stacks_[threads_[created].stack], where);
  running_ = creator;
  ready_.push_back(created);
  return created;
}

void Machine::join(ThreadIndex thread, bool quietly, SourceLocation where) {
  if (stopping_ && quietly) return;
  if (!begin_operation(where)) return;
  if (!threads_[thread].finished) {
    threads_[running_].joins = thread;
    if (quietly && std::uncaught_exceptions() > 0) return;
    Thread& own = threads_[running_];
    own.waits = Waits::Thread;
    own.where = where;
    not_ready(running_);
    leave();
    if (stopping_) {
      if (quietly || std::uncaught_exceptions() > 0) return;
      throw Unwind{};
    }
  }
  memory_.synchronize(running_, memory_.handed_on(thread));
  memory_.perform(running_);
  if (trace_) tell_of(fmt::format("has waited for thread {}", thread), where);
}

std::uint32_t Machine::new_stack(std::function<void()> function, SourceLocation where) {
  const auto number = static_cast<std::uint32_t>(stacks_.size());
  Stack& stack = stacks_.emplace_back();
  stack.number = number;
  stack.machine = this;
  stack.function = std::move(function);
  stack.where = where;
  return number;
}

void Machine::stack_operation(const Stack& stack, SourceLocation where) {
  const ClockValue* clock = memory_.perform(running_);
  detector_.stack_operation(watched(where), stack.number, clock);
}

void Machine::bind(Stack& stack, SourceLocation where) {
  stack.thread = running_;
  stack.where = where;
  threads_[running_].stack = stack.number;
  stack_operation(stack, where);
}

//= mu:stack-operations
void Machine::refuse_wrong_swap(const Stack& target, SourceLocation where) {
  std::string what;
  if (target.number == threads_[running_].stack)
    what = "which it is on itself since";
  else if (target.dead)
    what = "which was killed at";
  else if (target.thread != kNone)
    what = fmt::format("which thread {} has been bound to since", target.thread);
  else
    return;
  stop(FindingKind::StackMisuse,
       fmt::format("thread {} swaps at {} to stack {}, {} {}", running_, at(where), target.number, what,
                   at(target.where)),
       where);
  throw Unwind{};
}

//= mu:stack-operations
// Where the running stack is killed, its frames are given up: what they own is not freed, and so they own nothing.
void Machine::swap_stack(std::uint32_t to, bool kills, SourceLocation where) {
  if (!begin_operation(where)) return;
  Stack& from = stacks_[threads_[running_].stack];
  Stack& target = stacks_[to];
  refuse_wrong_swap(target, where);
  if (trace_)
    tell_of(fmt::format("{} stack {} and swaps to stack {}", kills ? "kills" : "leaves", from.number, to), where);
  from.thread = kNone;
  from.where = where;
  stack_operation(from, where);
  bind(target, where);
  from.dead = kills;
  leave();
  if (stopping_ && std::uncaught_exceptions() == 0) throw Unwind{};
}

//= mu:function-redefinition
void Machine::define(const std::vector<Version>& versions, SourceLocation where) {
  if (!begin_operation(where)) return;
  for (const Version& one : versions) {
    if (!is_there(one.function, "defines", where)) return;
    memory_.append(access(one.function, MemoryOrder::Relaxed), value_of(one.version));
    watch(one.function, MemoryOrder::Relaxed, true, where);
    tell_access(one.function, MemoryOrder::Relaxed, "definition of a function: store", std::nullopt, one.version,
                where);
  }
}

void Machine::require(bool holds, const char* what, SourceLocation where) {
  if (holds || stopping_) return;
  stop(FindingKind::RequirementFailed, fmt::format("it does not hold that {}", what), where);
  throw Unwind{};
}

}  // namespace heddle::mu::host

namespace heddle::threads::detail {
namespace {

using mu::host::Machine;

class Combine final : public mu::machine::Update {
 public:
  Combine(std::uint64_t (*combine)(const void*, std::uint64_t), const void* context)
      : combine_(combine), context_(context) {}
  std::optional<mu::Value> written(mu::Value old) const override {
    return mu::host::value_of(combine_(context_, mu::host::bits_of(old)));
  }

 private:
  std::uint64_t (*combine_)(const void*, std::uint64_t);
  const void* context_;
};

class Compare final : public mu::machine::Update {
 public:
  Compare(std::uint64_t expected, std::uint64_t desired, MemoryOrder failure)
      : expected_(mu::host::value_of(expected)), desired_(mu::host::value_of(desired)), failure_(failure) {}
  std::optional<mu::Value> written(mu::Value old) const override {
    return old == expected_ ? std::optional(desired_) : std::nullopt;
  }
  MemoryOrder failure(MemoryOrder) const override { return failure_; }

 private:
  mu::Value expected_;
  mu::Value desired_;
  MemoryOrder failure_;
};

}  // namespace

namespace {

constexpr const char* kLocation = "an Atomic, a Plain or a Function";

}  // namespace

LocationNumber add_location(std::uint64_t initial, std::uint32_t size_bytes, const char* name, SourceLocation where) {
  Machine& machine = Machine::current();
  return machine.numbered(machine.add_location(initial, size_bytes, name, where));
}
void remove_location(LocationNumber location) noexcept {
  Machine* const machine = Machine::current_if_any();
  if (machine && machine->owns(location)) machine->remove_location(location.number);
}
LoadedBits load(LocationNumber location, MemoryOrder order, DependencyNumber dependency, SourceLocation where) {
  Machine& machine = Machine::current();
  const mu::machine::Loaded out = machine.load(machine.own(location, kLocation, where), order, dependency, where);
  return {mu::host::bits_of(out.value), out.consumed};
}
void store(LocationNumber location, std::uint64_t bits, MemoryOrder order, SourceLocation where) {
  Machine& machine = Machine::current();
  machine.store(machine.own(location, kLocation, where), bits, order, where);
}
std::uint64_t modify(LocationNumber location, std::uint64_t (*combine)(const void*, std::uint64_t), const void* context,
                     MemoryOrder order, SourceLocation where) {
  Machine& machine = Machine::current();
  const mu::LocationIndex number = machine.own(location, kLocation, where);
  return mu::host::bits_of(machine.update(number, order, Combine(combine, context), false, where).old);
}
ComparedBits compare_exchange(LocationNumber location, std::uint64_t expected, std::uint64_t desired,
                              MemoryOrder success, MemoryOrder failure, bool weak, SourceLocation where) {
  Machine& machine = Machine::current();
  const mu::LocationIndex number = machine.own(location, kLocation, where);
  const mu::machine::Updated out = machine.update(number, success, Compare(expected, desired, failure), weak, where);
  return {mu::host::bits_of(out.old), out.stored};
}
void fence(MemoryOrder order, SourceLocation where) {
  Machine::current().fence(order, where);
}
int futex_wait(LocationNumber location, std::uint64_t expected, bool timed, SourceLocation where) {
  Machine& machine = Machine::current();
  return machine.futex_wait(machine.own(location, kLocation, where), expected, timed, where);
}
int futex_wake(LocationNumber location, std::int64_t count, SourceLocation where) {
  Machine& machine = Machine::current();
  return machine.futex_wake(machine.own(location, kLocation, where), count, where);
}
int futex_cmp_requeue(LocationNumber location, LocationNumber target, std::uint64_t expected, std::int64_t count,
                      SourceLocation where) {
  Machine& machine = Machine::current();
  const mu::LocationIndex number = machine.own(location, kLocation, where);
  return machine.futex_cmp_requeue(number, machine.own(target, kLocation, where), expected, count, where);
}
ThreadNumber new_thread(std::function<void()> body, SourceLocation where) {
  Machine& machine = Machine::current();
  return machine.numbered(machine.new_thread(std::move(body), where));
}
void join(ThreadNumber thread, bool quietly, SourceLocation where) {
  Machine* const machine = quietly ? Machine::current_if_any() : &Machine::current();
  if (quietly && (!machine || !machine->owns(thread))) return;
  machine->join(machine->own(thread, "a Thread", where), quietly, where);
}
std::uint32_t this_thread() {
  return Machine::current().this_thread();
}
StackNumber new_stack(std::function<void()> function, SourceLocation where) {
  Machine& machine = Machine::current();
  return machine.numbered(machine.new_stack(std::move(function), where));
}
StackNumber current_stack() {
  Machine& machine = Machine::current();
  return machine.numbered(machine.current_stack());
}
void swap_stack(StackNumber to, bool kills, SourceLocation where) {
  Machine& machine = Machine::current();
  machine.swap_stack(machine.own(to, "a Stack", where), kills, where);
}
void define(const Definition* definitions, std::size_t count, SourceLocation where) {
  Machine& machine = Machine::current();
  std::vector<mu::host::Version> versions;
  for (std::size_t i = 0; i < count; ++i)
    versions.push_back({machine.own(definitions[i].function, kLocation, where), definitions[i].version});
  machine.define(versions, where);
}
void require(bool holds, const char* what, SourceLocation where) {
  Machine::current().require(holds, what, where);
}

}  // namespace heddle::threads::detail
