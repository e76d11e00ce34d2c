#include "emulator/memory/agent.h"

#include <algorithm>

namespace heddle::memory {
namespace {

// A barrier or atomic of a few agents has a handful of releases to remember.
constexpr std::size_t kMostMet = 64;

bool says_the_same(const Met& a, const Met& b) {
  return a.head.known == b.head.known && a.class_index == b.class_index &&
         a.through_control_barrier == b.through_control_barrier && a.head.atomic_scope == b.head.atomic_scope;
}

// Everything that the agent does comes after the release, whatever the tags.
void learn_whatever_tags(Agent& agent, const Head& head) {
  head.teach(agent.changed(), kStorageClassBits, head.apart_from(agent.place));
  if (agent.tagged) head.teach(agent.tagged->learnt_by(TagSetId::Empty), kStorageClassBits, CacheLevel::Agent);
}

}  // namespace

void Agent::be_other() {
  if (!like_all) return;
  own = cohort->knowledge;
  like_all = false;
  cohort->others.push_back(this);
}

Knowledge& Agent::changed() {
  be_other();
  if (tagged) [[unlikely]]
    tagged->changed = true;
  return own;
}

void Agent::remember(Met release) {
  be_other();
  if (std::any_of(met.begin(), met.end(), [&](const Met& known) { return says_the_same(known, release); })) return;
  if (met.size() == kMostMet) {
    learn_whatever_tags(*this, met.front().head);
    met.erase(met.begin());
  }
  met.push_back(std::move(release));
}

std::vector<Head> Agent::all_released() const {
  std::vector<Head> all = released;
  for (Head head : cohort->released) {
    head.agent = id;
    head.place = place;
    all.push_back(std::move(head));
  }
  return all;
}

}  // namespace heddle::memory
