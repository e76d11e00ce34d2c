#include "emulator/spirv/facts.h"

#include <algorithm>

namespace heddle::spirv {
namespace {

bool names_memory(const Dispatch& dispatch, std::uint64_t pointer) {
  const std::uint64_t object = object_of(pointer);
  return object != 0 && object < dispatch.objects().size();
}

}  // namespace

AllocationId choice_allocation(const Dispatch& dispatch) {
  return static_cast<AllocationId>(dispatch.objects().size());
}

Locations choice_location(const Dispatch& dispatch, std::uint32_t agent, std::uint32_t which) {
  return {choice_allocation(dispatch), 4 * (std::uint64_t{agent} * kMostChoices + which), 4};
}

Locations locations_at(std::uint64_t pointer, std::uint32_t bytes) {
  return {static_cast<AllocationId>(object_of(pointer)), offset_of(pointer), bytes};
}

bool reads(const Command& command, const AccessInfo& info) {
  return command.act == Act::Load || (command.act == Act::Atomic && info.atomic != Op::OpAtomicStore);
}

bool writes(const Command& command, const AccessInfo& info) {
  return command.act == Act::Store || (command.act == Act::Atomic && info.atomic != Op::OpAtomicLoad);
}

bool accesses_memory(const Dispatch& dispatch, const Command& command, const Reach& reach) {
  if (command.act != Act::Load && command.act != Act::Store && command.act != Act::Atomic) return false;
  if (!reach.reached) return false;
  return reach.pointers.any ||
         std::any_of(reach.pointers.values.begin(), reach.pointers.values.end(), [&](std::uint64_t pointer) {
           return names_memory(dispatch, pointer) && !dispatch.objects()[object_of(pointer)].constant;
         });
}

ReferenceId reference_of(const Dispatch& dispatch, std::uint64_t pointer, const AccessInfo& info) {
  // A buffer through its address is another reference than through its descriptor.
  const std::uint64_t by_address = info.physical ? dispatch.objects().size() + 1 : 0;
  return static_cast<ReferenceId>(object_of(pointer) + by_address);
}

// In the GLSL450 model the decorations say what in the Vulkan model the instruction does.
MemoryOperands operands_of_access(const Dispatch& dispatch, const Command& command, const AccessInfo& info,
                                  const Object& object) {
  MemoryOperands out = info.operands;
  if (!dispatch.code().glsl450) return out;
  if (!info.coherent && !object.coherent && object.storage != StorageClass::Workgroup) return out;
  return out | MemoryOperands::NonPrivatePointer |
         (command.act == Act::Store ? MemoryOperands::MakePointerAvailable : MemoryOperands::MakePointerVisible);
}

LaterAccesses::LaterAccesses(const Dispatch& dispatch, std::uint32_t agent, const std::vector<Reach>& reaches,
                             const std::vector<std::uint32_t>& choices)
    : dispatch_(dispatch), code_(dispatch.code()), agent_(agent), reaches_(reaches), choices_(choices) {
  for (std::size_t at = 0; at < reaches.size(); ++at) {
    const Command& command = code_.commands[at];
    if (command.act == Act::Exchange && reaches[at].reached) known_ = false;
    if (accesses_memory(dispatch, command, reaches[at]) && reaches[at].pointers.any) known_ = false;
  }
}

// An inner loop begins anew when an outer one does.
bool LaterAccesses::may_begin_anew(std::uint32_t loop, const std::vector<std::uint32_t>& spent) const {
  for (std::optional<std::uint32_t> at = loop; at; at = code_.loops[*at].parent)
    if (!std::binary_search(spent.begin(), spent.end(), *at)) return true;
  return false;
}

void LaterAccesses::add(std::uint32_t at, explore::Later& later) const {
  const Command& command = code_.commands[at];
  const auto note = [&later](const explore::LaterAccess& access) {
    if (std::find(later.accesses.begin(), later.accesses.end(), access) == later.accesses.end())
      later.accesses.push_back(access);
  };
  later.arrives = later.arrives || command.act == Act::Barrier || command.act == Act::Exchange;
  if (command.act == Act::Branch && choices_[at] != 0) {
    explore::LaterAccess choice;
    choice.locations = choice_location(dispatch_, agent_, choices_[at] - 1);
    choice.reference = static_cast<ReferenceId>(choice.locations.allocation);
    choice.non_private = true;
    note(choice);
  }
  if (!accesses_memory(dispatch_, command, reaches_[at])) return;
  const AccessInfo& info = code_.accesses[command.detail];
  for (const std::uint64_t pointer : reaches_[at].pointers.values) {
    if (!names_memory(dispatch_, pointer)) continue;
    const Object& object = dispatch_.objects()[object_of(pointer)];
    if (object.constant || offset_of(pointer) + info.type.bytes() > object.size) continue;
    explore::LaterAccess access;
    access.locations = locations_at(pointer, info.type.bytes());
    access.reference = reference_of(dispatch_, pointer, info);
    access.writes = writes(command, info);
    access.non_private =
        command.act == Act::Atomic || non_private(operands_of_access(dispatch_, command, info, object));
    note(access);
  }
}

const explore::Later& LaterAccesses::from(std::uint32_t at, const std::vector<std::uint32_t>& spent) {
  const auto [entry, fresh] = later_.try_emplace({at, spent});
  if (!fresh) return entry->second;
  std::vector<bool> seen(code_.commands.size(), false);
  std::vector<std::uint32_t> work{at};
  while (!work.empty()) {
    const std::uint32_t next = work.back();
    work.pop_back();
    if (next >= code_.commands.size() || seen[next] || !reaches_[next].reached) continue;
    seen[next] = true;
    add(next, entry->second);
    const Command& command = code_.commands[next];
    switch (command.act) {
      case Act::Jump:
        work.push_back(command.target);
        break;
      case Act::Branch:
        if (reaches_[next].takes) work.push_back(command.target);
        if (reaches_[next].passes) work.push_back(command.otherwise);
        break;
      case Act::RepeatLoop:
        if (may_begin_anew(command.detail, spent)) work.push_back(next + 1);
        break;
      case Act::Finish:
      case Act::Fault:
        break;
      default:
        work.push_back(next + 1);
    }
  }
  return entry->second;
}

}  // namespace heddle::spirv
