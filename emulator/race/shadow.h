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

#include "emulator/race/cell.h"
#include "emulator/race/site.h"
#include "emulator/race/view.h"

namespace heddle::race {

/// An access to bytes `first` up to `last` of a word.
struct Record {
  std::uint32_t agent = 0;
  Stamp stamp = 0;
  std::uint64_t number = 0;
  SiteId site = kNoSite;
  /// The number that its allocation gives to its reference.
  std::uint8_t reference = 0;
  std::uint8_t first = 0;
  std::uint8_t last = kWordBytes;
  /// What its agent knew, if it has availability or visibility operations of its own.
  ViewPointer view;

  bool overlaps(const Record& o) const { return first < o.last && o.first < last; }
  bool inside(const Record& o) const { return o.first <= first && last <= o.last; }
};

/// Accesses to a word in the order in which they were told.
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
  std::uint8_t last = kWordBytes;
  bool one_group = true;
  /// The agent of the last one, which an agent that joins asks for: where the crowd itself is at hand, its accesses are
  /// not.
  std::uint32_t last_agent = 0;
  std::vector<std::pair<std::uint32_t, Stamp>> accesses;
  /// Once there are so many accesses it is time to look which of them are followed by others of the same agent.
  std::size_t look_through_at = 1024;

  void add(std::uint32_t agent, Stamp stamp) {
    last_agent = agent;
    accesses.emplace_back(agent, stamp);
  }
  /// Adds an access to a crowd that has one: of two by the same agent the later one stands for both.
  void join(std::uint32_t agent, Stamp stamp) {
    if (last_agent == agent) {
      accesses.back().second = stamp;
      return;
    }
    add(agent, stamp);
    if (accesses.size() >= look_through_at) forget_followed();
  }
  /// Forgets all accesses but the last `most`.
  void leave_last(std::ptrdiff_t most) {
    if (std::ssize(accesses) > most) accesses.erase(accesses.begin(), accesses.end() - most);
  }
  /// Becomes as new, but for the room that it has.
  void clear() {
    accesses.clear();
    look_through_at = Crowd().look_through_at;
  }
  /// The last access of each agent stays: it says all that the earlier ones say. So agents that poll in
  /// turn take no more room than they are many.
  void forget_followed();
};

/// Objects that have numbers, which they keep until they are given back.
template <typename One>
class Numbered {
 public:
  One& operator[](std::uint32_t number) { return all_[number]; }
  const One& operator[](std::uint32_t number) const { return all_[number]; }
  /// How many objects are taken.
  std::uint32_t taken() const { return taken_; }
  /// All objects, those that are not taken among them.
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
  /// The numbers, first those of the objects that are taken; and where each number stands there.
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> places_;
  std::uint32_t taken_ = 0;
};

class Shadow {
 public:
  /// The cells of so many words of an allocation, from a multiple of that on, stand side by side.
  static constexpr std::size_t kCellsOfPage = 256;

 private:
  // Forgetting goes through those that were asked for, in steps that are hardly noticed by
  // a caller that asks for one after the other.
  static constexpr std::size_t kCellsAtOnce = 8;
  static constexpr std::size_t kManyCellsAtOnce = 32;
  /// No reference: there are fewer.
  static constexpr auto kNobody = static_cast<ReferenceId>(~std::uint32_t{0});
  using Page = std::array<Cell, kCellsOfPage>;

 public:
  /// The cells of at least so many words of an allocation stand side by side.
  explicit Shadow(std::uint64_t side_by_side = kCellsOfPage)
      : pages_at_once_((side_by_side + kCellsOfPage - 1) / kCellsOfPage) {}
  /// This shadow has cells for one of each 2^every lines of 2^line words that follow each other.
  Shadow(std::uint32_t line, std::uint32_t every) : in_line_((std::uint64_t{1} << line) - 1), every_(every) {}

