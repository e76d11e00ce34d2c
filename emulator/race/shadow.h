#pragma once

/// \file
/// What is remembered of the accesses to each byte.

#include <heddle/operation.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "emulator/race/site.h"
#include "emulator/race/site_relation.h"
#include "emulator/race/view.h"

namespace heddle::race {

inline constexpr std::uint32_t kGranuleBytes = 4;

/// An access to bytes `first` up to `last` of a granule.
struct Record {
  std::uint32_t agent = 0;
  Stamp stamp = 0;
  std::uint64_t number = 0;
  SiteId site = kNoSite;
  /// The number that its allocation gives to its reference.
  std::uint8_t reference = 0;
  std::uint8_t first = 0;
  std::uint8_t last = kGranuleBytes;
  /// What its agent knew, if it has availability or visibility operations of its own.
  ViewPointer view;

  bool overlaps(const Record& o) const { return first < o.last && o.first < last; }
  bool inside(const Record& o) const { return o.first <= first && last <= o.last; }
};

/// Accesses to a granule in the order in which they were told.
struct RecordList {
  std::vector<Record> records;
  /// Whether some were forgotten that may have been links of chains.
  bool lossy = false;
  /// Whether there have been accesses of several storage classes: then these may have been, too.
  bool mixed = false;

  /// Becomes as new, but for the room that it has.
  void clear() {
    records.clear();
    lossy = mixed = false;
  }
};

/// Atomics of one instruction to one location, all mutually ordered.
struct Crowd {
  SiteId site = kNoSite;
  std::uint8_t reference = 0;
  std::uint8_t first = 0;
  std::uint8_t last = kGranuleBytes;
  bool one_group = true;
  /// The agent of the last one, which whoever joins asks for: where the crowd itself is at hand, its accesses are not.
  std::uint32_t last_agent = 0;
  std::vector<std::pair<std::uint32_t, Stamp>> accesses;
  /// With so many it is time to look which of them are followed by others of the same agent.
  std::size_t look_through_at = 1024;

  void add(std::uint32_t agent, Stamp stamp) {
    last_agent = agent;
    accesses.emplace_back(agent, stamp);
  }
  /// As `add`, where there is one: of the same agent it stands for both.
  void join(std::uint32_t agent, Stamp stamp) {
    if (last_agent == agent) {
      accesses.back().second = stamp;
      return;
    }
    add(agent, stamp);
    if (accesses.size() >= look_through_at) forget_followed();
  }
  /// Forgets all but so many.
  void leave_last(std::ptrdiff_t most) {
    if (std::ssize(accesses) > most) accesses.erase(accesses.begin(), accesses.end() - most);
  }
  /// Becomes as new, but for the room that it has.
  void clear() {
    accesses.clear();
    look_through_at = Crowd().look_through_at;
  }
  /// Of each agent the last access stays: all that the earlier ones say, it says. So agents that poll in
  /// turn take no more room than they are many.
  void forget_followed();
};

/// Of four bytes, two accesses to all of them; atomic ones are those of agents that knew of nobody. Or the
/// accesses of one instruction to parts of them: the agent that has or would have the first part, the next parts
/// being those of the next agents, and which parts there are. Or the number of a list, or of a crowd; if that has
/// atomics of several workgroups, to all four bytes, in the scope of a device, also its site in the second place, and
/// one more than the number of its reference as the first time. Or a crowd of up to five atomics to all of them, of
/// agents of one workgroup at one time: the first agent, how far the others are from it in the second agent and the
/// second time (16 bits each, 0 where there is none), and their site in the second place. Or a write, and two reads of
/// one instruction that followed it by a barrier of their workgroup: how far their agents are from the writer's in the
/// second place (16 bits each), their time, and kTwoReads and their site.
/// A stamp shares its word with the reference.
struct Cell {
  std::array<std::uint32_t, 2> agents{};
  std::array<std::uint32_t, 2> times{};
  std::array<SiteId, 2> sites{};
};
static_assert(sizeof(Cell) == 5 * kGranuleBytes);

inline constexpr SiteId kList = 0xffff;
inline constexpr SiteId kCrowd = 0xfffe;
inline constexpr SiteId kParts = 0xfffd;
inline constexpr SiteId kFew = 0xfffc;
/// And the 63 above it.
inline constexpr SiteId kTwoReads = kTooMany;
static_assert(kTwoReads + SiteRelations::kMost <= kFew);
/// A stamp has 24 bits of its word, the reference 7; the bit between tells whether accesses were forgotten
/// that may have been links of chains.
inline constexpr Stamp kMostStamps = 0xffffff;
inline constexpr std::uint32_t kLossy = 0x80;
/// References beyond these count as one.
inline constexpr std::uint8_t kMostReferences = 0x7f;

/// Some that have numbers, and keep them until they are given back.
template <typename One>
class Numbered {
 public:
  One& operator[](std::uint32_t number) { return all_[number]; }
  const One& operator[](std::uint32_t number) const { return all_[number]; }
  /// How many somebody has.
  std::uint32_t taken() const { return taken_; }
  /// Those that there ever were.
  const std::vector<One>& all() const { return all_; }
  std::uint32_t take() {
    if (taken_ == all_.size()) {
      order_.push_back(taken_);
      places_.push_back(taken_);
      all_.emplace_back();
    }
    return order_[taken_++];
  }
  void give_back(std::uint32_t number) {
    all_[number].clear();
    const std::uint32_t last = order_[--taken_];
    const std::uint32_t place = places_[number];
    order_[place] = last;
    places_[last] = place;
    order_[taken_] = number;
    places_[number] = taken_;
  }
  void give_all_back() {
    for (std::uint32_t i = 0; i < taken_; ++i) all_[order_[i]].clear();
    taken_ = 0;
  }

