// What agents know that use tags: happens-before without program order between operations whose tags do not fit.

#include <algorithm>

#include "emulator/memory/synchronization.h"

namespace heddle::memory {

Knowledge& TaggedKnowledge::of_tags(std::vector<std::unique_ptr<Learnt>>& known, TagSetId tags) {
  for (const std::unique_ptr<Learnt>& one : known)
    if (one->tags == tags) return one->knowledge;
  known.push_back(std::make_unique<Learnt>(Learnt{tags, {}}));
  return known.back()->knowledge;
}

// An acquire comes after what acquires that fit it learnt, and hands that on to whatever fits itself.
//= mmra:happens-before
void TaggedKnowledge::keep(TagSetId tags, const Knowledge& knows) {
  if (std::exchange(changed, false)) learnt_by(tags) = knows;
}

//= mmra:happens-before
void TaggedKnowledge::look_up(TagSetId tags, Knowledge& known) const {
  known.clear();
  for (const auto& one : learnt)
    if (fit(one->tags, tags)) known.join_all(one->knowledge);
}

// All that it did and learnt so far fits everything.
void Synchronization::begin_to_use_tags(Agent& agent) {
  agent.be_other();
  has_tags_ = true;
  agent.tagged = std::make_unique<TaggedKnowledge>();
  agent.tagged->learnt_by(TagSetId::Empty) = agent.own;
  agent.tagged->slots.push_back({TagSetId::Empty, agent.slot});
}

void Synchronization::use_tags(Agent& agent, TagSetId tags) {
  if (one_slot_ || tags == agent.tags) return;
  if (!agent.tagged) begin_to_use_tags(agent);
  agent.tagged->keep(agent.tags, agent.own);
  TaggedKnowledge::of_tags(agent.tagged->passed, agent.tags).join_all(agent.own);
  agent.slot = slot_of(agent, tags);
  agent.tags = tags;
  agent.tagged->look_up(tags, agent.own);
}

unsigned Synchronization::slot_of(Agent& agent, TagSetId tags) {
  std::vector<TaggedKnowledge::Slot>& slots = agent.tagged->slots;
  const auto known = std::find_if(slots.begin(), slots.end(), [&](const auto& own) { return own.tags == tags; });
  if (known != slots.end()) return known->slot;
  slots.push_back({tags, slots_ == limits_.slots ? 0 : slots_++});
  return slots.back().slot;
}

// A release tells of what the agent did that fits it, and of what came before those of its operations that fit it: what
// acquires had learnt, and what releases told of. (Each operation counts, whatever its storage class.)
//= mmra:happens-before
SnapshotHandle Synchronization::tagged_snapshot(Agent& agent) {
  TaggedKnowledge& tagged = *agent.tagged;
  SnapshotHandle made = snapshot(agent.own, agent.slot);
  for (const TaggedKnowledge::Slot& own : tagged.slots)
    if (own.slot != agent.slot && fit(own.tags, agent.tags)) (*made).learn_happened(own.slot, epochs_[own.slot]++);
  for (const auto& passed : tagged.passed)
    if (fit(passed->tags, agent.tags)) (*made).join_all(passed->knowledge);
  TaggedKnowledge::of_tags(tagged.passed, agent.tags) = *made;
  return made;
}

// An acquire comes itself before acquires that fit it, and before what fits these: they hand it on as they do what it
// learnt. Later operations are of a later epoch.
//= vk:memory-model-inter-thread-happens-before
//= mmra:happens-before
void Synchronization::hand_on(Agent& agent, MemorySemantics semantics) {
  Knowledge& knowledge = agent.changed();
  const std::uint32_t epoch = epochs_[agent.slot]++;
  for_each(constrained_classes(semantics), [&](unsigned k) { knowledge.learn(kHappened + k, agent.slot, epoch); });
}

// What it releases comes before what it is an acquire for, whether or not the two fit.
Head Synchronization::tagged_head_of(Agent& agent, const Operation& operation, MemorySemantics semantics) {
  Head head = head_of(agent.id, agent.place, operation, semantics, tagged_snapshot(agent));
  if (acquires(semantics)) head.teach(agent.changed(), semantics, head.apart_from(agent.place));
  return head;
}

// By its release barriers, or by what came before earlier operations that fit it.
//= mmra:synchronizes-with
bool Synchronization::tagged_tells_of(const Agent& agent, const Operation& write, const Event& event) const {
  const unsigned k = class_index_of(write.storage_class);
  const auto by_barrier = [&](const Head& head) {
    return constrains(head.semantics, k) && (*head.known).knows_of(event);
  };
  const auto by_write = [&](const std::unique_ptr<TaggedKnowledge::Learnt>& passed) {
    return fit(passed->tags, agent.tags) && passed->knowledge.knows_of(event);
  };
  const std::vector<Head>& together = agent.cohort->released;
  const auto& passed = agent.tagged->passed;
  return std::any_of(agent.released.begin(), agent.released.end(), by_barrier) ||
         std::any_of(together.begin(), together.end(), by_barrier) ||
         (releases(write.semantics) && std::any_of(passed.begin(), passed.end(), by_write));
}

// What the agent did, and all that it learnt, whatever the tags.
SnapshotHandle Synchronization::snapshot_of_all(Agent& agent) {
  if (!agent.tagged) return snapshot(agent.knowledge(), agent.slot);
  agent.tagged->keep(agent.tags, agent.own);
  Knowledge all{};
  for (const auto& learnt : agent.tagged->learnt) all.join_all(learnt->knowledge);
  SnapshotHandle made = snapshot(all, agent.slot);
  for (const TaggedKnowledge::Slot& own : agent.tagged->slots)
    if (own.slot != agent.slot) (*made).learn_happened(own.slot, epochs_[own.slot]++);
  return made;
}

// What the agent did before its visibility operation, where that fits it.
void Synchronization::see_own(Agent& agent, CacheLevel level) {
  if (level == CacheLevel::Agent) return;
  for (const TaggedKnowledge::Slot& own : agent.tagged->slots)
    if (fit(own.tags, agent.tags)) agent.own.see_own(level, own.slot, epochs_[own.slot]);
}

// A device-domain operation is no acquire: what it makes visible goes on, and what happened before it does not.
//= vk:memory-model-vulkan-availability-visibility
void Synchronization::make_device_visible_by_tags(Agent& agent) {
  agent.tagged->keep(agent.tags, agent.own);
  Knowledge& kept = agent.tagged->learnt_by(agent.tags);
  for (Knowledge* knowledge : {&kept, &agent.own}) {
    knowledge->make_device_visible(agent.own);
    for (const TaggedKnowledge::Slot& own : agent.tagged->slots)
      if (fit(own.tags, agent.tags)) knowledge->learn(kDeviceVisible, own.slot, epochs_[own.slot]);
  }
}

}  // namespace heddle::memory
