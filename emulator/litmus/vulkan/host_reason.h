#pragma once

/// \file
/// Why two accesses of a host test race, in the words of the API.

#include <optional>
#include <string>
#include <string_view>

#include "emulator/judge/judgement.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// The first thing that is missing between an access and a later one, in the order in which it is asked for.
enum class HostLink : std::uint8_t {
  Freed,
  Invalidated,
  Atomics,
  Atom,
  HostThreads,
  AfterSubmission,
  HostDoesNotWait,
  WaitForAnother,
  NoBarrier,
  SetAndWait,
  FirstScope,
  SecondScope,
  DoNotMeet,
  NoSemaphore,
  ValueTooSmall,
  SemaphoreStages,
  NoFlush,
  NoAvailability,
  AnotherBuffer,
  BehindHostSignal,
  NoDomainToDevice,
  NoDomainToHost,
  Ownership,
  NoVisibility,
  NoInvalidation,
};

/// "no barrier", "outside of the first scope", ...
std::string_view name(HostLink link);

struct HostReason {
  HostLink link = HostLink::NoBarrier;
  model::OperationIndex from = 0;
  model::OperationIndex to = 0;
  std::string text;
  /// The dependency in which something is missing, if one is there.
  std::optional<AgentId> dependency;
};

/// Nothing if the test is no host test, or the two are of one dispatch, where the API has no part.
std::optional<HostReason> host_reason(const Test& test, const judge::Judgement& judgement,
                                      const model::OperationPair& race);

}  // namespace heddle::litmus
