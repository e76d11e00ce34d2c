#include "emulator/memory/outbox.h"

#include <algorithm>

namespace heddle::memory {

bool Outbox::has(AgentId agent) const {
  for (std::size_t i = 0; i < waiting_.size(); ++i)
    if (waiting_[i].agent == agent) return true;
  return false;
}

// Where as many wait as can, the oldest goes on: an agent that comes to a granule of it has asked before.
Waiting& Outbox::wait(Granule& granule, std::uint32_t record) {
  if (waiting_.size() == WaitingList::kMost) [[unlikely]]
    place(0, CacheLevel::Shader, trace::MoveReason::Flush);
  ++report_.delayed;
  ++granule.waiting;
  Waiting& waiting = waiting_.add();
  waiting.granule = record;
  return waiting;
}

Waiting& Outbox::wait_as_update(Granule& granule, std::uint32_t record, const GranuleAccess& updating,
                                trace::Value old) {
  Waiting& waiting = wait(granule, record);
  waiting.update = true;
  waiting.updated = old << updating.shift;
  waiting.read_class = updating.ordered_by();
  ++granule.late_updates;
  return waiting;
}

void Outbox::remove(AllocationId allocation) {
  waiting_.remove_if([&](const Waiting& w) {
    Granule& granule = granules_[w.granule];
    if (granule.allocation != allocation) return false;
    --granule.waiting;
    return true;
  });
}

CacheLevel Outbox::climb() {
  CacheLevel level = first_level_;
  while (level < CacheLevel::Shader && !draws_.chance(policy_.rest))
    level = static_cast<CacheLevel>(static_cast<unsigned>(level) + 1);
  return level;
}

// --- Who goes ---

[[gnu::hot]] std::size_t Outbox::place(std::size_t position, CacheLevel level, trace::MoveReason reason) {
  position = let_updates_go_before(position);
  Waiting& waiting = waiting_.remove(position);
  const std::uint32_t record = waiting.granule;
  Granule& granule = granules_[record];
  --granule.waiting;
  if (waiting.update) --granule.late_updates;
  if (reason == trace::MoveReason::Eviction) ++report_.evicted;
  Version& version = granule.versions.next();
  version.take(waiting);
  order_.place(granule, record, version, synchronization_.residents().find(waiting.agent), level, reason);
  if (waiting.observed)
    granule.observe(waiting.observation, waiting.observation_class, waiting.observed_non_private, order_.last(),
                    version.bytes);
  return position;
}

// Where a policy keeps the order of an invocation, what it issued before goes first.
std::size_t Outbox::place_in_turn(std::size_t position, CacheLevel level, trace::MoveReason reason) {
  if (policy_.in_order) {
    const AgentId agent = waiting_[position].agent;
    for (std::size_t i = 0; i < position;) {
      if (waiting_[i].agent != agent) {
        ++i;
        continue;
      }
      place(i, std::max(level, waiting_[i].least_level()), reason);
      --position;
    }
  }
  return place(position, level, reason);
}

void Outbox::drain(AgentId agent) {
  for (std::size_t i = 0; i < waiting_.size();)
    i = waiting_[i].agent == agent ? place(i, CacheLevel::Shader, trace::MoveReason::Flush) : i + 1;
}

// Two updates that are mutually ordered do not both wait, so that an update goes before stores alone.
std::size_t Outbox::let_updates_go_before(std::size_t position) {
  const Waiting& store = waiting_[position];
  if (granules_[store.granule].late_updates == 0 || store.update || !store.atomic) [[likely]]
    return position;
  for (std::size_t i = 0; i < waiting_.size();) {
    const Waiting& w = waiting_[i];
    if (!w.update || w.granule != waiting_[position].granule || !mutually_ordered(w, waiting_[position])) {
      ++i;
      continue;
    }
    place(i, std::max(climb(), w.least_level()), trace::MoveReason::Atomic);
    if (i < position) --position;
  }
  return position;
}

void Outbox::place_all() {
  while (!waiting_.empty()) place(next_to_go(), CacheLevel::Shader, trace::MoveReason::Flush);
}

Waiting& Outbox::take_next() {
  Waiting& waiting = waiting_.remove(next_to_go());
  Granule& granule = granules_[waiting.granule];
  --granule.waiting;
  if (waiting.update) --granule.late_updates;
  return waiting;
}

// One that is drawn, or the update that may not come behind it.
std::size_t Outbox::next_to_go() {
  const std::uint32_t count = waiting_.size();
  const std::size_t position = policy_.in_order || count == 1 ? 0 : draws_.below(count);
  const Waiting& store = waiting_[position];
  if (store.update || !store.atomic) return position;
  for (std::size_t i = 0; i < waiting_.size(); ++i)
    if (waiting_[i].update && waiting_[i].granule == store.granule && mutually_ordered(waiting_[i], store)) return i;
  return position;
}

// --- Before an access ---

ByteMask Outbox::show_known(std::uint32_t record, const GranuleAccess& access) {
  const Agent& agent = access.agent;
  // Then no event of others. (An agent that uses tags may tell of more than it knows.)
  const bool knows_nobody = agent.knowledge().empty() && !agent.tagged;
  ByteMask own_bytes = 0;
  bool may_know = false;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const Waiting& w = waiting_[i];
    if (w.granule != record || (knows_nobody && w.agent != agent.id)) continue;
    if (is_own(w, access)) {
      own_bytes |= w.bytes & access.bytes;
    } else {
      may_know = true;
    }
  }
  if (!may_know) [[likely]]
    return own_bytes;
  place_known(record, access);
  // Own ones went before them: all where writes go in order, elsewhere updates in front of what would come between.
  own_bytes = 0;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const Waiting& w = waiting_[i];
    if (w.granule == record && is_own(w, access)) own_bytes |= w.bytes & access.bytes;
  }
  return own_bytes;
}

