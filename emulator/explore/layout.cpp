#include "emulator/explore/layout.h"

#include <algorithm>

namespace heddle::explore {
namespace {

std::uint64_t end_of(const Locations& bytes) {
  return bytes.offset_bytes + bytes.size_bytes;
}

Locations between(AllocationId allocation, std::uint64_t begin, std::uint64_t end) {
  return {allocation, begin, static_cast<std::uint32_t>(end - begin)};
}

bool cut_at(std::vector<Locations>& list, std::uint64_t offset) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Locations piece = list[i];
    if (offset <= piece.offset_bytes || offset >= end_of(piece)) continue;
    list[i] = between(piece.allocation, piece.offset_bytes, offset);
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(i) + 1, between(piece.allocation, offset, end_of(piece)));
    return true;
  }
  return false;
}

}  // namespace

bool Layout::add(const Locations& access) {
  std::vector<Locations>& list = allocations_[access.allocation].list;
  if (std::find(list.begin(), list.end(), access) != list.end()) return false;
  const bool cut_begin = cut_at(list, access.offset_bytes);
  const bool cut_end = cut_at(list, end_of(access));
  bool changed = cut_begin || cut_end;
  // What no piece has yet becomes new pieces between the old ones.
  std::vector<Locations> fresh;
  std::uint64_t at = access.offset_bytes;
  for (const Locations& piece : list) {
    if (!piece.overlaps(access)) continue;
    if (piece.offset_bytes > at) fresh.push_back(between(access.allocation, at, piece.offset_bytes));
    at = end_of(piece);
  }
  if (at < end_of(access)) fresh.push_back(between(access.allocation, at, end_of(access)));
  // A piece of bytes that was not known splits no access, unless it leaves a seam within this one.
  changed = changed || (!fresh.empty() && !(fresh.size() == 1 && fresh[0] == access));
  list.insert(list.end(), fresh.begin(), fresh.end());
  std::sort(list.begin(), list.end(),
            [](const Locations& a, const Locations& b) { return a.offset_bytes < b.offset_bytes; });
  return changed;
}

std::vector<Locations> Layout::pieces(const Locations& access) const {
  std::vector<Locations> result;
  const auto found = allocations_.find(access.allocation);
  if (found == allocations_.end()) return result;
  for (const Locations& piece : found->second.list)
    if (covers(access, piece)) result.push_back(piece);
  return result;
}

model::Value part_of_value(model::Value value, const Locations& whole, const Locations& part) {
  const std::uint64_t shift_bytes = part.offset_bytes - whole.offset_bytes;
  value >>= 8 * shift_bytes;
  return part.size_bytes >= 8 ? value : value & ((model::Value{1} << (8 * part.size_bytes)) - 1);
}

model::Value place_in_value(model::Value value, const Locations& part, const Locations& whole) {
  return value << (8 * (part.offset_bytes - whole.offset_bytes));
}

bool covers(const Locations& whole, const Locations& part) {
  return whole.allocation == part.allocation && whole.offset_bytes <= part.offset_bytes &&
         end_of(part) <= end_of(whole);
}

}  // namespace heddle::explore
