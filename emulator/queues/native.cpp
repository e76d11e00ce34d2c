#include "emulator/queues/native.h"

#include <heddle/device.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "emulator/queues/transfers.h"
#include "emulator/queues/trouble.h"
#include "emulator/queues/waits.h"

namespace heddle::queues {

using detail::BatchSemaphore;
using detail::Command;
using detail::CommandKind;

NativeEngine::NativeEngine(DeviceOptions options, std::uint32_t queues, std::uint32_t host_threads)
    : device_(std::make_unique<Device>(std::move(options))), host_threads_(host_threads), queues_(queues) {}

NativeEngine::~NativeEngine() {
  std::vector<CommandPlace> left;
  for (const auto& queue : queues_)
    for (const Submitted& submitted : queue)
      for (const auto& commands : submitted.pending)
        for (const Command& command : commands->commands)
          if (accesses_memory(command)) left.push_back({command.call, command.where});
  tell_pending(left);
}

bool NativeEngine::is_ready(const detail::Batch& batch) {
  return std::all_of(batch.waits.begin(), batch.waits.end(),
                     [](const BatchSemaphore& wait) { return wait.semaphore->value >= wait.value; });
}

void NativeEngine::submit(const detail::QueueNumber& queue, std::vector<detail::Batch> batches,
                          std::shared_ptr<detail::FenceState> fence, const SourceLocation& where) {
  Lock lock(mutex_);
  check_submission(batches, fence.get(), where);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    Submitted one{std::move(batches[i]), {}, i + 1 == batches.size() ? std::move(fence) : nullptr};
    one.pending = one.batch.commands;
    add_secondaries(one.pending);
    for (const auto& commands : one.pending) ++commands->pending;
    queues_[queue.queue].push_back(std::move(one));
  }
  if (fence) queues_[queue.queue].push_back({{}, {}, std::move(fence)});
  pump(lock);
}

// One thread executes; what others submit meanwhile it finds before it ends.
void NativeEngine::pump(Lock& lock) {
  if (executing_) return;
  for (bool found = true; found;) {
    found = false;
    for (std::uint32_t q = 0; q < queues_.size(); ++q) {
      while (!queues_[q].empty() && is_ready(queues_[q].front().batch)) {
        found = true;
        executing_ = q;
        Submitted next = std::move(queues_[q].front());
        queues_[q].pop_front();
        execute(lock, std::move(next));
      }
    }
  }
}

