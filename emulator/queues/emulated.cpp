#include "emulator/queues/emulated.h"

#include <heddle/device.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "emulator/host/device_state.h"
#include "emulator/host/set_aside.h"
#include "emulator/queues/ear.h"
#include "emulator/queues/rest.h"
#include "emulator/queues/running_kernel.h"
#include "emulator/queues/step_trace.h"
#include "emulator/queues/teller.h"
#include "emulator/queues/transfers.h"
#include "emulator/queues/trouble.h"
#include "emulator/queues/waits.h"
#include "emulator/queues/wide_barriers.h"
#include "runtime/text/readable.h"

namespace heddle::queues {

using detail::CommandKind;
using model::Accesses;
using model::Stages;

namespace {

void set_done(std::vector<bool>& done, NodeId node) {
  if (done.size() <= node) done.resize(node + 1);
  done[node] = true;
}

}  // namespace

EmulatedEngine::EmulatedEngine(DeviceOptions options, std::uint64_t atom_bytes)
    : choice_(0), domains_(order_, choice_, atom_bytes), rest_(std::make_unique<Rest>(*this)) {
  state_ = std::make_shared<detail::DeviceState>(std::move(options));
  choice_ = SeededChoice(state_->seed() * 0x9e3779b97f4a7c15u + 0x5157);
  device_ = std::make_unique<Device>(new detail::DeviceHandle{state_});
  ear_ = std::make_unique<KernelEar>(finder_, domains_);
  state_->watchers.also_tell(*ear_, *state_->memory);
  teller_ = std::make_unique<RaceTeller>(order_, domains_, state_->options, state_->watchers.run());
  trace_ = std::make_unique<StepTrace>(order_, domains_, state_->watchers.steps());
  if (trace_->is_on())
    teller_->on_told([this](const FoundRace& race, const std::string& record) {
      state_->watchers.tell_trace(trace_->race_of(race, record));
    });
  if (!*state_->options.race_advice) return;
  wide_ = std::make_unique<WideBarriers>(order_, finder_);
  finder_.also_tell(*wide_);
}

EmulatedEngine::~EmulatedEngine() {
  rest_->ends();
  if (wide_) teller_->tell_advice(*wide_);
}

bool EmulatedEngine::begin_call(const SourceLocation& where) {
  runtime::HostThreads* const now = runtime::host_threads();
  if (now && now->run() != run_) {
    now->refuse("a LogicalDevice", where);
    return false;
  }
  if (std::this_thread::get_id() != thread_ || now != threads_)
    throw std::logic_error(
        "heddle: a second thread calls an emulated logical device: its calls come from the thread that made it (native "
        "mode takes several, and emulated threads of heddle/host_thread.h share those that their run makes)");
  if (!threads_) return true;
  const std::optional<runtime::HostThreads::Call> call = threads_->make_call(where);
  if (call) host_calls_.begin(*call);
  return call.has_value();
}

void EmulatedEngine::tell_races() {
  finder_.command_ends([this](NodeId node) {
    return std::any_of(under_way_.begin(), under_way_.end(),
                       [node](const UnderWay& one) { return one.open.node == node; });
  });
  const std::size_t known = teller_->races().size();
  teller_->tell(finder_.found());
  if (!threads_) return;
  for (std::size_t i = known; i < teller_->races().size(); ++i) threads_->tell(teller_->races()[i]);
}

std::vector<DataRace> EmulatedEngine::races() {
  rest_->run();
  return teller_->races();
}

std::vector<OrderingAdvice> EmulatedEngine::advice() {
  rest_->run();
  return wide_ && teller_->races().empty() ? advice_of(*wide_) : std::vector<OrderingAdvice>();
}

// Execution.

bool EmulatedEngine::resolve(const Open& open) {
  Node& node = order_[open.node];
  if (!open.semaphore || !open.semaphore->timeline || node.kind != NodeKind::SemaphoreWait || !node.after.empty())
    return true;
  if (open.semaphore->initial >= open.value) return true;
  const auto& signals = open.semaphore->signals;
  auto best = signals.end();
  for (auto signal = signals.begin(); signal != signals.end(); ++signal)
    if (signal->value >= open.value && (best == signals.end() || signal->value < best->value)) best = signal;
  if (best == signals.end() || !is_done(best->node)) return false;
  node.after.push_back(best->node);
  return true;
}

bool EmulatedEngine::is_ready(const Open& open) {
  if (!rest_->may_run(open.command) || !resolve(open)) return false;
  const std::vector<NodeId>& after = order_[open.node].after;
  return std::all_of(after.begin(), after.end(), [&](NodeId node) {
    return order_[node].kind == NodeKind::Host || is_done(node) || order_[node].kind == NodeKind::Submission;
  });
}

void EmulatedEngine::finish(const Open& open) {
  set_done(done_, open.node);
  trace_->ends(open.node);
  if (order_[open.node].kind == NodeKind::SemaphoreSignal) {
    if (open.semaphore->timeline) check_goes_on(*open.semaphore, open.value, "submit2");
    open.semaphore->value = open.value;
  }
  if (open.fence) {
    open.fence->signaled = true;
    open.fence->pending = false;
  }
}

namespace {

/// What an operation of a queue does, which may be a semaphore's or a fence's.
std::string words_of(const Node& node, const detail::SemaphoreState* semaphore, std::uint64_t value,
                     const detail::FenceState* fence, const detail::EventState* event) {
  switch (node.kind) {
    case NodeKind::SemaphoreWait:
      return "waits for " + text_of(*semaphore, value);
    case NodeKind::SemaphoreSignal:
      return "signals " + text_of(*semaphore, value);
    case NodeKind::Fence:
      return fence ? fmt::format("signals fence '{}'", text::readable(fence->name)) : "is idle";
    default:
      return words_of(node, event);
  }
}

}  // namespace

void EmulatedEngine::execute(const Open& open) {
  order_.begin(open.node);
  if (trace_->is_on())
    trace_->begins(open.node,
                   open.reads_groups ? fmt::format("{}, reads its parameters", open.command->call)
                   : open.command    ? words_of(*open.command, open.batch->commands)
                                     : words_of(order_[open.node], open.semaphore.get(), open.value, open.fence.get(),
                                                open.event.get()),
                   open.set_by);
  // A command that reads parameters runs no kernel.
  if (open.command && open.command->dispatch && !open.reads_groups) {
    start(open);
    return go_on(under_way_.size() - 1);
  }
  // Also where its kernel is wrong: what follows goes on.
  try {
    if (open.command) execute_command(open);
  } catch (...) {
    finish(open);
    throw;
  }
  finish(open);
}

void EmulatedEngine::run_operations() {
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (open_[i].command || !is_ready(open_[i])) continue;
      const Open one = std::move(open_[i]);
      open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
      execute(one);
      found = true;
      break;
    }
  }
}

