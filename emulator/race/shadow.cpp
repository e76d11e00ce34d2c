#include "emulator/race/shadow.h"

#include <algorithm>

namespace heddle::race {

void Shadow::add_page(std::unique_ptr<Page>& page) {
  page = std::make_unique<Page>();
  ++pages_;
}

std::uint8_t Shadow::reference_number(AllocationId id, ReferenceId reference) {
  std::vector<ReferenceId>& known = allocation(id).references;
  const auto at = std::find(known.begin(), known.end(), reference);
  if (at != known.end()) return static_cast<std::uint8_t>(at - known.begin());
  // References beyond these count as one.
  if (known.size() < 255) known.push_back(reference);
  return static_cast<std::uint8_t>(known.size() - 1);
}

std::vector<Record>& Shadow::make_list(Cell& cell) {
  if (free_lists_.empty()) {
    free_lists_.push_back(static_cast<std::uint32_t>(lists_.size()));
    lists_.emplace_back();
  }
  cell.writer = free_lists_.back();
  cell.write_site = kList;
  cell.read_site = kNoSite;
  free_lists_.pop_back();
  return lists_[cell.writer];
}

void Shadow::drop_list(Cell& cell) {
  lists_[cell.writer].clear();
  free_lists_.push_back(cell.writer);
  cell = {};
}

void Shadow::forget(AllocationId id) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= allocations_.size()) return;
  for (auto& page : allocations_[index].pages) {
    if (!page) continue;
    for (Cell& cell : *page)
      if (cell.write_site == kList) drop_list(cell);
    --pages_;
  }
  allocations_[index] = {};
}

void Shadow::forget_all() {
  allocations_.clear();
  lists_.clear();
  free_lists_.clear();
  pages_ = 0;
}

}  // namespace heddle::race
