#pragma once

/// \file
/// What the kernel detector keeps of one word, packed: seven forms in twenty bytes.

#include <array>
#include <cstdint>

#include "emulator/race/site.h"
#include "emulator/race/site_relation.h"
#include "emulator/race/view.h"

namespace heddle::race {

/// A word is so many bytes of an allocation, from a multiple of that on.
inline constexpr std::uint32_t kWordBytes = 4;
/// The last stamp that a cell can have.
inline constexpr Stamp kMostStamps = 0xffffff;
/// References beyond these count as one.
inline constexpr std::uint8_t kMostReferences = 0x7f;

/// The stamp of an access, at most kMostStamps, and the number that its allocation gives to its reference.
class AccessTime {
 public:
  AccessTime() = default;
  static AccessTime of(Stamp stamp, std::uint8_t reference) { return AccessTime(stamp << kStampShift | reference); }
  /// The first time after all accesses with this stamp.
  static AccessTime after(Stamp stamp) { return AccessTime((stamp + 1) << kStampShift); }

  Stamp stamp() const { return bits_ >> kStampShift; }
  std::uint8_t reference() const { return static_cast<std::uint8_t>(bits_ & kMostReferences); }
  friend bool operator==(AccessTime, AccessTime) = default;

 private:
  friend class Cell;
  explicit AccessTime(std::uint32_t bits) : bits_(bits) {}
  static constexpr int kStampShift = 8;
  std::uint32_t bits_ = 0;
};

/// An access to a whole word as cells have it.
struct CellAccess {
  std::uint32_t agent = 0;
  AccessTime time;
  SiteId site = kNoSite;
};

/// What is known of one word. A cell of zeros is one that no agent has accessed.
class Cell {
 public:
  enum class Form : std::uint8_t {
    Empty,
    /// One or two accesses to the whole word, in the order in which they were told.
    Accesses,
    /// An access, and two reads of one instruction that follow it by a barrier of their workgroup.
    TwoReads,
    /// Accesses of one instruction to parts of the word by agents with consecutive numbers, at one time.
    Parts,
    /// Up to five atomics of one instruction to the whole word, of agents of one workgroup at one time.
    Few,
    /// The number of a Crowd.
    Crowd,
    /// The number of a RecordList.
    List,
  };
  /// How many atomics the form Few has room for.
  static constexpr std::uint32_t kMostFew = 5;

  Cell() = default;
  static Cell list(std::uint32_t number) { return numbered(number, kList); }
  static Cell crowd(std::uint32_t number) { return numbered(number, kCrowd); }
  static Cell accesses(const CellAccess& only) {
    Cell cell;
    cell.put(0, only);
    return cell;
  }
  static Cell few(const CellAccess& first) {
    Cell cell;
    cell.agents_[0] = first.agent;
    cell.times_[0] = first.time.bits_;
    cell.sites_ = {kFew, first.site};
    return cell;
  }

  Form form() const {
    switch (sites_[0]) {
      case kNoSite:
        return Form::Empty;
      case kList:
        return Form::List;
      case kCrowd:
        return Form::Crowd;
      case kFew:
        return Form::Few;
      default:
        return sites_[1] < kTwoReads ? Form::Accesses : sites_[1] == kParts ? Form::Parts : Form::TwoReads;
    }
  }
  [[gnu::always_inline]] bool is(Form form) const {
    switch (form) {
      case Form::List:
        return sites_[0] == kList;
      case Form::Crowd:
        return sites_[0] == kCrowd;
      case Form::Few:
        return sites_[0] == kFew;
      default:
        return this->form() == form;
    }
  }
  bool is_empty() const { return sites_[0] == kNoSite; }
  /// Whether it has the number of something that is not in it: a Crowd or a RecordList.
  bool is_numbered() const { return sites_[0] >= kCrowd; }
  /// Whether it has at most two accesses, of instructions below SiteRelations::kMost.
  [[gnu::always_inline]] bool is_simple() const { return (sites_[0] | sites_[1]) < SiteRelations::kMost; }