bool EmulatedEngine::run_one() {
  run_operations();
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < open_.size(); ++i)
    if (is_ready(open_[i])) ready.push_back(i);
  const std::size_t all = ready.size() + under_way_.size();
  if (all == 0) return false;
  const std::size_t drawn = choice_.below(static_cast<std::uint32_t>(all), ChoicePoint::Workgroup);
  if (drawn >= ready.size()) {
    go_on(drawn - ready.size());
    run_operations();
    return true;
  }
  const std::size_t chosen = ready[drawn];
  const Open one = std::move(open_[chosen]);
  open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(chosen));
  execute(one);
  run_operations();
  return true;
}

void EmulatedEngine::step() {
  while ((!open_.empty() || !under_way_.empty()) && choice_.below(2, ChoicePoint::Preemption) == 0)
    if (!run_one()) return;
}

std::string EmulatedEngine::who_waits() const {
  for (const Open& open : open_)
    if (open.semaphore && order_[open.node].kind == NodeKind::SemaphoreWait && !is_done(open.node))
      return fmt::format(": a batch that was submitted at {}:{} waits for {}", order_[open.node].where.file,
                         order_[open.node].where.line, text_of(*open.semaphore, open.value));
  return "";
}

template <typename Done>
void EmulatedEngine::run_until(const char* call, const std::string& object, const SourceLocation& where,
                               const Done& done) {
  run_operations();
  while (!done()) {
    if (run_one()) continue;
    // What it waits for may be what another thread is going to do.
    const std::uint32_t thread = order_.host_thread();
    if (!threads_ || !threads_->let_others_go_on(where)) tell_deadlock(call, object, where, who_waits());
    order_.host_is_again(thread);
  }
}

