#include "emulator/host/standstill.h"

#include <algorithm>

namespace heddle::detail {

void Standstill::begin(std::uint64_t longer) {
  most_repeats_ = longer * kManyRepeats;
  visitors_.clear();
  moving_ = long_ = returning_ = 0;
  looks_at_states_ = true;
  accesses_done_ = 0;
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

Standstill::Visitor* Standstill::known(AgentId agent, const Place& place) {
  const auto [at, fresh] = visitors_.try_emplace(agent);
  if (fresh) ++moving_;
  Visitor& visitor = at->second;
  if (!visitor.knows(place)) return nullptr;
  if (++visitor.repeats == kRepeats) --moving_;
  if (visitor.repeats == patience_.of_each) ++long_;
  ++accesses_done_;
  return &visitor;
}

bool Standstill::changes(const Place& place, std::span<const std::byte> value) {
  const auto [at, fresh] = written_.try_emplace(place, value.begin(), value.end());
  return !fresh && !std::ranges::equal(at->second, value);
}

void Standstill::look(Visitor& visitor, const State& state) {
  if (visitor.returns == kReturns) return;
  if (!state || visitor.states.size() == kMostStates) {
    looks_at_states_ = false;
  } else if (std::ranges::find(visitor.states, *state) == visitor.states.end()) {
    visitor.states.push_back(*state);
  } else if (++visitor.returns == kReturns) {
    ++returning_;
  }
}

}  // namespace heddle::detail
