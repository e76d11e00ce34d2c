// Writes of a machine on their way: who waits in the cache of an agent, and who goes on when.

#include <algorithm>

#include "emulator/memory/machine.h"

namespace heddle::memory {

// --- Writes on their way ---

void Machine::fill(Written& made, const Access& writing, trace::Value value, trace::OperationIndex index) {
  const Operation& operation = writing.operation;
  made.operation = index;
  made.value = value << writing.shift;
  made.bytes = writing.bytes;
  made.atomic = operation.atomic;
  made.non_private = writing.non_private();
  made.class_index = writing.class_index();
  made.reference = operation.reference;
  made.agent = writing.agent.id;
  made.place = writing.agent.place;
  made.scope = operation.scope;
  made.tags = operation.tags;
  made.event = synchronization_.event(writing.agent);
  made.born = time();
  made.forgotten = false;
  made.by_any_class = false;
  made.available_level = available_level(operation);
  if (!operation.atomic) return;
  made.by_any_class = releases(operation.semantics);
  links_classes_ = links_classes_ || made.by_any_class;
  synchronization_.heads(writing.agent, operation, operation.semantics, made.heads);
}

// What the agent has waiting for the same bytes, through the same reference: an atomic takes its place
// first, so does what the agent read back, what has other bytes, too, since it is one operation, what could
// become available to more than the new one, and what others may know of without the new one, since the agent
// has released in between or the two have other tags; the rest is overwritten where it stands.
void Machine::overwrite_waiting(std::uint32_t record, const Access& writing) {
  const std::uint32_t epoch = synchronization_.event(writing.agent).epoch;
  for (std::size_t i = 0; i < waiting_.size();) {
    Waiting& older = waiting_[i];
    if (older.granule != record || !is_own(older, writing) || (older.bytes & writing.bytes) == 0) {
      ++i;
    } else if (policy_.in_order || older.makes_itself_available() || writing.operation.atomic || older.observed ||
               (older.bytes & ~writing.bytes) != 0 || older.class_index != writing.class_index() ||
               (older.non_private && !writing.non_private()) || older.event.epoch != epoch ||
               older.tags != writing.operation.tags) {
      i = place_in_turn(i, std::max(climb(), least_level(older)), trace::MoveReason::Atomic);
    } else {
      ++report_.lost;
      --granules_[record].waiting;
      waiting_.remove(i).heads.clear();
    }
  }
}

// Where as many wait as can, the oldest goes on: an agent that comes to a granule of it has asked before.
Waiting& Machine::wait(Granule& granule, std::uint32_t record) {
  if (waiting_.size() == WaitingList::kMost) [[unlikely]]
    place_waiting(0, CacheLevel::Shader, trace::MoveReason::Flush);
  ++report_.delayed;
  ++granule.waiting;
  is_still_ = false;
  Waiting& waiting = waiting_.add();
  waiting.granule = record;
  return waiting;
}

//= vk:memory-model-atomic-operation
//= vk:memory-model-instruction-av-vis
CacheLevel Machine::available_level(const Operation& write) {
  if (write.atomic) return std::max(level_of(write.scope), CacheLevel::Subgroup);
  const bool has_own = has(write.operands, MemoryOperands::MakePointerAvailable);
  return has_own ? level_of(write.available_scope) : CacheLevel::Agent;
}

CacheLevel Machine::least_level(const Written& write) {
  return std::max(write.available_level, CacheLevel::Subgroup);
}

CacheLevel Machine::climb() {
  CacheLevel level = first_level_;
  while (level < CacheLevel::Shader && !draws_.chance(policy_.rest))
    level = static_cast<CacheLevel>(static_cast<unsigned>(level) + 1);
  return level;
}

void Machine::note_placed(Agent& agent, const Written& made) {
  if (made.born < agent.youngest_placed) {
    ++report_.overtaken;
  } else {
    agent.youngest_placed = made.born;
  }
}

[[gnu::hot]] void Machine::place(Granule& granule, std::uint32_t record, Version& version, Agent* agent,
                                 CacheLevel level, trace::MoveReason reason) {
  if (granule.versions.size() == Versions::kMost) [[unlikely]]
    fold_oldest(granule);
  granule.versions.add(version);
  version.stamp = ++stamp_;
  version.level = level;
  version.own_level = level;
  if (agent) note_placed(*agent, version);
  granule.raise_floor(version.agent, version.reference, version.stamp);
  if (level < CacheLevel::Shader) {
    ++granule.narrow;
    is_still_ = false;
    narrow_.add({record, version.stamp, time()});
  }
  if (telling_.hears_moves()) [[unlikely]]
    telling_.moved(version.operation, granule.locations(version.bytes), version.agent, CacheLevel::Agent, level,
                   reason);
  if (telling_.is_on() && version.atomic) [[unlikely]]
    telling_.placed(version.operation);
  if (narrow_.size() > WaitingList::kMost) [[unlikely]]
    widen(0, CacheLevel::Shader, trace::MoveReason::Flush);
}

// Returns where that stands which followed it.
[[gnu::hot]] std::size_t Machine::place_waiting(std::size_t position, CacheLevel level, trace::MoveReason reason) {
  position = let_updates_go_before(position);
  Waiting& waiting = waiting_.remove(position);
  const std::uint32_t record = waiting.granule;
  Granule& granule = granules_[record];
  --granule.waiting;
  if (waiting.update) --granule.late_updates;
  if (reason == trace::MoveReason::Eviction) ++report_.evicted;
  Version& version = granule.versions.next();
  version.take(waiting);
  place(granule, record, version, synchronization_.find(waiting.agent), level, reason);
  if (waiting.observed)
    granule.observe(waiting.observation, waiting.observation_class, waiting.observed_non_private, stamp_,
                    version.bytes);
  return position;
}

// Nothing that is mutually ordered with an update comes between what it read and what it writes, unless that stays as
// it was.
//= vk:memory-model-acyclicity
void Machine::let_updates_go_first(std::uint32_t record, const Access& writing) {
  for (std::size_t i = 0; i < waiting_.size();) {
    const Waiting& w = waiting_[i];
    const bool goes =
        w.update && w.granule == record && mutually_ordered(w, writing.bytes, writing.operation, writing.agent);
    i = goes ? place_waiting(i, std::max(climb(), least_level(w)), trace::MoveReason::Atomic) : i + 1;
  }
}

// Two that are mutually ordered do not both wait, so that an update goes before stores alone.
std::size_t Machine::let_updates_go_before(std::size_t position) {
  const Waiting& store = waiting_[position];
  if (granules_[store.granule].late_updates == 0 || store.update || !store.atomic) [[likely]]
    return position;
  for (std::size_t i = 0; i < waiting_.size();) {
    const Waiting& w = waiting_[i];
    if (!w.update || w.granule != waiting_[position].granule || !mutually_ordered(w, waiting_[position])) {
      ++i;
      continue;
    }
    place_waiting(i, std::max(climb(), least_level(w)), trace::MoveReason::Atomic);
    if (i < position) --position;
  }
  return position;
}

// Where a policy keeps the order of an invocation, what it issued before goes first. Returns where that stands which
// followed it.
std::size_t Machine::place_in_turn(std::size_t position, CacheLevel level, trace::MoveReason reason) {
  if (policy_.in_order) {
    const AgentId agent = waiting_[position].agent;
    for (std::size_t i = 0; i < position;) {
      if (waiting_[i].agent != agent) {
        ++i;
        continue;
      }
      place_waiting(i, std::max(level, least_level(waiting_[i])), reason);
      --position;
    }
  }
  return place_waiting(position, level, reason);
}

bool Machine::has_waiting(AgentId agent) const {
  for (std::size_t i = 0; i < waiting_.size(); ++i)
    if (waiting_[i].agent == agent) return true;
  return false;
}

// Before a write that does not wait.
void Machine::drain(AgentId agent) {
  for (std::size_t i = 0; i < waiting_.size();) {
    if (waiting_[i].agent == agent) {
      place_waiting(i, CacheLevel::Shader, trace::MoveReason::Flush);
    } else {
      ++i;
    }
  }
}

// Raises narrow versions, and those that only some know to be available: `level` is where it is now.
void Machine::raise(Granule& granule, Version& version, CacheLevel level, trace::MoveReason reason) {
  if (level <= version.level) return;
  if (telling_.hears_moves()) [[unlikely]]
    telling_.moved(version.operation, granule.locations(version.bytes), version.agent, version.level, level, reason);
  version.level = level;
  if (reason != trace::MoveReason::Availability) version.own_level = std::max(version.own_level, level);
  if (level < CacheLevel::Shader) return;
  --granule.narrow;
  narrow_.remove_if([&](const Narrow& n) { return n.stamp == version.stamp; });
}

void Machine::widen(std::size_t position, CacheLevel level, trace::MoveReason reason) {
  Granule& granule = granules_[narrow_[position].record];
  raise(granule, granule.version_at(narrow_[position].stamp), level, reason);
}

// --- Time ---

// Where nothing goes on by itself, an atomic has waited long enough after half of the time: others may poll it, and
// what it publishes still waits when they see it, unless something makes that available.
std::uint32_t Machine::longest_wait_of_atomic() const {
  const bool goes_first = policy_.eviction_interval == 0 && !policy_.in_order;
  return goes_first ? policy_.longest_wait / 2 : policy_.longest_wait;
}

// Returns how long the oldest atomic waits that has not waited long enough.
std::uint32_t Machine::flush_oldest_atomic() {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    if (!waiting_[i].atomic) continue;
    const std::uint32_t age = time() - waiting_[i].born;
    if (age <= longest_wait_of_atomic()) return age;
    place_waiting(i, CacheLevel::Shader, trace::MoveReason::Flush);
    return longest_wait_of_atomic();
  }
  return 0;
}