// Writes that still wait, though the agent must not act as if there were none: those that happened before and made
// themselves available, and what somebody read before. What is before whoever acquires from the access is before what
// the access writes, too.
//= vk:memory-model-location-ordered
void Outbox::place_known(std::uint32_t record, const GranuleAccess& access) {
  const Agent& agent = access.agent;
  const auto knows = [&](unsigned row, const Event& event) {
    return agent.knows(row, event) || synchronization_.tells_of(agent, access.operation, event);
  };
  const auto has_by_chain = [&](const Event& event) {
    return synchronization_.has_tags() && agent.knowledge().knows_of(event);
  };
  for (std::size_t i = 0; i < waiting_.size();) {
    const Waiting& w = waiting_[i];
    if (w.granule != record || is_own(w, access)) {
      ++i;
      continue;
    }
    const unsigned row = kHappened + class_of_pair(w.observation_class, access.ordered_by());
    // Any class counts: chains may come by classes that the access has not.
    const bool available =
        w.makes_itself_available() && (knows(kHappened + kAnyClass, w.event) || has_by_chain(w.event));
    const bool read_before = w.observed && w.observed_non_private && access.non_private() && knows(row, w.observation);
    const bool read_in_past = w.observed && agent.knowledge().knows(kSystem, w.observation);
    if (read_before || read_in_past) {
      i = place_in_turn(i, CacheLevel::Shader, trace::MoveReason::Atomic);
    } else if (available) {
      i = place_in_turn(i, w.least_level(), trace::MoveReason::Atomic);
    } else {
      ++i;
    }
  }
}

// What waits for the same bytes, through the same reference: an atomic takes its place first, so does what the agent
// read back, what has other bytes, too, since it is one operation, what could become available to more than the new
// one, and what others may know of without the new one, since the agent has released in between or the two have other
// tags; the rest is overwritten where it stands.
void Outbox::overwrite(std::uint32_t record, const GranuleAccess& writing) {
  const std::uint32_t epoch = synchronization_.event(writing.agent).epoch;
  for (std::size_t i = 0; i < waiting_.size();) {
    Waiting& older = waiting_[i];
    if (older.granule != record || !is_own(older, writing) || (older.bytes & writing.bytes) == 0) {
      ++i;
    } else if (policy_.in_order || older.makes_itself_available() || writing.operation.atomic || older.observed ||
               (older.bytes & ~writing.bytes) != 0 || older.class_index != writing.class_index() ||
               (older.non_private && !writing.non_private()) || older.event.epoch != epoch ||
               older.tags != writing.operation.tags) {
      i = place_in_turn(i, std::max(climb(), older.least_level()), trace::MoveReason::Atomic);
    } else {
      ++report_.lost;
      --granules_[record].waiting;
      waiting_.remove(i).heads.clear();
    }
  }
}

