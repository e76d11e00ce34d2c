#pragma once

/// \file
/// The host's side of a litmus test: batches of commands, and the calls that submit them and wait for them.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/litmus/diagnostic.h"
#include "emulator/model/dependency.h"

namespace heddle::litmus {

/// Stages, and kinds of accesses in them: one side of a dependency.
struct Mask {
  model::Stages stages = model::Stages::None;
  model::Accesses accesses = model::Accesses::None;
};

enum class CommandKind : std::uint8_t {
  WaitSemaphore,
  SignalSemaphore,
  Dispatch,
  Copy,
  Fill,  ///< or update
  Barrier,
  SetEvent,
  AwaitEvent,
  Release,
  Acquire,
};

/// One cell of a `B` column.
struct BatchCommand {
  CommandKind kind = CommandKind::Barrier;
  Place place;
  std::string text;
  /// Dispatch: its threads, and for an indirect one the register and variable of its parameters.
  std::vector<std::uint32_t> threads;
  std::optional<std::uint32_t> destination;
  /// What an indirect dispatch reads its parameters from, a copy or a fill writes, a transfer of ownership is about.
  std::uint32_t variable = 0;
  std::uint32_t source = 0;  ///< the variable that a copy reads
  std::int64_t value = 0;    ///< that a fill writes
  /// The masks of a dependency. A host-set event has them at its wait, another one at its set.
  std::optional<Mask> first;
  std::optional<Mask> second;
  std::vector<std::uint32_t> variables;
  std::string object;                          ///< a semaphore or an event
  std::optional<std::uint64_t> timeline;       ///< a semaphore's value
  model::Stages stages = model::Stages::None;  ///< of a semaphore's wait or signal
  std::uint64_t family = 0;                    ///< the other one of a transfer of ownership
};

struct Batch {
  std::uint32_t thread = 0;
  std::uint64_t queue = 0;
  std::uint64_t family = 0;
  Place place;
  std::vector<BatchCommand> commands;
};

enum class CallKind : std::uint8_t { Submit, WaitFence, WaitSemaphore, SignalSemaphore, Idle, SetEvent };

/// A call of a `H` column that waits, or that something waits for.
struct HostCall {
  CallKind kind = CallKind::Submit;
  std::uint32_t thread = 0;
  Place place;
  /// What a submission submits, by index.
  std::vector<std::uint32_t> batches;
  std::string object;  ///< a fence (of a submission, too), a semaphore or an event
  std::uint64_t value = 0;
  std::optional<std::uint64_t> queue;
};

struct HostTest {
  std::vector<Batch> batches;
  /// Calls of the host; the calls of one thread stand in program order.
  std::vector<HostCall> calls;
  /// Variables, as declared.
  std::vector<std::uint32_t> uniform;
  std::vector<std::uint32_t> exclusive;
  std::vector<std::uint32_t> noncoherent;
  std::vector<std::vector<std::uint32_t>> atoms;
};

}  // namespace heddle::litmus
