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
  has_atomics_ = has_changes_ = false;
  last_new_ = 0;
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

bool Standstill::knows(const Place& place, std::uint64_t value) {
  std::vector<std::uint64_t>& values = written_[place];
  if (std::ranges::find(values, value) != values.end()) return true;
  has_changes_ = has_changes_ || !values.empty();
  last_new_ = accesses_done_;
  values.push_back(value);
  return values.size() <= kMostValues;
}

Standstill::Verdict Standstill::verdict() const {
  const bool all_return = returning_ == visitors_.size();
  if (has_changes_) {
    if (!looks_at_states_) return Verdict::SomethingGoesOn;
    const std::uint64_t nothing_new = accesses_done_ - last_new_;
    const std::uint64_t enough = std::max<std::uint64_t>(patience_.repeated, kRepeats * visitors_.size());
    return all_return && nothing_new >= enough ? Verdict::NothingGoesOn : Verdict::Unknown;
  }
  const bool all_are_long = accesses_done_ >= patience_.accesses && long_ == visitors_.size();
  return all_return || all_are_long ? Verdict::NothingGoesOn : Verdict::Unknown;
}

void Standstill::look(Visitor& visitor, const State& state) {
  if (visitor.returns == kReturns && !has_changes_) return;
  if (!state || visitor.states.size() >= (has_changes_ ? kMostStatesOfChanges : kMostStates)) {
    looks_at_states_ = false;
  } else if (std::ranges::find(visitor.states, *state) == visitor.states.end()) {
    visitor.states.push_back(*state);
    last_new_ = accesses_done_;
  } else if (++visitor.returns == kReturns) {
    ++returning_;
  }
}

}  // namespace heddle::detail
