#pragma once

/// \file
/// Finds data races on memory that host threads and kernels share: of each byte it keeps the accesses that a later one
/// may not be ordered behind.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/mu/execution.h"
#include "emulator/mu/machine/clock.h"

namespace heddle::mu::host {

/// Stands for no dispatch: the access is a host thread's.
inline constexpr std::uint32_t kNoDispatch = kNone;

/// An access of mapped memory by a host thread, or by an invocation of a dispatch.
struct MappedAccess {
  /// Whose clock it has: a host thread, or the thread that stands for the dispatch.
  ThreadIndex thread = 0;
  machine::ClockValue number = 0;
  /// A number that the caller keeps.
  std::uint32_t place = 0;
  std::uint32_t dispatch = kNoDispatch;
  /// The number of the invocation in the dispatch.
  std::uint32_t invocation = 0;
  bool writes = false;
  bool atomic = false;
  /// Whether it is an atomic whose scope has all invocations of the device in it.
  bool wide = false;
  /// An atomic begins so many bytes in front of the one that is asked about, and is so long.
  std::uint8_t begins_before = 0;
  std::uint8_t size_bytes = 0;
};

struct MappedRace {
  std::uint32_t object = 0;
  std::uint64_t offset_bytes = 0;
  MappedAccess first;
  MappedAccess second;
};

class MappedRaces {
 public:
  /// One more object, of so many bytes. Returns its number, from 0.
  std::uint32_t add(std::uint64_t size_bytes);
  /// `clock` is what happens before the access. Accesses of one dispatch are not compared with each other.
  void access(std::uint32_t object, std::uint64_t offset_bytes, std::uint32_t size_bytes, MappedAccess access,
              const machine::ClockValue* clock);
  /// The first race of each object and pair of places.
  const std::vector<MappedRace>& found() const { return found_; }

 private:
  using Cell = std::vector<MappedAccess>;
  static constexpr std::size_t kCellsOfPage = 256;
  using Page = std::array<Cell, kCellsOfPage>;
  struct Object {
    std::vector<std::unique_ptr<Page>> pages;
  };
  void find(const MappedRace& race);

  std::vector<Object> objects_;
  std::vector<MappedRace> found_;
};

}  // namespace heddle::mu::host