  // What Accesses have, and TwoReads in slot 0.
  bool has_second() const { return sites_[1] != kNoSite; }
  std::uint32_t agent(std::size_t slot) const { return agents_[slot]; }
  AccessTime time(std::size_t slot) const { return AccessTime(times_[slot] & ~kLossyBit); }
  SiteId site(std::size_t slot) const { return sites_[slot]; }
  [[gnu::always_inline]] bool is_before(std::size_t slot, AccessTime end) const { return times_[slot] < end.bits_; }
  [[gnu::always_inline]] bool has_reference(std::size_t slot, std::uint8_t number) const {
    return ((times_[slot] ^ number) & kMostReferences) == 0;
  }
  /// Whether accesses between the first and the others were forgotten that may have been links of chains.
  bool is_lossy() const { return (times_[0] & kLossyBit) != 0; }
  void lose_links() { times_[0] |= kLossyBit; }
  /// The slot has this access; which links were forgotten stays.
  [[gnu::always_inline]] void put(std::size_t slot, const CellAccess& access) {
    agents_[slot] = access.agent;
    times_[slot] = access.time.bits_ | (times_[slot] & kLossyBit);
    sites_[slot] = access.site;
  }
  /// From now on this access is all that the cell has.
  [[gnu::always_inline]] void put_alone(const CellAccess& access) {
    agents_[0] = access.agent;
    times_[0] = access.time.bits_;
    sites_ = {access.site, kNoSite};
  }
  /// Its first access goes, and this one comes behind the second.
  [[gnu::always_inline]] void put_last(const CellAccess& access) {
    agents_ = {agents_[1], access.agent};
    times_ = {times_[1], access.time.bits_};
    sites_ = {sites_[1], access.site};
  }

  /// Whether two others have read the word with the same instruction at the same time as this read, and each `is_near`.
  template <typename IsNear>
  [[gnu::always_inline]] bool reads_alike(const CellAccess& read, IsNear is_near) const {
    return sites_[0] == read.site && sites_[1] == read.site && time(0) == read.time && time(1) == read.time &&
           agents_[0] != read.agent && agents_[1] != read.agent && is_near(agents_[0]) && is_near(agents_[1]);
  }

  // TwoReads. `agent`, `time` and `site` of slot 0 are the access before them.
  /// The second of two Accesses and one by `reader`, alike but for the agent, become two reads. False, and nothing
  /// happened, where one of the agents is too far from the first one or the site is none of the first.
  bool make_two_reads(std::uint32_t reader) {
    if (sites_[1] >= SiteRelations::kMost || !is_close(agents_[1]) || !is_close(reader)) return false;
    agents_[1] = distance(agents_[1]) | std::uint32_t{distance(reader)} << 16;
    sites_[1] = static_cast<SiteId>(kTwoReads + sites_[1]);
    return true;
  }
  SiteId site_of_reads() const { return static_cast<SiteId>(sites_[1] - kTwoReads); }
  AccessTime time_of_reads() const { return time(1); }
  std::uint32_t reader(std::size_t number) const { return at_distance(agents_[1] >> (16 * number)); }

  // Parts. `time` and `site` of slot 0 are those of all.
  /// The access of `agent` to this part joins those that are there, or begins where there are none. False, and nothing
  /// happened, if it does not fit.
  [[gnu::always_inline]] bool join_part(const CellAccess& access, std::uint32_t part) {
    const std::uint32_t first_agent = access.agent - part;
    if (sites_[0] == kNoSite) {
      agents_[0] = first_agent;
      times_[0] = access.time.bits_;
      sites_ = {access.site, kParts};
    } else if (sites_[1] != kParts || agents_[0] != first_agent || times_[0] != access.time.bits_ ||
               sites_[0] != access.site) {
      return false;
    }
    agents_[1] |= 1u << part;
    return true;
  }
  bool has_part(std::uint32_t part) const { return ((agents_[1] >> part) & 1) != 0; }
  std::uint32_t agent_of_part(std::uint32_t part) const { return agents_[0] + part; }

