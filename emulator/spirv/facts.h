#pragma once

/// \file
/// What the explorer wants to know of an invocation: what it may still access, what becomes of the values that it
/// reads, and which of its slots matter when a loop begins anew.

#include <heddle/operation.h>

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "emulator/explore/program.h"
#include "emulator/spirv/flow.h"

namespace heddle::spirv {

/// The allocation whose bytes decide what tokens do: it lies behind those of the objects.
AllocationId choice_allocation(const Dispatch& dispatch);
/// The bytes that decide what invocation `agent` does at its token branch number `which`.
Locations choice_location(const Dispatch& dispatch, std::uint32_t agent, std::uint32_t which);
/// So many branches of one invocation may depend on a token.
inline constexpr std::uint32_t kMostChoices = 64;

/// The bytes that a pointer names.
Locations locations_at(std::uint64_t pointer, std::uint32_t bytes);

/// For each loop the slots whose values matter at its header.
std::vector<std::vector<Slot>> live_at_headers(const Code& code, const std::vector<Reach>& reaches);

/// For each of these commands the slots whose values matter before it; nothing for the others.
std::vector<std::vector<Slot>> live_before(const Code& code, const std::vector<Reach>& reaches,
                                           const std::set<std::uint32_t>& commands);

/// For each command that reads what becomes of the value. `decides`, `shown`: whether a byte of an object may be read
/// by anybody or is in the filter, and whether the condition names it.
struct Watched {
  std::vector<std::vector<bool>> decides;
  std::vector<std::vector<bool>> shown;
};
std::vector<explore::ValueUse> value_uses(const Dispatch& dispatch, const std::vector<Reach>& reaches,
                                          const Watched& watched);

/// What holds, for each invocation and command, of all accesses to the bytes that the command accesses.
struct MutualOrder {
  /// All are atomics that are mutually ordered.
  std::vector<std::vector<bool>> ordered;
  /// All are such atomics, and none of them reads.
  std::vector<std::vector<bool>> unread;
};
MutualOrder mutual_order(const Dispatch& dispatch, const std::vector<std::vector<Reach>>& flows);

/// What an invocation may still do, for each command where it may stand.
class LaterAccesses {
 public:
  /// All must outlive it.
  LaterAccesses(const Dispatch& dispatch, std::uint32_t agent, const std::vector<Reach>& reaches,
                const std::vector<std::uint32_t>& choices);

  /// Whether all that the invocation may access is known.
  bool is_known() const { return known_; }
  /// From a command on, when these loops, ascending, may not begin anew.
  const explore::Later& from(std::uint32_t at, const std::vector<std::uint32_t>& spent);

 private:
  bool may_begin_anew(std::uint32_t loop, const std::vector<std::uint32_t>& spent) const;
  void add(std::uint32_t at, explore::Later& later) const;

  const Dispatch& dispatch_;
  const Code& code_;
  std::uint32_t agent_;
  const std::vector<Reach>& reaches_;
  const std::vector<std::uint32_t>& choices_;
  bool known_ = true;
  std::map<std::pair<std::uint32_t, std::vector<std::uint32_t>>, explore::Later> later_;
};

/// Whether a command may access memory (and not only slots or data that nobody writes).
bool accesses_memory(const Dispatch& dispatch, const Command& command, const Reach& reach);
/// The reference of what a pointer names.
ReferenceId reference_of(const Dispatch& dispatch, std::uint64_t pointer, const AccessInfo& info);
/// Whether an access reads, or writes.
bool reads(const Command& command, const AccessInfo& info);
bool writes(const Command& command, const AccessInfo& info);
/// The memory operands of a plain access to an object.
MemoryOperands operands_of_access(const Dispatch& dispatch, const Command& command, const AccessInfo& info,
                                  const Object& object);

}  // namespace heddle::spirv
