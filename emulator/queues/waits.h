#pragma once

/// \file
/// When the host's waits are over.

#include <heddle/detail/queue_engine.h>

#include <algorithm>
#include <span>

namespace heddle::queues {

inline bool is_over(std::span<detail::FenceState* const> fences, WaitFor how) {
  const auto one = [](const detail::FenceState* fence) { return fence->signaled; };
  return how == WaitFor::All ? std::all_of(fences.begin(), fences.end(), one)
                             : std::any_of(fences.begin(), fences.end(), one);
}

inline bool is_over(std::span<const detail::HostSemaphore> semaphores, WaitFor how) {
  const auto one = [](const detail::HostSemaphore& wait) { return wait.semaphore->value >= wait.value; };
  return how == WaitFor::All ? std::all_of(semaphores.begin(), semaphores.end(), one)
                             : std::any_of(semaphores.begin(), semaphores.end(), one);
}

}  // namespace heddle::queues
