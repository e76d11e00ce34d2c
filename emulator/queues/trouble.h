#pragma once

/// \file
/// What must not be asked of queues and their objects, and how that is told.

#include <heddle/detail/queue_engine.h>

#include <exception>
#include <span>
#include <string>

namespace heddle::queues {

/// "timeline semaphore 'uploaded' (value 3)", "semaphore 'ready'"
std::string text_of(const detail::SemaphoreState& semaphore, std::uint64_t value);

/// "fence 'uploaded' or fence 'done'"
std::string text_of(std::span<detail::FenceState* const> fences, WaitFor how);
std::string text_of(std::span<const detail::HostSemaphore> semaphores, WaitFor how);

// Each throws std::logic_error, which names the call and the object.
void check_timeline(const detail::SemaphoreState& semaphore, const char* call);
void check_timelines(std::span<const detail::HostSemaphore> semaphores, const char* call);
/// A timeline goes up, and a binary semaphore is not signaled twice.
void check_goes_on(const detail::SemaphoreState& semaphore, std::uint64_t value, const char* call);
void check_reset(const detail::FenceState& fence, const SourceLocation& where);
/// An access of so many bytes lies in the map.
void check_map(const detail::MemoryState& memory, std::uint64_t offset, std::uint64_t size, const char* call);
/// The command buffer was begun and ended.
void check_recorded(const detail::CommandBufferState& commands, const char* call);
/// Before a submission. What it says of the objects is noted in them: pending fences, signals of binary semaphores.
void check_submission(std::span<const detail::Batch> batches, detail::FenceState* fence, const SourceLocation& where);

// Each throws KernelError.
/// Nobody will do what the call waits for. `why` ends the sentence.
[[noreturn]] void tell_deadlock(const char* call, const std::string& object, const SourceLocation& where,
                                const std::string& why = "");
/// A queue waits for an event that nobody has set.
[[noreturn]] void tell_unset(const detail::Command& wait);

/// A command, as messages have it; valid when the command is gone.
struct CommandPlace {
  const char* call = "";
  SourceLocation where;
};

/// The logical device ends, and nobody has waited until these had been executed: an error on stderr, if there are any
/// and no exception is the reason.
void tell_pending(std::span<const CommandPlace> commands);
/// A command for which nobody waited, and which ran when the logical device ended, was wrong: an error on stderr.
void tell_failed_at_end(const std::exception& error);

}  // namespace heddle::queues