void EmulatedEngine::execute_command(const Open& open) {
  switch (open.command->kind) {
    case CommandKind::DispatchIndirect:
      read_parameters(open);
      break;
    case CommandKind::Copy:
      copy(open);
      break;
    default:
      clear(open);
  }
  tell_races();
}

void EmulatedEngine::read_parameters(const Open& open) {
  const detail::Command& command = *open.command;
  Domains::Memory& from = memory_of(command.from.owner());
  Access reads = access_by(open.node, from, command.from.reference(), Accesses::IndirectRead, false);
  hear(reads, command.from_offset, command.size, "read of parameters", command.where);
  const auto groups = std::as_writable_bytes(std::span(*open.groups));
  domains_.load(from, command.from_offset, groups, reads);
  trace_->loads(open.node, from, command.from_offset, groups);
}

/// The kernel of the command is under way, and has done nothing.
void EmulatedEngine::start(const Open& open) {
  const detail::Command& command = *open.command;
  RunningKernel::Readers readers;
  for (const emulation::Binding& binding : command.dispatch->bindings()) {
    Domains::Memory* const memory = binding.allocation ? domains_.find(binding.allocation->id) : nullptr;
    if (!memory) continue;
    const Accesses kind =
        binding.storage_class == StorageClass::Uniform ? Accesses::UniformRead : Accesses::StorageRead;
    readers[binding.allocation->id].push_back(access_by(open.node, *memory, binding.reference, kind, false));
  }
  auto dispatch = [this, &command, groups = open.groups] {
    const Extent extent = groups ? Extent((*groups)[0], (*groups)[1], (*groups)[2]) : Extent(1);
    command.dispatch->run(*device_, command.base, groups ? &extent : nullptr);
  };
  tell_shape(open);
  under_way_.push_back({open, std::make_unique<RunningKernel>(RunningKernel::Parts{*state_, *ear_, domains_}, open.node,
                                                              std::move(readers), std::move(dispatch), set_aside(),
                                                              threads_ != nullptr)});
}

/// For a kernel that others interrupt; null for one that runs to its end.
std::shared_ptr<detail::SetAside> EmulatedEngine::set_aside() {
  constexpr std::size_t kMost = 4;
  if (!detail::SetAside::is_possible(*state_) || choice_.below(2, ChoicePoint::Preemption) == 0) return nullptr;
  for (const auto& one : set_aside_)
    if (one.use_count() == 1) return one;
  if (set_aside_.size() == kMost) return nullptr;
  set_aside_.push_back(
      std::make_shared<detail::SetAside>(*state_, static_cast<std::uint32_t>(set_aside_.size() + 1), *ear_));
  return set_aside_.back();
}

/// One turn of a kernel that is under way.
void EmulatedEngine::go_on(std::size_t index) {
  RunningKernel& kernel = *under_way_[index].kernel;
  std::uint64_t accesses = 0;
  if (kernel.can_pause()) {
    // The longer it takes, the fewer its turns.
    constexpr std::uint32_t kFirst = 8;
    constexpr std::uint32_t kMostDoublings = 20;
    accesses = 1 + choice_.below(kFirst << std::min(kernel.turns() / 2, kMostDoublings), ChoicePoint::Preemption);
  }
  if (!kernel.run(accesses)) return;
  const UnderWay ended = std::move(under_way_[index]);
  under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(index));
  for (const auto& [memory, words] : ended.kernel->old_words())
    trace_->is_given_old(ended.open.node, *domains_.find(memory), words);
  finish(ended.open);
  tell_races();
  if (ended.kernel->failure()) std::rethrow_exception(ended.kernel->failure());
}

