#pragma once

/// \file
/// What calls and commands of a host test cannot be: dispatches that do not fit, cycles of waits, timelines that go
/// back.

#include <map>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/host_plan.h"

namespace heddle::litmus {

/// A semaphore's signal: who gives it, where it stands, and which thread of the host submits it.
struct Signal {
  std::uint64_t value = 0;
  explore::Point giver = 0;
  Place place;
  std::uint32_t thread = 0;
};

struct Semaphore {
  bool timeline = false;
  bool used = false;
  std::vector<Signal> signals;
  std::uint32_t waits = 0;
};

/// A wait for a semaphore, which may be signaled by what comes later in the file.
struct SemaphoreWait {
  const std::string* semaphore = nullptr;
  std::optional<std::uint64_t> value;
  explore::Point waiter = 0;
  Place place;
  std::uint32_t thread = 0;
  /// Whether the signal was submitted before, which a binary semaphore needs.
  bool signal_is_submitted = false;
};

/// Each thread of a shader is in one dispatch, as is each workgroup, and is of its batch's family. Throws ParseError.
void check_dispatches(const Test& test);

/// No cycle of waits, and values of timelines that go up. Calls are numbered behind all agents. Throws ParseError.
void check_order(const HostTest& host, const HostPlan& plan, const std::vector<SemaphoreWait>& waits,
                 const std::map<std::string, Semaphore>& semaphores);

}  // namespace heddle::litmus
