#include "emulator/race/shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

namespace heddle::race {

void Crowd::forget_followed() {
  // A set of agents: an agent is at its place, or behind where others were there before it.
  const std::size_t places = std::bit_ceil(2 * accesses.size());
  std::vector<std::uint64_t> followed(places, 0);
  const auto insert = [&](std::uint32_t agent) {
    const std::uint64_t mark = std::uint64_t{agent} + 1;
    for (std::size_t at = agent * 0x9e3779b9u;; ++at) {
      std::uint64_t& place = followed[at & (places - 1)];
      if (place == mark) return false;
      if (place != 0) continue;
      place = mark;
      return true;
    }
  };
  auto kept = accesses.rbegin();
  for (auto access = accesses.rbegin(); access != accesses.rend(); ++access)
    if (insert(access->first)) *kept++ = *access;
  accesses.erase(accesses.begin(), kept.base());
  look_through_at = 2 * accesses.size() + 1024;
}

std::span<Cell> Shadow::Allocation::cells_from(std::uint64_t word) const {
  Cell* const first = find(word);
  if (!first) return {};
  std::size_t page = word / kCellsOfPage;
  while ((page + 1) * kCellsOfPage < end && pages[page + 1] == pages[page] + 1) ++page;
  return {first, static_cast<std::size_t>(std::min<std::uint64_t>((page + 1) * kCellsOfPage, end) - word)};
}

bool Shadow::first_time(AllocationId id) {
  return !std::exchange(allocation(id).known, true);
}

void Shadow::add_allocations(std::size_t last) {
  allocations_.resize(last + 1);
  allocation_count_ = last + 1;
}

/// Gives it page number `asked`, and those that are to stand beside that.
void Shadow::give_pages(std::vector<Page*>& pages, std::size_t asked) {
  if (free_pages_.empty()) {
    // All zeros, as a cell is that was not accessed. What is never asked for takes no memory.
    pages_.emplace_back(static_cast<Page*>(std::calloc(pages_at_once_, sizeof(Page))));
    if (!pages_.back()) throw std::bad_alloc();
    free_pages_.push_back({pages_.back().get(), 0});
  }
  // Not when they are given back: the one that asks will need its cells at hand.
  const FreePages given = free_pages_.back();
  free_pages_.pop_back();
  clear(*given.first, given.used_cells);
  const std::size_t first = asked / pages_at_once_ * pages_at_once_;
  if (asked >= pages.size()) pages.resize(first + pages_at_once_);
  for (std::size_t i = 0; i < pages_at_once_; ++i) pages[first + i] = given.first + i;
}

// There is a page for the cell at that place, which is below the end.
Cell& Shadow::reach(Allocation& allocation, std::uint64_t place) {
  const std::size_t page = place / kCellsOfPage;
  auto& pages = allocation.pages;
  if (!std::exchange(allocation.touched, true))
    touched_.push_back(static_cast<AllocationId>(&allocation - allocations_.data()));
  const std::uint64_t step = place < kManyCellsAtOnce ? kCellsAtOnce : kManyCellsAtOnce;
  allocation.end = std::max(allocation.end, (place / step + 1) * step);
  if (page >= pages.size() || !pages[page]) give_pages(pages, page);
  return (*pages[page])[place % kCellsOfPage];
}

std::uint8_t Shadow::add_reference(Allocation& allocation, ReferenceId reference) {
  std::vector<ReferenceId>& known = allocation.references;
  if (known.empty()) allocation.first_reference = reference;
  allocation.used = true;
  if (known.size() <= kMostReferences) known.push_back(reference);
  return static_cast<std::uint8_t>(known.size() - 1);
}

RecordList& Shadow::make_list(Cell& cell) {
  cell = Cell::list(lists_.take());
  return list(cell);
}

Crowd& Shadow::make_crowd(Cell& cell) {
  if (joined_.empty()) joined_.resize(kMostJoined);
  cell = Cell::crowd(crowds_.take());
  // None waits to join it: the one that joined the last one with this number has.
  return crowds_[cell.number()];
}

void Shadow::join_now() {
  for (const Joined& joined : std::span(joined_).first(joined_count_))
    crowds_[joined.crowd].join(joined.agent, joined.stamp);
  joined_count_ = 0;
}

void Shadow::drop(Cell& cell) {
  give_back_aside(cell);
  cell = {};
}

inline void Shadow::give_back_aside(const Cell& cell) {
  if (cell.is(Cell::Form::List)) {
    lists_.give_back(cell.number());
  } else if (cell.is(Cell::Form::Crowd)) {
    if (joined_count_ != 0) join_now();
    crowds_.give_back(cell.number());
  }
}

// No cell has any of it any more.
void Shadow::give_all_aside_back() {
  joined_count_ = 0;
  lists_.give_all_back();
  crowds_.give_all_back();
}

// (A cell that was not accessed is all zeros.)
void Shadow::clear(Page& first, std::uint64_t cells) {
  for (std::uint64_t i = 0; i < cells; i += kCellsAtOnce)
    std::memset(static_cast<void*>(first.data() + i), 0, kCellsAtOnce * sizeof(Cell));
}

void Shadow::forget(AllocationId id) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= allocations_.size()) return;
  Allocation& old = allocations_[index];
  if (lists_.taken() != 0 || crowds_.taken() != 0) {
    for (std::uint64_t begin = 0; begin < old.end; begin += kCellsOfPage) {
      const Page* const page = old.pages[begin / kCellsOfPage];
      if (!page) continue;
      for (const Cell& cell : std::span(*page).first(std::min<std::uint64_t>(old.end - begin, kCellsOfPage)))
        if (cell.is_numbered()) [[unlikely]]
          give_back_aside(cell);
    }
  }
  const std::size_t at_once = pages_at_once_ * kCellsOfPage;
  for (std::size_t first = 0; first < old.pages.size(); first += pages_at_once_) {
    const std::uint64_t before = first * kCellsOfPage;
    if (old.pages[first])
      free_pages_.push_back({old.pages[first], std::min<std::uint64_t>(std::max(old.end, before) - before, at_once)});
  }
  old.pages.clear();
  old.end = 0;
  old.forget_references();
  old.forget_uses();
}

// A small allocation that somebody uses again and again keeps its cells, and through one reference the number of that.
void Shadow::forget_all() {
  give_all_aside_back();
  auto kept = touched_.begin();
  for (const AllocationId id : touched_) {
    Allocation& old = allocations_[static_cast<std::size_t>(id)];
    if (old.used && old.end != 0 && old.end <= kManyCellsAtOnce) {
      clear(*old.pages.front(), old.end);
      old.forget_uses();
      *kept++ = id;
    } else {
      forget(id);
      old.touched = false;
    }
  }
  touched_.erase(kept, touched_.end());
}

void Shadow::restart() {
  give_all_aside_back();
  for (const AllocationId id : touched_) {
    forget(id);
    allocations_[static_cast<std::size_t>(id)].touched = false;
  }
  touched_.clear();
}

std::size_t Shadow::bytes() const {
  std::size_t bytes = pages_.size() * pages_at_once_ * sizeof(Page) + lists_.all().size() * sizeof(RecordList) +
                      crowds_.all().size() * sizeof(Crowd) + joined_.capacity() * sizeof(Joined);
  for (const RecordList& list : lists_.all()) bytes += list.records.capacity() * sizeof(Record);
  for (const Crowd& crowd : crowds_.all()) bytes += crowd.accesses.capacity() * sizeof(crowd.accesses.front());
  return bytes;
}

}  // namespace heddle::race
