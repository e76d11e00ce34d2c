#include "emulator/model/access_scope.h"

#include <algorithm>

namespace heddle::model {
namespace {

bool contains(const std::vector<ReferenceId>& list, ReferenceId reference) {
  return std::find(list.begin(), list.end(), reference) != list.end();
}

//= sync:synchronization-dependencies-access-scopes
bool in_scope(const HostSide& host, const AccessScope& scope, const Command& command, const Operation& access,
              bool writes) {
  return meet(command.stage, scope.stages) && meet(kind_of(host, command, access, writes), scope.accesses) &&
         (scope.references.empty() || contains(scope.references, access.reference));
}

}  // namespace

const Command* command_of(const HostSide& host, AgentId agent) {
  const auto found = std::find_if(host.commands.begin(), host.commands.end(),
                                  [&](const Command& command) { return command.agent == agent; });
  return found == host.commands.end() ? nullptr : &*found;
}

const Dependency* dependency_of(const HostSide& host, AgentId agent) {
  const auto found = std::find_if(host.dependencies.begin(), host.dependencies.end(),
                                  [&](const Dependency& dependency) { return dependency.agent == agent; });
  return found == host.dependencies.end() ? nullptr : &*found;
}

Accesses kind_of(const HostSide& host, const Command& command, const Operation& access, bool writes) {
  if (command.stage == Stages::DrawIndirect) return Accesses::IndirectRead;
  if (command.stage != Stages::Compute) return writes ? Accesses::TransferWrite : Accesses::TransferRead;
  if (writes) return Accesses::StorageWrite;
  return contains(host.uniform, access.reference) ? Accesses::UniformRead : Accesses::StorageRead;
}

bool makes_available(const HostSide& host, const Dependency& dependency, const Command& command,
                     const Operation& access) {
  const AccessScope& scope = dependency.available;
  return scope.of_device || (comes_before(command, dependency) && in_scope(host, scope, command, access, true));
}

bool makes_visible(const HostSide& host, const Dependency& dependency, const Command& command,
                   const Operation& access) {
  const AccessScope& scope = dependency.visible;
  return scope.of_device || (comes_after(dependency, command) && in_scope(host, scope, command, access, false));
}

}  // namespace heddle::model
