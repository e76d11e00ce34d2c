#pragma once

/// \file
/// Finds data races on memory that host threads and kernels share: of each byte it keeps the accesses that a later one
/// may not be ordered behind.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
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
  /// Whether it is an atomic that reads, and whether it acquires what it reads.
  bool reads = false;
  bool acquires = false;
  /// Whether it is an atomic that writes and that releases, itself or by something before it in its dispatch.
  bool releases = false;
  /// The access begins so many bytes in front of the byte that is asked about, and has so many bytes.
  std::uint32_t begins_before = 0;
  std::uint32_t size_bytes = 0;
};

struct MappedRace {
  std::uint32_t object = 0;
  /// The bytes that both access.
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  MappedAccess first;
  MappedAccess second;
};

/// Finds the accesses that race, among those that no clock orders. Two kernels that are under way together may order
/// theirs by atomics, which clocks of host threads do not have. So it notes which kernel read what which other one
/// released, and does not judge pairs that may be ordered so.
class MappedRaces {
 public:
  /// One more object, of so many bytes. Returns its number, from 0.
  std::uint32_t add(std::uint64_t size_bytes);
  /// A dispatch runs, as operation `number` of its thread, behind what `clock` has; no other one does meanwhile.
  void kernel_runs(std::uint32_t dispatch, ThreadIndex thread, machine::ClockValue number,
                   std::span<const machine::ClockValue> clock);
  /// A barrier of the dispatch that runs.
  void fence(bool acquires, bool releases);
  /// `clock` is what happens before the access. Accesses of one dispatch are not compared with each other.
  void access(std::uint32_t object, std::uint64_t offset_bytes, std::uint32_t size_bytes, MappedAccess access,
              const machine::ClockValue* clock);
  /// The first race of each object and pair of places.
  const std::vector<MappedRace>& found() const { return found_; }
  /// The first pair of each object and pair of places that may be a race, or ordered by atomics of kernels.
  const std::vector<MappedRace>& not_judged() const { return not_judged_; }

 private:
  using Cell = std::vector<MappedAccess>;
  static constexpr std::size_t kCellsOfPage = 256;
  using Page = std::array<Cell, kCellsOfPage>;
  struct Object {
    std::vector<std::unique_ptr<Page>> pages;
  };
  struct Kernel {
    ThreadIndex thread = 0;
    machine::ClockValue number = 0;
    std::vector<machine::ClockValue> clock;
    bool released = false;
    /// Dispatches whose releases it has acquired, and others that it will have at its next acquire.
    std::vector<std::uint32_t> acquired;
    std::vector<std::uint32_t> read;
  };
  void take_up(const Cell& cell, const MappedAccess& read);
  bool may_be_ordered(const MappedAccess& earlier, const MappedAccess& later, const machine::ClockValue* clock) const;
  void find(const MappedRace& race, const machine::ClockValue* clock);

  std::vector<Object> objects_;
  /// By dispatch; of those that have not run without a clock.
  std::vector<Kernel> kernels_;
  std::uint32_t running_ = kNoDispatch;
  std::vector<MappedRace> found_;
  std::vector<MappedRace> not_judged_;
};

}  // namespace heddle::mu::host
