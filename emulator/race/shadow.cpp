#include "emulator/race/shadow.h"

#include <unordered_set>

namespace heddle::race {
namespace {

template <typename T>
std::uint32_t take(std::vector<T>& all, std::vector<std::uint32_t>& free) {
  if (free.empty()) {
    free.push_back(static_cast<std::uint32_t>(all.size()));
    all.emplace_back();
  }
  const std::uint32_t number = free.back();
  free.pop_back();
  return number;
}

}  // namespace

void Crowd::forget_followed() {
  std::unordered_set<std::uint32_t> followed;
  auto kept = accesses.rbegin();
  for (auto access = accesses.rbegin(); access != accesses.rend(); ++access)
    if (followed.insert(access->first).second) *kept++ = *access;
  accesses.erase(accesses.begin(), kept.base());
  look_through_at = 2 * accesses.size() + 256;
}

bool Shadow::first_time(AllocationId id) { return !std::exchange(allocation(id).known, true); }

ReferenceId Shadow::reference(AllocationId id, std::uint8_t number) {
  return allocation(id).references[number];
}

void Shadow::add_page(Allocation& allocation, std::size_t page) {
  auto& pages = allocation.pages;
  if (page >= pages.size()) pages.resize(page + 1);
  if (free_pages_.empty()) {
    pages[page] = std::make_unique<Page>();
    ++pages_;
  } else {
    pages[page] = std::move(free_pages_.back());
    free_pages_.pop_back();
  }
}

std::uint8_t Shadow::add_reference(Allocation& allocation, ReferenceId reference) {
  std::vector<ReferenceId>& known = allocation.references;
  if (known.size() <= kMostReferences) known.push_back(reference);
  return static_cast<std::uint8_t>(known.size() - 1);
}

RecordList& Shadow::make_list(Cell& cell) {
  cell = {};
  cell.agents[0] = take(lists_, free_lists_);
  cell.sites[0] = kList;
  return list(cell);
}

Crowd& Shadow::make_crowd(Cell& cell) {
  cell = {};
  cell.agents[0] = take(crowds_, free_crowds_);
  cell.sites[0] = kCrowd;
  return crowd(cell);
}

void Shadow::drop(Cell& cell) {
  if (cell.sites[0] == kList) {
    list(cell).records.clear();
    list(cell).lossy = false;
    free_lists_.push_back(cell.agents[0]);
  } else if (cell.sites[0] == kCrowd) {
    crowd(cell).accesses.clear();
    crowd(cell).look_through_at = Crowd().look_through_at;
    free_crowds_.push_back(cell.agents[0]);
  }
  cell = {};
}

void Shadow::forget(AllocationId id) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= allocations_.size()) return;
  Allocation& old = allocations_[index];
  for (auto& page : old.pages) {
    if (!page) continue;
    for (Cell& cell : *page) drop(cell);
    free_pages_.push_back(std::move(page));
  }
  old.pages.clear();
  old.references.clear();
  old.known = false;
}

void Shadow::forget_all() {
  for (std::size_t id = 0; id < allocations_.size(); ++id) forget(static_cast<AllocationId>(id));
}

std::size_t Shadow::bytes() const {
  std::size_t bytes = pages_ * sizeof(Page) + lists_.size() * sizeof(RecordList) +
                      crowds_.size() * sizeof(Crowd);
  for (const RecordList& list : lists_) bytes += list.records.capacity() * sizeof(Record);
  for (const Crowd& crowd : crowds_)
    bytes += crowd.accesses.capacity() * sizeof(crowd.accesses.front());
  return bytes;
}

}  // namespace heddle::race
