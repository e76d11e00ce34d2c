#include "emulator/host/standstill.h"

#include <algorithm>

namespace heddle::detail {

void Standstill::begin() {
  visitors_.clear();
  moving_ = 0;
  accesses_left_ = accesses_;
  written_.clear();
  has_atomics_ = false;
}

bool Standstill::Visitor::knows(const Place& place) {
  const auto end = places.begin() + static_cast<std::ptrdiff_t>(known);
  if (std::find(places.begin(), end, place) != end) return true;
  if (known == kMostPlaces) return false;
  places[known++] = place;
  return true;
}

Standstill::Verdict Standstill::visit(AgentId agent, const Place& place) {
  const auto [at, fresh] = visitors_.try_emplace(agent);
  if (fresh) ++moving_;
  Visitor& visitor = at->second;
  if (!visitor.knows(place)) return Verdict::SomethingGoesOn;
  if (++visitor.repeats == kRepeats) --moving_;
  if (accesses_left_ != 0) --accesses_left_;
  if (moving_ == 0) return accesses_left_ == 0 ? Verdict::NothingGoesOn : Verdict::Unknown;
  return visitor.repeats < kManyRepeats ? Verdict::Unknown : Verdict::SomethingGoesOn;
}

Standstill::Verdict Standstill::read(AgentId agent, const Place& place, bool atomic) {
  has_atomics_ = has_atomics_ || atomic;
  return visit(agent, place);
}

Standstill::Verdict Standstill::write(AgentId agent, const Place& place, std::span<const std::byte> value) {
  const auto [at, fresh] = written_.try_emplace(place, value.begin(), value.end());
  if (!fresh && !std::ranges::equal(at->second, value)) return Verdict::SomethingGoesOn;
  return visit(agent, place);
}

}  // namespace heddle::detail
