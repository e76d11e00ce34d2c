#pragma once

/// \file
/// What has happened before the next operation of an agent, as far as memory has to respect it.

#include <heddle/operation.h>

#include <cstdint>
#include <map>
#include <memory>

#include "emulator/domains/number_set.h"

namespace heddle::domains {

/// Sets of numbers of writes, of visibility operations, and of releases of ownership. All of them only grow, and go
/// from agent to agent with happens-before.
struct Knowledge {
  /// Writes that happened before.
  NumberSet happened;
  /// Writes that happened before by order among shaders alone, without the API: what a MakeAvailable offers.
  NumberSet in_shaders;
  /// Writes that shaders made available themselves: by an atomic, by MakeAvailable.
  NumberSet offered;
  /// Writes that are available in the device domain, and in the host domain.
  NumberSet in_device;
  NumberSet in_host;
  /// Writes that reads met.
  NumberSet met;
  /// Visibility operations of the API, and releases of ownership.
  NumberSet shown;
  NumberSet handed;
  /// By queue family: writes to exclusive buffers whose contents it got by a transfer.
  std::map<std::uint32_t, NumberSet> owned;

  /// Learns what another agent knows, which system-synchronizes with this one.
  void learn_by_system(const Knowledge& other) {
    happened |= other.happened;
    offered |= other.offered;
    in_device |= other.in_device;
    in_host |= other.in_host;
    met |= other.met;
    shown |= other.shown;
    handed |= other.handed;
    for (const auto& [family, writes] : other.owned) owned[family] |= writes;
  }
  /// Learns what another agent has released.
  void learn(const Knowledge& other) {
    learn_by_system(other);
    in_shaders |= other.in_shaders;
  }
};

/// What an atomic write offers to those that acquire from it.
struct Head {
  AgentId agent{};
  Scope scope = Scope::Invocation;
  std::shared_ptr<const Knowledge> knowledge;
};

}  // namespace heddle::domains