void EmulatedEngine::tell_shape(const Open& open) {
  const auto [recorded, local] = open.command->dispatch->shape();
  trace::Dispatch dispatch;
  dispatch.number = state_->dispatches;
  dispatch.groups = {recorded.x, recorded.y, recorded.z};
  if (open.groups) dispatch.groups = {(*open.groups)[0], (*open.groups)[1], (*open.groups)[2]};
  dispatch.base = open.command->base;
  dispatch.local = {local.x, local.y, local.z};
  dispatch.subgroup_size = *state_->options.subgroup_size;
  teller_->runs(open.node, dispatch);
}

void EmulatedEngine::copy(const Open& open) {
  const detail::Command& command = *open.command;
  Domains::Memory& from = memory_of(command.from.owner());
  Domains::Memory& to = memory_of(command.to.owner());
  const Access reads = access_by(open.node, from, command.from.reference(), Accesses::TransferRead, false);
  const Access writes = access_by(open.node, to, command.to.reference(), Accesses::TransferWrite, true);
  for (const detail::CopiedBytes& one : command.copies) {
    hear(reads, one.from, one.size, "copy: read", command.where);
    hear(writes, one.to, one.size, "copy: write", command.where);
    std::vector<std::byte> bytes(one.size);
    domains_.load(from, one.from, bytes, reads);
    trace_->loads(open.node, from, one.from, bytes);
    domains_.store(to, one.to, bytes, writes);
  }
}

void EmulatedEngine::clear(const Open& open) {
  const detail::Command& command = *open.command;
  Domains::Memory& to = memory_of(command.to.owner());
  const Access writes = access_by(open.node, to, command.to.reference(), Accesses::TransferWrite, true);
  hear(writes, command.to_offset, command.size, command.call, command.where);
  std::vector<std::byte> bytes(command.size);
  repeat(command.data, bytes);
  domains_.store(to, command.to_offset, bytes, writes);
}

// Objects.

/// A wait for any of several tells the host of one that it has ended, and not of which.
void EmulatedEngine::waited(std::vector<NodeId> ended, const detail::HostWait& call) {
  if (call.how == WaitFor::Any && ended.size() > 1)
    ended = {ended[choice_.below(static_cast<std::uint32_t>(ended.size()), ChoicePoint::Preemption)]};
  trace_->waited_for(ended);
  order_.host_waited(call.call, call.where, std::move(ended));
}

void EmulatedEngine::wait(std::span<detail::FenceState* const> fences, const detail::HostWait& call) {
  if (!begin_call(call.where)) return;
  const auto told =
      trace_->host_calls(call.where, [&] { return fmt::format("{}: {}", call.call, text_of(fences, call.how)); });
  run_until(call.call, text_of(fences, call.how), call.where, [&] { return is_over(fences, call.how); });
  std::vector<NodeId> ended;
  for (const detail::FenceState* const fence : fences)
    if (fence->signaled) ended.push_back(fence->node);
  waited(std::move(ended), call);
}

bool EmulatedEngine::is_signaled(detail::FenceState& fence, const SourceLocation& where) {
  if (!begin_call(where)) return false;
  step();
  const auto told = trace_->host_calls(where, [&] {
    return fmt::format("is_signaled: fence '{}': {}", text::readable(fence.name), fence.signaled ? "yes" : "no");
  });
  if (fence.signaled) waited({fence.node}, {"is_signaled", WaitFor::All, where});
  return fence.signaled;
}

