#pragma once

#include <heddle/detail/emulation.h>

#include <array>

#include "emulator/race/kernel_detector.h"

namespace heddle::detail {

/// Plain accesses of 1, 2, 4 or 8 bytes of which a race detector knows at once that they race with nobody: done
/// without a record of the operation, which costs more than all the rest.
class QuickAccesses {
 public:
  virtual ~QuickAccesses() = default;
  /// False, and nothing happened, if there is more to it, or something is wrong with it.
  virtual bool read(AgentId agent, const emulation::PlainAccess& access,
                    const unsigned char* value_bytes, void* value) = 0;
  virtual bool write(AgentId agent, const emulation::PlainAccess& access, const void* value) = 0;
};

inline std::uint64_t offset_bytes(const emulation::PlainAccess& access) {
  return access.binding->offset_bytes + access.offset_bytes;
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
