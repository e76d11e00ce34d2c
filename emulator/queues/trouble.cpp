#include "emulator/queues/trouble.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <vector>

#include "runtime/text/readable.h"

namespace heddle::detail {

void refuse_call(const char* call, const std::string& object, const std::string& what) {
  throw std::logic_error(fmt::format("heddle: {} of '{}': {}", call, text::readable(object), what));
}

}  // namespace heddle::detail

namespace heddle::queues {

using detail::refuse_call;

namespace {

std::string joined(const std::vector<std::string>& words, WaitFor how) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += how == WaitFor::All ? " and " : " or ";
    out += word;
  }
  return out;
}

}  // namespace

std::string text_of(const detail::SemaphoreState& semaphore, std::uint64_t value) {
  const std::string name = text::readable(semaphore.name);
  return semaphore.timeline ? fmt::format("timeline semaphore '{}' (value {})", name, value)
                            : fmt::format("semaphore '{}'", name);
}

std::string text_of(std::span<detail::FenceState* const> fences, WaitFor how) {
  std::vector<std::string> out;
  for (const detail::FenceState* const fence : fences)
    out.push_back(fmt::format("fence '{}'", text::readable(fence->name)));
  return joined(out, how);
}

std::string text_of(std::span<const detail::HostSemaphore> semaphores, WaitFor how) {
  std::vector<std::string> out;
  for (const detail::HostSemaphore& one : semaphores) out.push_back(text_of(*one.semaphore, one.value));
  return joined(out, how);
}

void check_timelines(std::span<const detail::HostSemaphore> semaphores, const char* call) {
  for (const detail::HostSemaphore& one : semaphores) check_timeline(*one.semaphore, call);
}

void check_timeline(const detail::SemaphoreState& semaphore, const char* call) {
  if (!semaphore.timeline) refuse_call(call, semaphore.name, "it is a binary semaphore, which the host cannot access");
}

void check_goes_on(const detail::SemaphoreState& semaphore, std::uint64_t value, const char* call) {
  if (semaphore.timeline && value <= semaphore.value)
    refuse_call(call, semaphore.name,
                fmt::format("a signal of value {}, and its value is {}: a timeline goes up", value, semaphore.value));
  if (!semaphore.timeline && semaphore.value != 0)
    refuse_call(call, semaphore.name, "it is signaled, and nothing has waited for that");
}

void check_reset(const detail::FenceState& fence, const SourceLocation&) {
  if (fence.pending) refuse_call("reset", fence.name, "a submission is going to signal it: wait for it first");
}

void check_map(const detail::MemoryState& memory, std::uint64_t offset, std::uint64_t size, const char* call) {
  const std::string& name = memory.owner->name;
  if (memory.freed) refuse_call(call, name, "it was freed");
  if (!memory.mapped) refuse_call(call, name, "it is not mapped");
  if (offset < memory.map_begin || offset + size > memory.map_end)
    refuse_call(call, name,
                fmt::format("element {} is outside of the map, which ends in front of element {}",
                            offset / memory.element_bytes, memory.map_end / memory.element_bytes));
}

void check_recorded(const detail::CommandBufferState& commands, const char* call) {
  using Stage = detail::CommandBufferState::Stage;
  if (commands.stage == Stage::Recording)
    refuse_call(call, commands.name, "the command buffer is still recording: end it first");
  if (commands.stage == Stage::Initial)
    refuse_call(call, commands.name, "the command buffer has no recorded commands: begin it, record, and end it");
}

namespace {

void check_commands(const detail::CommandBufferState& commands) {
  check_recorded(commands, "submit2");
  if (commands.is_secondary)
    refuse_call("submit2", commands.name, "it is a secondary command buffer: execute_commands is for it");
  if (commands.pending != 0 && !commands.simultaneous_use)
    refuse_call("submit2", commands.name, "it is pending, and was made without simultaneous_use");
}

}  // namespace

void check_submission(std::span<const detail::Batch> batches, detail::FenceState* fence, const SourceLocation&) {
  if (fence && fence->signaled) refuse_call("submit2", fence->name, "the fence is signaled: reset it first");
  if (fence && fence->pending) refuse_call("submit2", fence->name, "another submission is going to signal the fence");
  for (const detail::Batch& batch : batches) {
    for (const auto& commands : batch.commands) check_commands(*commands);
    for (const detail::BatchSemaphore& wait : batch.waits) {
      if (wait.semaphore->timeline) continue;
      if (wait.semaphore->submitted == 0)
        refuse_call("submit2", wait.semaphore->name,
                    "a wait for a semaphore that no submission before signals: it would wait for ever");
      wait.semaphore->submitted = 0;
    }
    for (const detail::BatchSemaphore& signal : batch.signals) {
      if (signal.semaphore->timeline) {
        check_goes_on(*signal.semaphore, signal.value, "submit2");
      } else if (signal.semaphore->submitted != 0) {
        refuse_call("submit2", signal.semaphore->name, "a second signal, and nothing waits for the first one");
      }
      signal.semaphore->submitted = signal.value;
    }
  }
  if (fence) fence->pending = true;
}

void tell_deadlock(const char* call, const std::string& object, const SourceLocation& where, const std::string& why) {
  Finding finding;
  finding.kind = FindingKind::NoProgress;
  finding.message = fmt::format("deadlock: {} for {}, which nobody will signal{}", call, object, why);
  finding.where = where;
  finding.invocation = Coordinates::of_host_thread(0);
  throw KernelError(std::move(finding));
}

void tell_unset(const detail::Command& wait) {
  tell_deadlock(wait.call, fmt::format("event '{}'", text::readable(wait.event->name)), wait.where,
                ": set it in an earlier command of the queue, or from the host before the submission");
}

void tell_pending(std::span<const CommandPlace> commands) {
  if (commands.empty() || std::uncaught_exceptions() != 0) return;
  const CommandPlace& first = commands.front();
  const std::string text = fmt::format(
      "heddle: the logical device ends while it has {} to execute: {} at {}:{} is the first, and what it would have "
      "written is lost; wait before the end (wait_idle, a fence, a timeline semaphore), and signal what the queues "
      "wait "
      "for",
      commands.size() == 1 ? "1 command" : fmt::format("{} commands", commands.size()), first.call, first.where.file,
      first.where.line);
  std::fprintf(stderr, "%s\n", text::readable(text).c_str());
}

void tell_failed_at_end(const std::exception& error) {
  const std::string text = fmt::format(
      "heddle: a command for which nobody waited ran when its logical device ended, and is wrong: {}", error.what());
  std::fprintf(stderr, "%s\n", text::readable(text).c_str());
}

}  // namespace heddle::queues
