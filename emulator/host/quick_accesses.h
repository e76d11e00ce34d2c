#pragma once

/// \file
/// What the quick ways of memories that somebody listens to have in common.

#include <heddle/detail/emulation.h>

#include <cstring>

#include "emulator/advice/neighbourhood.h"
#include "emulator/memory/memory.h"
#include "emulator/race/kernel_detector.h"

namespace heddle::detail {

/// Of an access with a record or without.
template <typename A>
[[gnu::always_inline]] inline Locations locations(const A& access) {
  return {access.binding->allocation->id, access.binding->offset_bytes + access.offset_bytes,
          access.size_bytes};
}

/// Accesses that a detector is told of without a record.
class DetectedAccesses : public emulation::QuickAccesses {
 protected:
  static_assert(kMostBytes == race::kGranuleBytes);
  using Binding = emulation::Binding;
  using SiteNumber = emulation::SiteNumber;

  /// Which must outlive it.
  explicit DetectedAccesses(race::KernelDetector& detector) : detector_(detector) {}

  SiteNumber look_up(const emulation::Instruction& instruction) override;

  [[gnu::always_inline]] static Locations locations(const Binding& binding, std::uint64_t offset_bytes,
                                                    std::uint32_t size_bytes = kMostBytes) {
    return {binding.allocation->id, binding.offset_bytes + offset_bytes, size_bytes};
  }
  /// Where the bytes are.
  [[gnu::always_inline]] static std::byte* storage(const Binding& binding, const Locations& bytes) {
    return binding.allocation->bytes + bytes.offset_bytes;
  }
  /// The operation of an instruction with that number.
  Operation record(AgentId agent, const Binding& binding, const Locations& bytes, race::SiteId site) const;

  race::KernelDetector& detector_;
};

/// The bytes of a granule before and after an update; false if there is none.
inline bool update_granule(const std::byte* bytes, emulation::Modify modify, void* context,
                           advice::AccessValues& values) {
  std::uint32_t old = 0;
  std::uint32_t fresh = 0;
  std::memcpy(&old, bytes, race::kGranuleBytes);
  if (!modify(context, &old, &fresh)) return false;
  values = {old, fresh};
  return true;
}

}  // namespace heddle::detail
