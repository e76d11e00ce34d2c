#pragma once

/// \file
/// What a run is told beside its program: objects with their names, and workgroups that begin when there is room.

#include <heddle/report.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/run/objects.h"
#include "emulator/trace/dispatch.h"

namespace heddle::run {

/// The objects and the dispatches of a program whose accesses are checked.
struct Setting {
  /// The program's operations name their allocations.
  Objects objects;
  /// One after the other, with a memory dependency in between. Each agent of the program is in one of them. Empty: all
  /// agents begin at once, each by itself, and findings do not say where in a dispatch they are.
  std::vector<trace::Dispatch> dispatches = {};
  /// How many workgroups are resident at once, at most; 0: all of a dispatch.
  std::uint32_t resident_workgroups = 0;
  /// Workgroups begin by their numbers, and not in an order that is drawn.
  bool ascending_workgroups = false;
};

/// An invocation, as its front end needs it to make the agent.
struct Invocation {
  AgentId agent{};
  /// The number of the workgroup among those of all dispatches, and the invocation's index in it.
  std::uint32_t workgroup = 0;
  std::uint32_t index = 0;
  Coordinates coordinates;
};

/// Makes the agent of an invocation, again and again.
using MakeAgent = std::function<std::unique_ptr<explore::Agent>(const Invocation&)>;

/// Adds the invocations of a dispatch to the program, behind those that it has, and the dispatch to the setting. Its
/// number and its first agent follow from those before it; its `positions` must outlive the setting. `queue_family` is
/// where its agents are.
void add_dispatch(explore::Program& program, Setting& setting, trace::Dispatch dispatch, const MakeAgent& make,
                  std::uint32_t queue_family = 0);

/// Where an agent of the dispatches is; nothing if it is in none.
std::optional<Coordinates> coordinates_of(const Setting& setting, AgentId agent);

/// The agents that take part in a control barrier of this scope at which `invocation` arrives: those of its subgroup,
/// or of its workgroup. Of a scope that is wider all of the dispatch.
std::vector<AgentId> participants(const trace::Dispatch& dispatch, const Invocation& invocation, Scope execution);

}  // namespace heddle::run
