#pragma once

/// \file
/// Location-ordered between two accesses of a kernel, by the specification's rules: the slow answer,
/// asked for where no fast one holds.

#include <span>
#include <vector>

#include "emulator/race/kernel_order.h"
#include "emulator/race/site.h"

namespace heddle::race {

/// An access to a few bytes.
struct KernelAccess {
  std::uint32_t agent = 0;
  Stamp stamp = 0;
  std::uint64_t number = 0;
  const Site* site = nullptr;
  ReferenceId reference{};
  Locations bytes;
  /// What its agent knew; null if that is forgotten.
  const View* view = nullptr;
};

class KernelLocationOrder {
 public:
  KernelLocationOrder(const KernelOrder& order, bool chains) : order_(order), chains_(chains) {}

  /// Whether `x` is location-ordered before `y`, the access that is being told, at all bytes that both
  /// have. `others` are accesses that overlap these, in the order in which they were told, with `x` among
  /// them and without `y`.
  //= vk:memory-model-location-ordered
  bool ordered(const KernelAccess& x, const KernelAccess& y, std::span<const KernelAccess> others);

  /// Of two that are not ordered, the first link that is missing.
  enum class Missing : std::uint8_t { HappensBefore, Availability, WiderAvailability, Visibility };
  Missing missing(const KernelAccess& x, const KernelAccess& y, std::span<const KernelAccess> others);

  //= vk:memory-model-happens-before
  bool happens_before(const Point& a, const Point& b) const;

 private:
  /// An availability or visibility operation.
  struct Link {
    Point at;
    Classes storage = 0;
    Classes mask = 0;
    Level own = kOwn;
    Level bulk = kOwn;
    ReferenceId reference{};
    /// It is an access to all of the byte.
    bool covers = false;
  };
  using Levels = std::uint8_t;

  bool ordered_at(const KernelAccess& x, const KernelAccess& y, const Locations& byte,
                  std::span<const KernelAccess> others);
  bool through_common_domain(const KernelAccess& x, const KernelAccess& y, bool to_read,
                             const Locations& byte, std::span<const KernelAccess> others);
  bool through_device_or_host(const KernelAccess& x, const KernelAccess& y, bool to_read) const;
  bool system_synchronizes_before(const KernelAccess& x, const KernelAccess& y) const;

  Point point(const KernelAccess& access, bool write_half) const;
  Link link_of(const KernelAccess& access, const Locations& byte, bool write_half) const;
  Link link_of(const SyncEvent& event, std::uint32_t agent, const Locations& byte,
               bool availability) const;
  void collect(const KernelAccess& x, const KernelAccess& y, const Locations& byte,
               std::span<const KernelAccess> others);
  void collect_group(GroupId group, bool wide_only, const KernelAccess& x, const KernelAccess& y,
                     const Locations& byte, std::span<const KernelAccess> others);
  static Level includes_access(const Link& op, Classes storage, ReferenceId reference, bool accesses);
  static Level includes_link(const Link& op, const Link& beside);
  void begin_availability(const Link& write, const KernelAccess& x);
  void begin_visibility(const Link& read, const KernelAccess& y);
  void begin_chains(const KernelAccess& x, const KernelAccess& y, bool to_read, const Locations& byte,
                    std::span<const KernelAccess> others);
  bool chains_meet(const KernelAccess& x, const KernelAccess& y, bool to_read) const;
  void follow_availability();
  void follow_visibility();

  const KernelOrder& order_;
  bool chains_;
  // Of the question that is being answered.
  std::vector<Link> availability_;
  std::vector<Link> visibility_;
  std::vector<Levels> available_;
  std::vector<Levels> visible_;
};

}  // namespace heddle::race
