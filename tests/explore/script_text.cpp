#include <map>

#include "emulator/model/tags.h"
#include "tests/explore/script.h"

namespace heddle::explore {
namespace {

std::string describe(const Operation& op) {
  static const std::map<OperationKind, std::string> kKinds = {{OperationKind::Read, "read"},
                                                              {OperationKind::Write, "write"},
                                                              {OperationKind::ReadModifyWrite, "rmw"},
                                                              {OperationKind::MemoryBarrier, "membar"},
                                                              {OperationKind::ControlBarrier, "cbar"},
                                                              {OperationKind::DeviceAvailability, "avdevice"},
                                                              {OperationKind::DeviceVisibility, "visdevice"}};
  std::string out = kKinds.at(op.kind);
  if (op.is_access()) {
    out += " variable " + std::to_string(static_cast<std::uint32_t>(op.locations.allocation)) + '[' +
           std::to_string(op.locations.offset_bytes) + '+' + std::to_string(op.locations.size_bytes) + "] reference " +
           std::to_string(static_cast<std::uint32_t>(op.reference)) + " class " +
           std::to_string(static_cast<std::uint32_t>(op.storage_class));
  }
  if (op.atomic) out += " atomic";
  out += " scope " + std::to_string(static_cast<std::uint32_t>(op.scope));
  out += " semantics " + std::to_string(static_cast<std::uint32_t>(op.semantics));
  if (!op.atomic && op.is_access()) {
    out += " operands " + std::to_string(static_cast<std::uint32_t>(op.operands)) + " scopes " +
           std::to_string(static_cast<std::uint32_t>(op.available_scope)) + ' ' +
           std::to_string(static_cast<std::uint32_t>(op.visible_scope));
  }
  if (op.tags != TagSetId::Empty) out += " # " + model::text(model::tags_of(op.tags));
  return out;
}

}  // namespace

std::string describe(const ScriptedProgram& scripts) {
  std::string out;
  for (std::size_t agent = 0; agent < scripts.scripts.size(); ++agent) {
    const model::Place& place = scripts.places[agent];
    out += "agent " + std::to_string(agent) + " qf " + std::to_string(place.queue_family) + " wg " +
           std::to_string(place.workgroup) + " sg " + std::to_string(place.subgroup) + " stage " +
           std::to_string(static_cast<std::uint32_t>(place.stage)) + '\n';
    for (const Line& line : scripts.scripts[agent]) {
      out += "  " + describe(line.operation) + " constant " + std::to_string(line.constant) +
             (line.copies ? " copies" : "") + (line.ends_on_zero ? " ends-on-zero" : "") +
             (line.quorum ? " quorum " + std::to_string(line.quorum) : "");
      if (!line.participants.empty()) out += " instance " + std::to_string(line.operation.barrier_instance) + " with";
      for (const AgentId one : line.participants) out += ' ' + std::to_string(static_cast<std::uint32_t>(one));
      out += '\n';
    }
  }
  for (const auto& [first, second] : scripts.system_synchronization)
    out += "ssw " + std::to_string(static_cast<std::uint32_t>(first)) + ' ' +
           std::to_string(static_cast<std::uint32_t>(second)) + '\n';
  return out;
}

// FNV-1a.
std::uint64_t fingerprint(const ScriptedProgram& scripts) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : describe(scripts)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace heddle::explore