// What comes later is younger than what is the oldest then.
void Machine::flush_oldest() {
  const auto age = [&](auto& list) { return list.empty() ? 0 : time() - list.front().born; };
  const std::uint32_t oldest_atomic = flush_oldest_atomic();
  if (age(waiting_) > policy_.longest_wait) place_waiting(0, CacheLevel::Shader, trace::MoveReason::Flush);
  if (age(narrow_) > policy_.longest_wait) widen(0, CacheLevel::Shader, trace::MoveReason::Flush);
  const std::uint32_t oldest = std::max(age(waiting_), age(narrow_));
  next_flush_ =
      now_ + 1 +
      std::min(policy_.longest_wait - std::min(oldest, policy_.longest_wait), longest_wait_of_atomic() - oldest_atomic);
}

[[gnu::hot]] void Machine::pass_time() {
  if (now_ >= next_flush_) flush_oldest();
  if (policy_.eviction_interval == 0) return;
  if (until_eviction_ == kNotDrawn) [[unlikely]]
    until_eviction_ = draws_.below(2 * policy_.eviction_interval);
  if (until_eviction_-- != 0) return;
  until_eviction_ = draws_.below(2 * policy_.eviction_interval);
  evict();
}

[[gnu::hot]] void Machine::evict() {
  const auto waiting = static_cast<std::uint32_t>(waiting_.size());
  const auto all = waiting + static_cast<std::uint32_t>(narrow_.size());
  if (all == 0) return;
  std::size_t chosen = draws_.below(all);
  if (chosen >= waiting) {
    chosen -= waiting;
    const Version& version = granules_[narrow_[chosen].record].version_at(narrow_[chosen].stamp);
    const auto next = static_cast<CacheLevel>(static_cast<unsigned>(version.level) + 1);
    widen(chosen, std::max(next, climb()), trace::MoveReason::Eviction);
    return;
  }
  if (policy_.in_order) {
    const AgentId agent = waiting_[chosen].agent;
    chosen = 0;
    while (waiting_[chosen].agent != agent) ++chosen;
  }
  place_waiting(chosen, std::max(climb(), least_level(waiting_[chosen])), trace::MoveReason::Eviction);
}

}  // namespace heddle::memory