 private:
  std::vector<One> all_;
  /// The numbers, first of those that somebody has; and where each stands there.
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> places_;
  std::uint32_t taken_ = 0;
};

class Shadow {
 public:
  /// The cells of so many granules of an allocation, from a multiple of that on, stand side by side.
  static constexpr std::size_t kCellsOfPage = 256;

 private:
  // Forgetting goes through those that were asked for, in steps that whoever asks for one after the other
  // hardly notices.
  static constexpr std::size_t kCellsAtOnce = 8;
  static constexpr std::size_t kManyCellsAtOnce = 32;
  /// No reference: there are fewer.
  static constexpr auto kNobody = static_cast<ReferenceId>(~std::uint32_t{0});
  using Page = std::array<Cell, kCellsOfPage>;

 public:
  /// Those of so many do.
  explicit Shadow(std::uint64_t side_by_side = kCellsOfPage)
      : pages_at_once_((side_by_side + kCellsOfPage - 1) / kCellsOfPage) {}
  /// Of 2^every lines of 2^line granules that follow each other it has one.
  Shadow(std::uint32_t line, std::uint32_t every)
      : in_line_((std::uint64_t{1} << line) - 1), every_(every) {}

  /// What is known of one allocation.
  class Allocation {
   public:
    /// The number of a reference to it that somebody used; kMostReferences, which may be several, if nobody did.
    [[gnu::always_inline]] std::uint8_t number(ReferenceId reference) const {
      return is_first(reference) ? std::uint8_t{0} : later_number(reference);
    }
    /// Whether that is 0.
    bool is_first(ReferenceId reference) const { return reference == first_reference; }
    /// Whether somebody asked Shadow::first_time.
    bool is_known() const { return known; }
    /// It has not only been there since all was forgotten. (Whoever uses a reference for the first time says so, too.)
    void use() { used = true; }
    /// As Shadow::find, where the shadow has every line.
    [[gnu::always_inline]] Cell* find(std::uint64_t granule) const {
      if (granule >= end) [[unlikely]] return nullptr;
      Page* const page = pages[granule / kCellsOfPage];
      return page ? page->data() + granule % kCellsOfPage : nullptr;
    }
    /// Those of the granules from this one on that somebody asked for or might have, as many as stand side by side;
    /// they stay until all is forgotten.
    std::span<Cell> cells_from(std::uint64_t granule) const;

   private:
    friend class Shadow;
    [[gnu::noinline]] std::uint8_t later_number(ReferenceId reference) const {
      for (std::size_t i = 1; i < references.size() && i < kMostReferences; ++i)
        if (references[i] == reference) return static_cast<std::uint8_t>(i);
      return kMostReferences;
    }
    void forget_uses() {
      if (references.size() > 1) forget_references();
      known = used = false;
    }
    void forget_references() {
      references.clear();
      first_reference = kNobody;
    }
    std::vector<Page*> pages;
    /// Cells from here on were never asked for. A multiple of kCellsAtOnce, beyond the first few of
    /// kManyCellsAtOnce.
    std::uint64_t end = 0;
    std::vector<ReferenceId> references;
    ReferenceId first_reference = kNobody;
    bool known = false;
    bool used = false;
    /// Among those with cells that somebody asked for.
    bool touched = false;
  };
  static_assert(sizeof(Allocation) == 64);