  // Few. `agent` and `time` of slot 0 are the first one's.
  SiteId site_of_few() const { return sites_[1]; }
  /// The atomic of one more agent of the workgroup. False, and nothing happened, if it does not fit.
  [[gnu::always_inline]] bool join_few(const CellAccess& access) {
    if (sites_[1] != access.site || times_[0] != access.time.bits_ || !is_close(access.agent)) return false;
    const std::uint16_t packed = distance(access.agent);
    if (packed == 0) return true;
    const std::uint64_t others = others_of_few();
    for (std::uint32_t at = 0; at < 64; at += 16) {
      const auto other = static_cast<std::uint16_t>(others >> at);
      if (other == packed) return true;
      if (other != 0) continue;
      const std::uint64_t more = others | std::uint64_t{packed} << at;
      agents_[1] = static_cast<std::uint32_t>(more);
      times_[1] = static_cast<std::uint32_t>(more >> 32);
      return true;
    }
    return false;
  }
  /// Calls f with each of its agents, in the order in which they came.
  template <typename F>
  void for_each_of_few(F&& f) const {
    f(agents_[0]);
    for (std::uint64_t rest = others_of_few(); rest != 0; rest >>= 16)
      f(at_distance(static_cast<std::uint32_t>(rest & 0xffff)));
  }

  // Crowd and List.
  std::uint32_t number() const { return agents_[0]; }
  /// A Crowd of several workgroups in the scope of a device, to whole words, is open: all agents of the device may join
  /// it by this instruction through this reference.
  void open_to_all(SiteId site, std::uint8_t reference) {
    sites_[1] = site;
    times_[0] = reference + 1u;
  }
  [[gnu::always_inline]] bool is_open_to_all(SiteId site, std::uint8_t reference) const {
    return sites_[1] == site && times_[0] == reference + 1u;
  }

 private:
  // Numbers that are no sites tell the forms apart. The first four stand in place of the first site, or of the second
  // (kParts); the 64 from kTwoReads on in place of the second, each for a site.
  static constexpr SiteId kList = 0xffff;
  static constexpr SiteId kCrowd = 0xfffe;
  static constexpr SiteId kParts = 0xfffd;
  static constexpr SiteId kFew = 0xfffc;
  static constexpr SiteId kTwoReads = kTooMany;
  static_assert(kTwoReads + SiteRelations::kMost <= kFew);
  static_assert(kList > kCrowd && kCrowd > kParts);
  /// Between the stamp and the reference.
  static constexpr std::uint32_t kLossyBit = 0x80;

  static Cell numbered(std::uint32_t number, SiteId kind) {
    Cell cell;
    cell.agents_[0] = number;
    cell.sites_[0] = kind;
    return cell;
  }
  /// Agents are kept as distances from the first one, of 16 bits.
  [[gnu::always_inline]] std::uint16_t distance(std::uint32_t agent) const {
    return static_cast<std::uint16_t>(agent - agents_[0]);
  }
  [[gnu::always_inline]] bool is_close(std::uint32_t agent) const { return at_distance(distance(agent)) == agent; }
  [[gnu::always_inline]] std::uint32_t at_distance(std::uint32_t distance) const {
    return agents_[0] + static_cast<std::uint32_t>(static_cast<std::int16_t>(distance));
  }
  /// How far those after the first are from it, from the lowest bits on; 0 where there is none.
  std::uint64_t others_of_few() const { return agents_[1] | std::uint64_t{times_[1]} << 32; }

  std::array<std::uint32_t, 2> agents_{};
  std::array<std::uint32_t, 2> times_{};
  std::array<SiteId, 2> sites_{};
};
static_assert(sizeof(Cell) == 5 * kWordBytes);

}  // namespace heddle::race
