#pragma once

/// \file
/// Location-ordered between two accesses of a kernel, by the specification's rules: the slow answer,
/// asked for where no fast one holds.

#include <functional>
#include <span>
#include <vector>

#include "emulator/race/order.h"
#include "emulator/race/site.h"
#include "emulator/race/tag_lanes.h"

namespace heddle::race {

enum class MissingStep : std::uint8_t;

/// An access to a few bytes.
struct KernelAccess {
  std::uint32_t agent = 0;
  Stamp stamp = 0;
  std::uint64_t number = 0;
  const Site* site = nullptr;
  /// The number that its allocation gives to its reference.
  std::uint8_t reference = 0;
  Locations bytes;
  /// What its agent knew; null if that is forgotten.
  const View* view = nullptr;
  /// What its write knew, where that is more: what is before the release that it is.
  const View* view_of_write = nullptr;
  /// Where clocks tell lanes apart (tag_lanes.h).
  std::uint8_t lane = 0;
};

class KernelLocationOrder {
 public:
  /// Answers rest on what the order knows, which outlives them.
  template <typename Views>
  explicit KernelLocationOrder(const Order<Views>& order)
      : places_(order.places()),
        chains_(order.chains()),
        log_(order.log()),
        left_([&order](std::uint32_t agent) -> const Left& { return order.left(agent); }),
        out_of_scope_([&order](std::uint32_t agent) -> const Clock& { return order.out_of_scope(agent); }),
        lanes_(order.lanes()) {}

  /// Whether `x` is location-ordered before `y`, the access that is being told, at all bytes that both
  /// have. `others` are accesses that overlap these, in the order in which they were told, with `x` among
  /// them and without `y`.
  //= vk:memory-model-location-ordered
  bool ordered(const KernelAccess& x, const KernelAccess& y, std::span<const KernelAccess> others);

  /// The step that is missing between two non-private accesses of two agents through one reference that are not
  /// ordered.
  MissingStep missing(const KernelAccess& x, const KernelAccess& y, std::span<const KernelAccess> others);

  //= vk:memory-model-happens-before
  bool happens_before(const Point& a, const Point& b) const;

 private:
  /// An access whose own operation is an element of chains about a byte: where it makes the write available, or where
  /// the write is visible through it. The write itself is the first one, available to its agent.
  struct Element {
    Point at;
    Level own = kOwn;
    Levels levels = 0;
  };
  /// A write, and the access before which it may be available and visible.
  struct Question {
    const KernelAccess& x;
    const KernelAccess& y;
    Locations byte;
    std::uint8_t written = 0;
    std::uint8_t read = 0;
  };

  bool ordered_at(const KernelAccess& x, const KernelAccess& y, const Locations& byte,
                  std::span<const KernelAccess> others);
  bool through_common_domain(const Question& question, bool to_read, std::span<const KernelAccess> others);
  bool through_device_or_host(const KernelAccess& x, const KernelAccess& y, bool to_read) const;
  bool system_synchronizes_before(const KernelAccess& x, const KernelAccess& y) const;

  static Point point(const KernelAccess& access, bool write_half);
  void begin(const Question& question);
  void collect(const Question& question, std::span<const KernelAccess> others);
  void follow_availability(const Question& question);
  void follow_visibility(const Question& question);
  bool reaches_at_once(const Question& question, bool to_read) const;
  bool reaches(const Question& question, bool to_read);
  Levels available_before(const Question& question, const Point& at);
  Levels present_before(const Question& question, const Point& at);
  template <typename F>
  void for_each_fact(const Point& at, F&& f);
  bool has(const Fact& fact, const Element& element, const Point& at) const;
  bool may_be_visible(const Question& question) const;

  /// The number of an agent's lane in clocks.
  GroupId group(std::uint32_t agent, std::uint8_t lane) const {
    const GroupId group = places_.group(agent);
    return lanes_ ? TagLanes::group(group, lane) : group;
  }
  GroupId group(const Point& at) const { return group(at.agent, at.lane); }
  bool program_order_counts(const Point& a, const Point& b) const;

  const Places& places_;
  const ChainClocks& chains_;
  const SyncLog& log_;
  std::function<const Left&(std::uint32_t agent)> left_;
  std::function<const Clock&(std::uint32_t agent)> out_of_scope_;
  /// Null where clocks tell no lanes apart.
  const TagLanes* lanes_;
  // What was found so far in the question that is being answered.
  std::vector<Element> available_;
  std::vector<Element> visible_;
};

}  // namespace heddle::race