  /// What is known of one allocation.
  class Allocation {
   public:
    /// The number of a reference to it that somebody used; kMostReferences, which may be several, if none did.
    [[gnu::always_inline]] std::uint8_t number(ReferenceId reference) const {
      return is_first(reference) ? std::uint8_t{0} : later_number(reference);
    }
    /// Whether the number of the reference is 0.
    bool is_first(ReferenceId reference) const { return reference == first_reference; }
    /// Whether somebody asked Shadow::first_time.
    bool is_known() const { return known; }
    /// From now on the allocation counts as used since all was forgotten: it was accessed, or an agent used a
    /// reference to it for the first time.
    void use() { used = true; }
    /// As Shadow::find, where the shadow has every line.
    [[gnu::always_inline]] Cell* find(std::uint64_t word) const {
      if (word >= end) [[unlikely]]
        return nullptr;
      Page* const page = pages[word / kCellsOfPage];
      return page ? page->data() + word % kCellsOfPage : nullptr;
    }
    /// The cells of the words from this one on, as many as stand side by side. They stay until all is forgotten.
    std::span<Cell> cells_from(std::uint64_t word) const;

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
  // One line of a cache, where pointers have 64 bits.
  static_assert(sizeof(void*) != 8 || sizeof(Allocation) == 64);

  Allocation& allocation(AllocationId id) {
    const auto index = static_cast<std::size_t>(id);
    if (index >= allocation_count_) [[unlikely]]
      add_allocations(index);
    return allocations_[index];
  }
  Cell& cell(Allocation& allocation, std::uint64_t word);
  /// The cell of a word; null where neither it nor one beside it was ever asked for.
  Allocation* find(AllocationId id) {
    const auto index = static_cast<std::size_t>(id);
    return index < allocation_count_ ? allocations_.data() + index : nullptr;
  }
  Cell* find(Allocation& allocation, std::uint64_t word) const;
  static std::uint8_t reference_number(Allocation& allocation, ReferenceId reference);
  /// Whether it is the first time that somebody asks this of the allocation.
  bool first_time(AllocationId id);

  RecordList& list(const Cell& cell) { return lists_[cell.number()]; }
  Crowd& crowd(const Cell& cell) {
    if (joined_count_ != 0) [[unlikely]]
      join_now();
    return crowds_[cell.number()];
  }
  /// The crowd of the cell, perhaps without those who joined it lately.
  const Crowd& crowd_so_far(const Cell& cell) const { return crowds_[cell.number()]; }
  /// An access joins the crowd. It is noted behind those that joined others: threads that join the crowds of many
  /// cells in turns need not hand each crowd to each other.
  [[gnu::always_inline]] void join_later(const Cell& cell, std::uint32_t agent, Stamp stamp) {
    if (joined_count_ == kMostJoined) [[unlikely]]
      join_now();
    joined_[joined_count_++] = {cell.number(), agent, stamp};
  }
  /// Gives a cell without a list, or a crowd, an empty one.
  RecordList& make_list(Cell& cell);
  Crowd& make_crowd(Cell& cell);
  /// The cell is as if it had not been accessed.
  void drop(Cell& cell);

  /// Forgets what is known of an allocation: its bytes are new.
  void forget(AllocationId id);
  void forget_all();
  /// Forgets everything, and numbers of allocations and references start anew.
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
  std::uint64_t place_of(std::uint64_t word) const;
  Cell& reach(Allocation& allocation, std::uint64_t place);
  static std::uint8_t add_reference(Allocation& allocation, ReferenceId reference);

  std::uint64_t in_line_ = ~std::uint64_t{0};
  std::uint32_t every_ = 0;
  std::size_t pages_at_once_ = 1;
  std::vector<Allocation> allocations_;
  std::size_t allocation_count_ = 0;
  /// The allocations with cells that were asked for since all was forgotten, each once.
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
  /// So many pages each, of which the first one stands in the other list if they are not used.
  std::vector<std::unique_ptr<Page, Free>> pages_;
  struct FreePages {
    Page* first = nullptr;
    /// So many cells have something in them.
    std::uint64_t used_cells = 0;
  };
  std::vector<FreePages> free_pages_;
};

inline std::uint64_t Shadow::place_of(std::uint64_t word) const {
  return every_ == 0 ? word : (word & in_line_) | ((word >> every_) & ~in_line_);
}

[[gnu::always_inline]] inline Cell* Shadow::find(Allocation& allocation, std::uint64_t word) const {
  return allocation.find(place_of(word));
}

inline Cell& Shadow::cell(Allocation& allocation, std::uint64_t word) {
  if (Cell* const known = find(allocation, word)) [[likely]]
    return *known;
  return reach(allocation, place_of(word));
}

inline std::uint8_t Shadow::reference_number(Allocation& allocation, ReferenceId reference) {
  const std::uint8_t known = allocation.number(reference);
  return known != kMostReferences ? known : add_reference(allocation, reference);
}

}  // namespace heddle::race
