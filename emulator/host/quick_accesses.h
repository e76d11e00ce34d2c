#pragma once

/// \file
/// What the quick ways of memories that somebody listens to have in common.

#include <heddle/detail/emulation.h>

#include <array>
#include <cstring>

#include "emulator/advice/neighbourhood.h"
#include "emulator/host/checks.h"
#include "emulator/memory/memory.h"
#include "emulator/race/kernel_detector.h"

namespace heddle::detail {

/// Of an access with a record or without.
template <typename A>
[[gnu::always_inline]] inline Locations locations(const A& access) {
  return {access.binding->allocation->id, access.binding->offset_bytes + access.offset_bytes,
          access.size_bytes};
}

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

/// Reads a value from the storage, or writes it there, and says what was read and written.
template <bool writes>
[[gnu::always_inline]] inline advice::AccessValues move_value(std::byte* storage, void* value,
                                                              std::uint32_t size_bytes) {
  const trace::Value moved = memory::load_value(writes ? value : storage, size_bytes);
  memory::store_value(writes ? storage : value, moved, size_bytes);
  return writes ? advice::AccessValues{0, moved} : advice::AccessValues{moved, 0};
}

/// Whether nothing is wrong with an update, and its bytes are a granule.
inline bool is_granule_to_update(const emulation::Access& access) {
  return access.size_bytes == race::kGranuleBytes && emulation::is_sound(access) &&
         !emulation::misses_initialization(access, nullptr);
}

inline race::SiteId site_of(const emulation::Access& access, Scope scope, MemorySemantics semantics,
                            race::KernelDetector& detector) {
  return detector.site_of(race::site_key(OperationKind::ReadModifyWrite, access.binding->storage_class,
                                         access.size_bytes, access.operands, access.available_scope,
                                         access.visible_scope, access.where, true, semantics, scope));
}

/// The sites of instructions that come again and again.
class PlainSites {
 public:
  /// kNoSite if the detector was not told of the instruction yet.
  [[gnu::always_inline]] race::SiteId of(const emulation::PlainAccess& access, OperationKind kind,
                                         race::KernelDetector& detector) {
    Known& known = known_[(access.where.line * 2 + static_cast<std::uint32_t>(kind)) % kKnown];
    if (known.line == access.where.line && known.file == access.where.file &&
        known.qualifiers == access.qualifiers &&
        known.storage_class == access.binding->storage_class && known.kind == kind &&
        known.size_bytes == access.size_bytes && known.function == access.where.function) [[likely]]
      return known.site;
    return look_up(known, access, kind, detector);
  }

 private:
  struct Known {
    std::uint32_t line = 0;
    Qualifiers qualifiers;
    const char* file = nullptr;
    const char* function = nullptr;
    StorageClass storage_class{};
    std::uint32_t size_bytes = 0;
    OperationKind kind{};
    race::SiteId site = race::kNoSite;
  };
  static race::SiteId look_up(Known& known, const emulation::PlainAccess& access, OperationKind kind,
                              race::KernelDetector& detector);

  static constexpr std::uint32_t kKnown = 64;
  std::array<Known, kKnown> known_;
};

}  // namespace heddle::detail
