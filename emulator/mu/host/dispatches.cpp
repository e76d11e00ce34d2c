// Kernels that host threads of the weak machine submit, and the memory that both access.

#include <heddle/detail/host_queue.h>

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "emulator/mu/host/machine.h"

namespace heddle::mu::host {

std::shared_ptr<Device> Machine::make_device(DeviceOptions options) {
  if (!options.seed) options.seed = *options_.seed;
  if (!options.memory) options.memory = policy_;
  // Its trace stands beside that of the threads.
  if (!options.trace)
    options.trace = options_.trace->empty() ? "" : fmt::format("{}.device{}", *options_.trace, devices_++);
  return kernels_.make_device(std::move(options));
}

std::uint32_t Machine::add_mapped(const Device& device, const heddle::detail::Owner& memory,
                                  std::uint64_t element_bytes) {
  if (!kernels_.know(device)) {
    refuse("a DeviceQueue", threads_[running_].where);
    return kNone;
  }
  return kernels_.add_memory(device, memory, element_bytes);
}

bool Machine::access_mapped(std::uint32_t mapped, std::uint64_t offset_bytes, std::uint32_t size_bytes, bool writes,
                            SourceLocation where) {
  if (!begin_operation(where)) return false;
  if (std::optional<Finding> wrong = kernels_.check(mapped, offset_bytes, size_bytes, writes)) {
    wrong->where = where;
    wrong->invocation = Coordinates::of_host_thread(running_);
    stop(std::move(*wrong));
    throw Unwind{};
  }
  const ClockValue* const clock = memory_.perform(running_);
  MappedAccess access;
  access.thread = running_;
  access.number = memory_.performed(running_);
  access.writes = writes;
  kernels_.access_by_host(mapped, offset_bytes, size_bytes, access, where, clock);
  findings_.log_new_races();
  if (trace_)
    tell_of(fmt::format("{} element {} of '{}'", writes ? "writes" : "reads", offset_bytes / size_bytes,
                        kernels_.name_of(mapped)),
            where);
  return true;
}

// A thread whose kernel somebody has waited for may stand for another one, if that is submitted behind it.
ThreadIndex Machine::thread_for_dispatch(SourceLocation where) {
  const ClockValue* const known = memory_.handed_on(running_);
  for (ThreadIndex t = 0; t < threads_.size(); ++t) {
    Thread& thread = threads_[t];
    if (thread.dispatch == kNoDispatch || !thread.finished || known[t] < memory_.performed(t)) continue;
    thread = {};
    return t;
  }
  return add_thread(where);
}

std::uint32_t Machine::submit(const Device& device, heddle::Extent groups, heddle::Extent local,
                              std::function<void()> dispatch, SourceLocation where) {
  if (!begin_operation(where)) return kNoDispatch;
  if (!kernels_.know(device)) {
    refuse("a DeviceQueue", where);
    return kNoDispatch;
  }
  const ThreadIndex thread = thread_for_dispatch(where);
  const std::uint32_t number = kernels_.submit(device, groups, local, thread, std::move(dispatch), where);
  threads_[thread].dispatch = number;
  threads_[thread].where = where;
  memory_.create(running_, thread);
  if (trace_) {
    tell_of(fmt::format("submits dispatch {}", number), where);
    trace_->thread_begins(thread, fmt::format("dispatches, as thread {}", thread));
  }
  ready_.push_back(thread);
  return number;
}

// A kernel runs as a whole, at one moment of those at which it may: where no access of a host thread races with it, no
// host thread can tell that from any other way to run.
void Machine::run_dispatch(ThreadIndex thread) {
  const ClockValue* const clock = memory_.perform(thread);
  std::optional<Finding> failure =
      kernels_.run(threads_[thread].dispatch, memory_.performed(thread), {clock, memory_.most_threads()});
  if (trace_) tell({thread, fmt::format("dispatch {} runs", threads_[thread].dispatch)}, threads_[thread].where);
  findings_.log_new_races();
  if (failure) {
    stop(std::move(*failure));
  } else {
    end_thread(thread);
  }
}

void Machine::wait_for_dispatch(std::uint32_t dispatch, bool quietly, SourceLocation where) {
  if (dispatch != kNoDispatch) join(kernels_.thread_of(dispatch), quietly, where);
}

}  // namespace heddle::mu::host

namespace heddle::threads::detail {

using mu::host::Machine;

std::shared_ptr<Device> machine_device(DeviceOptions options) {
  return Machine::current().make_device(std::move(options));
}
MappedNumber add_mapped(const Device& device, const heddle::detail::Owner& memory, std::uint64_t element_bytes) {
  Machine& machine = Machine::current();
  return machine.numbered(machine.add_mapped(device, memory, element_bytes));
}
bool access_mapped(MappedNumber mapped, std::uint64_t offset_bytes, std::uint32_t size_bytes, bool writes,
                   SourceLocation where) {
  Machine& machine = Machine::current();
  const std::uint32_t number = machine.own(mapped, "a buffer of a DeviceQueue", where);
  return machine.access_mapped(number, offset_bytes, size_bytes, writes, where);
}
DispatchNumber submit(const Device& device, Extent groups, Extent local, std::function<void()> dispatch,
                      SourceLocation where) {
  Machine& machine = Machine::current();
  return machine.numbered(machine.submit(device, groups, local, std::move(dispatch), where));
}
void wait_for_dispatch(DispatchNumber dispatch, bool quietly, SourceLocation where) {
  Machine* const machine = quietly ? Machine::current_if_any() : &Machine::current();
  if (quietly && (!machine || !machine->owns(dispatch))) return;
  machine->wait_for_dispatch(machine->own(dispatch, "a submitted kernel", where), quietly, where);
}

}  // namespace heddle::threads::detail
