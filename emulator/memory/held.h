#pragma once

/// \file
/// What the caches of a machine hold, for a caller that shows or plays them.

#include <heddle/operation.h>

#include "emulator/trace/listener.h"

namespace heddle::memory {

/// A write that the machine remembers apart from the storage.
struct HeldWrite {
  trace::OperationIndex write = 0;
  Locations bytes;
  /// The value of those bytes.
  trace::Value value = 0;
  AgentId agent{};
  ReferenceId reference{};
  bool atomic = false;
  /// How far it has come: Agent while it waits in its agent's cache, Shader once everybody can reach it.
  trace::CacheLevel level = trace::CacheLevel::Agent;
  /// In a memory with domains: whether it has come to the device domain, and to the host's side.
  bool in_device = false;
  bool in_host = false;
};

/// What an agent may still be shown of some bytes: the oldest value that the machine could serve it.
struct HeldCopy {
  trace::Value value = 0;
  /// The write that left the value; model::kInitialValue if nothing wrote it.
  trace::OperationIndex write = model::kInitialValue;
  /// Whether something newer is in reach of the agent.
  bool stale = false;
};

}  // namespace heddle::memory