  Allocation& allocation(AllocationId id) {
    const auto index = static_cast<std::size_t>(id);
    if (index >= allocation_count_) [[unlikely]] add_allocations(index);
    return allocations_[index];
  }
  Cell& cell(Allocation& allocation, std::uint64_t granule);
  /// The same; null where nobody asked for what is there, or for what is beside it.
  Allocation* find(AllocationId id) {
    const auto index = static_cast<std::size_t>(id);
    return index < allocation_count_ ? allocations_.data() + index : nullptr;
  }
  Cell* find(Allocation& allocation, std::uint64_t granule) const;
  static std::uint8_t reference_number(Allocation& allocation, ReferenceId reference);
  /// Whether it is the first time that somebody asks this of the allocation.
  bool first_time(AllocationId id);
  ReferenceId reference(AllocationId id, std::uint8_t number);

  RecordList& list(const Cell& cell) { return lists_[cell.agents[0]]; }
  Crowd& crowd(const Cell& cell) {
    if (joined_count_ != 0) [[unlikely]] join_now();
    return crowds_[cell.agents[0]];
  }
  /// The same, perhaps without those who joined it lately.
  const Crowd& crowd_so_far(const Cell& cell) const { return crowds_[cell.agents[0]]; }
  /// An access joins the crowd. It is noted behind those that joined others: threads that join the crowds of many
  /// cells in turns need not hand each crowd to each other.
  /// Whether there is room behind those, or it takes a while to make some.
  bool has_room_to_join() const { return joined_count_ != kMostJoined; }
  [[gnu::always_inline]] void join_later(const Cell& cell, std::uint32_t agent, Stamp stamp) {
    if (joined_count_ == kMostJoined) [[unlikely]] join_now();
    joined_[joined_count_++] = {cell.agents[0], agent, stamp};
  }
  /// Gives a cell without one an empty one.
  RecordList& make_list(Cell& cell);
  Crowd& make_crowd(Cell& cell);
  /// The cell is as nobody had accessed it.
  void drop(Cell& cell);

  /// Forgets what is known of an allocation: its bytes are new.
  void forget(AllocationId id);
  void forget_all();
  /// The same, and numbers of allocations and references start anew.
  void restart();
  std::size_t bytes() const;
  /// For how many allocations it has room, and how many it goes through to forget all.
  std::size_t remembered_allocations() const { return allocations_.size() + touched_.size(); }

 private:
  void add_allocations(std::size_t last);
  void give_pages(std::vector<Page*>& pages, std::size_t asked);
  static void clear(Page& first, std::uint64_t cells);
  void give_back_aside(const Cell& cell);
  void give_all_aside_back();
  [[gnu::noinline]] void join_now();
  std::uint64_t place_of(std::uint64_t granule) const;
  Cell& reach(Allocation& allocation, std::uint64_t place);
  static std::uint8_t add_reference(Allocation& allocation, ReferenceId reference);

  std::uint64_t in_line_ = ~std::uint64_t{0};
  std::uint32_t every_ = 0;
  std::size_t pages_at_once_ = 1;
  std::vector<Allocation> allocations_;
  std::size_t allocation_count_ = 0;
  /// Those with cells that somebody asked for since all was forgotten, each once.
  std::vector<AllocationId> touched_;
  Numbered<RecordList> lists_;
  Numbered<Crowd> crowds_;
  struct Joined {
    std::uint32_t crowd = 0;
    std::uint32_t agent = 0;
    Stamp stamp = 0;
  };
  static constexpr std::size_t kMostJoined = 4096;
  /// So many are not in their crowds yet, the first ones here, in the order in which they came. There is room as soon
  /// as there is a crowd.
  std::vector<Joined> joined_;
  std::size_t joined_count_ = 0;
  struct Free {
    void operator()(Page* pages) const { std::free(pages); }
  };
  /// So many pages each, of which the first one stands in the other list if nobody uses them.
  std::vector<std::unique_ptr<Page, Free>> pages_;
  struct FreePages {
    Page* first = nullptr;
    /// So many cells have something of whoever used them.
    std::uint64_t used_cells = 0;
  };
  std::vector<FreePages> free_pages_;
};

inline std::uint64_t Shadow::place_of(std::uint64_t granule) const {
  return every_ == 0 ? granule : (granule & in_line_) | ((granule >> every_) & ~in_line_);
}

[[gnu::always_inline]] inline Cell* Shadow::find(Allocation& allocation, std::uint64_t granule) const {
  return allocation.find(place_of(granule));
}

inline Cell& Shadow::cell(Allocation& allocation, std::uint64_t granule) {
  if (Cell* const known = find(allocation, granule)) [[likely]] return *known;
  return reach(allocation, place_of(granule));
}

inline std::uint8_t Shadow::reference_number(Allocation& allocation, ReferenceId reference) {
  const std::uint8_t known = allocation.number(reference);
  return known != kMostReferences ? known : add_reference(allocation, reference);
}

}  // namespace heddle::race