void NativeEngine::execute(Lock& lock, Submitted submitted) {
  for (const BatchSemaphore& wait : submitted.batch.waits)
    if (!wait.semaphore->timeline) wait.semaphore->value = 0;
  std::exception_ptr failure;
  if (!submitted.batch.commands.empty()) {
    lock.unlock();
    try {
      for (const auto& commands : submitted.batch.commands) execute(*commands);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
  }
  for (const auto& commands : submitted.pending) --commands->pending;
  try {
    for (const BatchSemaphore& signal : submitted.batch.signals) {
      check_goes_on(*signal.semaphore, signal.value, "submit2");
      signal.semaphore->value = signal.value;
    }
  } catch (...) {
    failure = std::current_exception();
  }
  if (submitted.fence) {
    submitted.fence->signaled = true;
    submitted.fence->pending = false;
  }
  executing_.reset();
  if (waiting_ != 0) changed_.notify_all();
  if (failure) std::rethrow_exception(failure);
}

void NativeEngine::execute(const detail::CommandBufferState& commands) {
  for (const Command& command : commands.commands) execute(command);
}

void NativeEngine::execute(const Command& command) {
  switch (command.kind) {
    case CommandKind::Dispatch:
      command.dispatch->run(*device_, command.base, nullptr);
      return;
    case CommandKind::DispatchIndirect: {
      std::uint32_t groups[3];
      std::memcpy(groups, bytes_of(command.from, command.from_offset), sizeof groups);
      const Extent extent(groups[0], groups[1], groups[2]);
      command.dispatch->run(*device_, command.base, &extent);
      return;
    }
    case CommandKind::Copy:
      for (const detail::CopiedBytes& one : command.copies)
        std::memmove(bytes_of(command.to, one.to), bytes_of(command.from, one.from), one.size);
      return;
    case CommandKind::Clear:
      repeat(command.data, {bytes_of(command.to, command.to_offset), command.size});
      return;
    case CommandKind::Execute:
      return execute(*command.secondary);
    case CommandKind::SetEvent:
    case CommandKind::ResetEvent: {
      const Lock lock(mutex_);
      command.event->set = command.kind == CommandKind::SetEvent;
      return;
    }
    case CommandKind::WaitEvents: {
      const Lock lock(mutex_);
      if (!command.event->set) tell_unset(command);
      return;
    }
    case CommandKind::Barrier:
      return;
  }
}

template <typename Object, typename Done>
void NativeEngine::wait_until(const char* call, const Object& object, const SourceLocation& where, const Done& done) {
  Lock lock(mutex_);
  for (pump(lock); !done(); pump(lock)) {
    if (!executing_ && (deadlock_ || waiting_ + 1 >= host_threads_)) {
      deadlock_ = waiting_ != 0;
      changed_.notify_all();
      tell_deadlock(call, object(), where);
    }
    ++waiting_;
    changed_.wait(lock);
    --waiting_;
  }
}

void NativeEngine::wait(std::span<detail::FenceState* const> fences, const detail::HostWait& call) {
  wait_until(
      call.call, [&] { return text_of(fences, call.how); }, call.where, [&] { return is_over(fences, call.how); });
}

bool NativeEngine::is_signaled(detail::FenceState& fence, const SourceLocation&) {
  const Lock lock(mutex_);
  return fence.signaled;
}

void NativeEngine::reset(detail::FenceState& fence, const SourceLocation& where) {
  const Lock lock(mutex_);
  check_reset(fence, where);
  fence.signaled = false;
}

void NativeEngine::wait(std::span<const detail::HostSemaphore> semaphores, const detail::HostWait& call) {
  check_timelines(semaphores, call.call);
  wait_until(
      call.call, [&] { return text_of(semaphores, call.how); }, call.where,
      [&] { return is_over(semaphores, call.how); });
}

void NativeEngine::signal(detail::SemaphoreState& semaphore, std::uint64_t value, const SourceLocation&) {
  Lock lock(mutex_);
  check_timeline(semaphore, "signal");
  check_goes_on(semaphore, value, "signal");
  semaphore.value = value;
  if (waiting_ != 0) changed_.notify_all();
  pump(lock);
}

std::uint64_t NativeEngine::value(detail::SemaphoreState& semaphore, const SourceLocation&) {
  const Lock lock(mutex_);
  check_timeline(semaphore, "value");
  return semaphore.value;
}

bool NativeEngine::is_idle(std::optional<std::uint32_t> queue) const {
  if (queue) return queues_[*queue].empty() && executing_ != queue;
  return !executing_ && std::all_of(queues_.begin(), queues_.end(), [](const auto& one) { return one.empty(); });
}

void NativeEngine::wait_idle(std::optional<std::uint32_t> queue, const SourceLocation& where) {
  wait_until(
      "wait_idle", [&] { return queue ? "the queue" : "the device"; }, where, [&] { return is_idle(queue); });
}

void NativeEngine::set(detail::EventState& event, bool to, const SourceLocation&) {
  const Lock lock(mutex_);
  event.set = to;
  event.by_host = true;
}

void NativeEngine::read(detail::MemoryState& memory, std::uint64_t offset, std::span<std::byte> to,
                        const SourceLocation&) {
  check_map(memory, offset, to.size(), "read");
  std::memcpy(to.data(), memory.owner->bytes + offset, to.size());
}

void NativeEngine::write(detail::MemoryState& memory, std::uint64_t offset, std::span<const std::byte> from,
                         const SourceLocation&) {
  check_map(memory, offset, from.size(), "write");
  std::memcpy(memory.owner->bytes + offset, from.data(), from.size());
}

void NativeEngine::free(detail::MemoryState& memory, const SourceLocation&) {
  const Lock lock(mutex_);
  memory.freed = true;
  memory.mapped = false;
  memory.owner.free();
}

}  // namespace heddle::queues
