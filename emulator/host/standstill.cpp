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

Standstill::Verdict Standstill::verdict(const Visitor& visitor) const {
  if (has_changes_ && !looks_at_states_) return Verdict::SomethingGoesOn;
  const bool all_return = returning_ == visitors_.size();
  const bool all_stand = moving_ == 0 && !has_changes_;
  // An invocation that polls a single atomic makes few accesses where another one makes thousands: what counts is that
  // it returns, and that all together have had the time in which one that has not run yet would have.
  const std::uint64_t enough = std::max(has_changes_ ? patience_.repeated : 0, kRepeats * visitors_.size());
  if (all_return && (all_stand || accesses_done_ - last_new_ >= enough)) return Verdict::NothingGoesOn;
  const bool all_are_long = accesses_done_ >= patience_.accesses && long_ == visitors_.size();
  if (all_are_long && !has_changes_) return Verdict::NothingGoesOn;
  return moving_ != 0 && visitor.repeats >= most_repeats_ ? Verdict::SomethingGoesOn : Verdict::Unknown;
}

void Standstill::look(Visitor& visitor, const State& state) {
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
