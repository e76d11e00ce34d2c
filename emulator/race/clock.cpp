#include "emulator/race/clock.h"

namespace heddle::race {

Clock::OfGroup Clock::OfGroup::with_everybody(Stamp stamp) const {
  if (stamp == everybody) return *this;
  // What everybody has no agent needs an entry for.
  return {stamp, agents.above(stamp)};
}

Clock::OfGroup Clock::OfGroup::join(const OfGroup& other) const {
  if (everybody == other.everybody) {
    OfGroup both = *this;
    both.agents.join(other.agents);
    return both;
  }
  const Stamp later = std::max(everybody, other.everybody);
  OfGroup made = with_everybody(later);
  made.agents.join(other.with_everybody(later).agents);
  return made;
}

Clock::OfGroup Clock::OfGroup::join_since(const OfGroup& other, const OfGroup& known) const {
  // Entries of agents that everybody's stamp has taken the place of are not there.
  if (everybody != other.everybody || everybody != known.everybody) return join(other);
  OfGroup made = *this;
  made.agents.join_since(other.agents, known.agents);
  return made;
}

bool Clock::has(GroupId group, std::uint32_t agent, Stamp stamp) const {
  const OfGroup* const of = groups_.find(group);
  if (!of) return false;
  if (of->everybody != 0 && stamp <= of->everybody) return true;
  const OfAgent* const one = of->agents.find(agent);
  return one && stamp <= one->stamp;
}

Stamp Clock::everybody(GroupId group) const {
  const OfGroup* const of = groups_.find(group);
  return of ? of->everybody : 0;
}

Clock Clock::of_group(GroupId group) const {
  Clock made;
  if (const OfGroup* const of = groups_.find(group)) made.groups_.put(group, *of);
  return made;
}

void Clock::add(GroupId group, std::uint32_t agent, Stamp stamp) {
  if (has(group, agent, stamp)) return;
  const OfGroup* const of = groups_.find(group);
  OfGroup made = of ? *of : OfGroup();
  made.agents.put(agent, {stamp});
  groups_.put(group, std::move(made));
}

void Clock::add_everybody(GroupId group, Stamp stamp) {
  const OfGroup* const of = groups_.find(group);
  if (of && stamp <= of->everybody) return;
  groups_.put(group, of ? of->with_everybody(stamp) : OfGroup{stamp});
}

void Clock::share(const Clock& other) {
  if (!is_same(other) && includes(other) && other.includes(*this)) *this = other;
}

}  // namespace heddle::race