// Nothing that is mutually ordered with an update comes between what it read and what it writes, unless that stays as
// it was.
//= vk:memory-model-acyclicity
void Outbox::let_updates_go_first(std::uint32_t record, const GranuleAccess& writing) {
  for (std::size_t i = 0; i < waiting_.size();) {
    const Waiting& w = waiting_[i];
    const bool goes =
        w.update && w.granule == record && mutually_ordered(w, writing.bytes, writing.operation, writing.agent);
    i = goes ? place(i, std::max(climb(), w.least_level()), trace::MoveReason::Atomic) : i + 1;
  }
}

bool Outbox::has_update_of_other(std::uint32_t record, const GranuleAccess& updating, trace::Value left) const {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const Waiting& late = waiting_[i];
    if (late.update && late.granule == record && late.updated != left &&
        mutually_ordered(late, updating.bytes, updating.operation, updating.agent))
      return true;
  }
  return false;
}

// An agent that reads from one that released nothing acquires nothing more.
//= vk:memory-model-release-sequence
void Outbox::read_instead(Granule& granule, std::uint32_t record, const InScope& between, Stamp stamp) {
  for (const Waiting& late : waiting_)
    if (late.update && late.granule == record && mutually_ordered(late, between))
      granule.observe(late.event, late.read_class, true, stamp, late.bytes);
}

// --- What an agent reads of its own ---

bool Outbox::serves(std::uint32_t record, const GranuleAccess& reading, ByteMask own) {
  if (own == 0) return false;
  if (own == reading.bytes && own_write(record, reading) && !synchronizes_by_tags(record, reading)) [[likely]]
    return true;
  place_own(record, reading);
  return false;
}

// No write that waits has bytes of another one that does.
Waiting* Outbox::own_write(std::uint32_t record, const GranuleAccess& reading) {
  for (Waiting& w : waiting_)
    if (w.granule == record && is_own(w, reading) && (reading.bytes & ~w.bytes) == 0) return &w;
  return nullptr;
}

// A write that waits remembers one read of its agent, which stands for those with the same tags. What it releases its
// agent may acquire from itself, for operations that do not fit it.
bool Outbox::synchronizes_by_tags(std::uint32_t record, const GranuleAccess& reading) const {
  if (!synchronization_.has_tags()) return false;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const Waiting& w = waiting_[i];
    if (w.granule != record || !is_own(w, reading)) continue;
    const bool carries = reading.operation.atomic && !w.heads.empty();
    if (carries || (w.observed && w.observation.tags != reading.agent.tags)) return true;
  }
  return false;
}

// An access is one operation: what it reads is what there was at one moment. Bytes of it that others wrote must not be
// left out while later bytes are taken, and own writes that wait must not be mixed with what came in between. Of
// several that wait one could come behind what overwrites another one.
//= vk:memory-model-acyclicity
void Outbox::place_own(std::uint32_t record, const GranuleAccess& reading) {
  place_those(
      [&](const Waiting& w) { return w.granule == record && is_own(w, reading) && (w.bytes & reading.bytes) != 0; },
      [&] { return climb(); }, trace::MoveReason::Eviction);
}

void Outbox::read_own(std::uint32_t record, const GranuleAccess& reading, trace::Value& value) {
  Waiting& w = *own_write(record, reading);
  value = w.over(value);
  if (!w.observed || (reading.non_private() && !w.observed_non_private)) {
    w.observed = true;
    w.observed_non_private = reading.non_private();
    w.observation = synchronization_.event(reading.agent);
    w.observation_class = reading.ordered_by();
  } else if (w.observation_class != reading.ordered_by()) {
    w.observation_class = kAnyClass;
  }
}

}  // namespace heddle::memory
