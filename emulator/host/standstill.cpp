#include "emulator/host/standstill.h"

#include <algorithm>

namespace heddle::detail {

void Standstill::begin() {
  readers_.clear();
  moving_ = 0;
  reads_left_ = reads_;
}

bool Standstill::Reader::knows(const Place& place) {
  const auto end = places.begin() + static_cast<std::ptrdiff_t>(known);
  if (std::find(places.begin(), end, place) != end) return true;
  if (known == kMostPlaces) return false;
  places[known++] = place;
  return true;
}

Standstill::Verdict Standstill::read(AgentId agent, AllocationId allocation, std::uint64_t offset_bytes) {
  const auto [at, fresh] = readers_.try_emplace(agent);
  if (fresh) ++moving_;
  Reader& reader = at->second;
  if (!reader.knows({allocation, offset_bytes})) return Verdict::SomethingGoesOn;
  if (++reader.repeats == kRepeats) --moving_;
  if (reads_left_ != 0) --reads_left_;
  if (moving_ == 0) return reads_left_ == 0 ? Verdict::NothingGoesOn : Verdict::Unknown;
  return reader.repeats < kManyRepeats ? Verdict::Unknown : Verdict::SomethingGoesOn;
}

}  // namespace heddle::detail