void EmulatedEngine::reset(detail::FenceState& fence, const SourceLocation& where) {
  if (!begin_call(where)) return;
  check_reset(fence, where);
  const auto told =
      trace_->host_calls(where, [&] { return fmt::format("reset: fence '{}'", text::readable(fence.name)); });
  fence.signaled = false;
  fence.node = 0;
}

/// The signal that ends the wait, or nothing if the first value does.
std::optional<NodeId> EmulatedEngine::signal_for(const detail::HostSemaphore& wait) const {
  const detail::SemaphoreSignal* best = nullptr;
  for (const detail::SemaphoreSignal& signal : wait.semaphore->signals)
    if (signal.value >= wait.value && is_done(signal.node) && (!best || signal.value < best->value)) best = &signal;
  return best ? std::optional(best->node) : std::nullopt;
}

void EmulatedEngine::wait(std::span<const detail::HostSemaphore> semaphores, const detail::HostWait& call) {
  check_timelines(semaphores, call.call);
  if (!begin_call(call.where)) return;
  const auto told =
      trace_->host_calls(call.where, [&] { return fmt::format("{}: {}", call.call, text_of(semaphores, call.how)); });
  run_until(call.call, text_of(semaphores, call.how), call.where, [&] { return is_over(semaphores, call.how); });
  std::vector<NodeId> ended;
  for (const detail::HostSemaphore& one : semaphores)
    if (const std::optional<NodeId> signal = signal_for(one)) ended.push_back(*signal);
  waited(std::move(ended), call);
}

void EmulatedEngine::signal(detail::SemaphoreState& semaphore, std::uint64_t value, const SourceLocation& where) {
  if (!begin_call(where)) return;
  check_timeline(semaphore, "signal");
  check_goes_on(semaphore, value, "signal");
  const auto told = trace_->host_calls(where, [&] { return "signal: " + text_of(semaphore, value); });
  Node node;
  node.kind = NodeKind::HostSignal;
  node.call = "signal";
  node.where = where;
  const NodeId id = order_.host_calls(std::move(node));
  trace_->is_node(id);
  set_done(done_, id);
  semaphore.signals.push_back({value, id});
  semaphore.value = value;
  step();
}

std::uint64_t EmulatedEngine::value(detail::SemaphoreState& semaphore, const SourceLocation& where) {
  if (!begin_call(where)) return 0;
  check_timeline(semaphore, "value");
  step();
  const auto told = trace_->host_calls(where, [&] { return "value: " + text_of(semaphore, semaphore.value); });
  return semaphore.value;
}

void EmulatedEngine::wait_idle(std::optional<std::uint32_t> queue, const SourceLocation& where) {
  if (!begin_call(where)) return;
  const auto told = trace_->host_calls(
      where, [&] { return queue ? fmt::format("wait_idle: queue {}", *queue) : std::string("wait_idle: the device"); });
  std::vector<NodeId> fences;
  for (const auto& [number, used] : used_)
    if (!queue || *queue == number) fences.push_back(add_fence(used, where));
  run_until("wait_idle", queue ? "the queue" : "the device", where,
            [&] { return std::all_of(fences.begin(), fences.end(), [&](NodeId fence) { return is_done(fence); }); });
  waited(std::move(fences), {"wait_idle", WaitFor::All, where});
}

void EmulatedEngine::set(detail::EventState& event, bool to, const SourceLocation& where) {
  if (!begin_call(where)) return;
  const auto told = trace_->host_calls(
      where, [&] { return fmt::format("{}: event '{}'", to ? "set" : "reset", text::readable(event.name)); });
  if (!to) {
    events_.erase(&event);
    return;
  }
  if (events_.count(&event) != 0) detail::refuse_call("set", event.name, "it is set already");
  Node node;
  node.kind = NodeKind::HostSignal;
  node.call = "set";
  node.where = where;
  const NodeId id = order_.host_calls(std::move(node));
  trace_->is_node(id);
  set_done(done_, id);
  events_[&event].by_host = id;
}

}  // namespace heddle::queues
