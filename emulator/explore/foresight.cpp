#include "emulator/explore/foresight.h"

#include <algorithm>

#include "emulator/model/tags.h"

namespace heddle::explore {

Foresight::Foresight(const std::vector<TraceTree>& trees, Layout& layout)
    : trees_(trees), layout_(layout), seen_(trees.size()), phase_ends_(trees.size()) {
  for (const TraceTree& tree : trees) {
    const Later* later = tree.step(TraceTree::kRoot).later;
    told_ = told_ && later != nullptr;
    if (later == nullptr) continue;
    for (const LaterAccess& access : later->accesses) layout_.add(access.locations);
  }
}

bool Foresight::note(AgentId agent, Node node, const Operation& operation) {
  if (trees_[position(agent)].step(node).meets_others()) return note_barrier(agent, node);
  if (!operation.is_access()) return false;
  const bool cut_anew = layout_.add(operation.locations);
  if (!operation.writes()) return cut_anew;
  const LaterAccess access{operation.locations, operation.reference, true, operation.is_non_private(), operation.tags};
  const std::uint32_t depth = trees_[position(agent)].depth(node) + 1;
  const std::uint32_t phase = trees_[position(agent)].phase(node);
  std::vector<Seen>& seen = seen_[position(agent)];
  const auto known =
      std::find_if(seen.begin(), seen.end(), [&](const Seen& s) { return s.phase == phase && s.access == access; });
  if (known == seen.end()) {
    seen.push_back({access, phase, depth});
    return true;
  }
  const bool later = known->depth < depth;
  known->depth = std::max(known->depth, depth);
  return cut_anew || later;
}

template <typename Matches>
bool Foresight::any(AgentId agent, Node node, Matches matches) const {
  const TraceTree& tree = trees_[position(agent)];
  if (const Later* later = tree.step(node).later)
    return std::any_of(later->accesses.begin(), later->accesses.end(), matches);
  const std::uint32_t depth = tree.depth(node);
  const std::vector<Seen>& seen = seen_[position(agent)];
  return std::any_of(seen.begin(), seen.end(), [&](const Seen& s) { return s.depth > depth && matches(s.access); });
}

bool Foresight::may_write(AgentId agent, Node node, const Locations& piece) const {
  return any(agent, node, [&](const LaterAccess& access) { return access.writes && access.locations.overlaps(piece); });
}

// Notes the control barrier; whether that was news.
bool Foresight::note_barrier(AgentId agent, Node node) {
  const TraceTree& tree = trees_[position(agent)];
  const Step& step = tree.step(node);
  const PhaseEnd now{step.operation.barrier_instance, step.operation.semantics, step.operation.scope,
                     step.quorum == 0 && step.operation.tags == TagSetId::Empty};
  const auto [known, fresh] = phase_ends_[position(agent)].emplace(tree.phase(node), now);
  if (fresh || !known->second.is_plain) return fresh;
  PhaseEnd& before = known->second;
  before.is_plain =
      now.is_plain && before.instance == now.instance && before.semantics == now.semantics && before.scope == now.scope;
  return !before.is_plain;
}

// Whether the read happens-before the write in any execution that has both: it is made before a control barrier at
// which both agents meet, which releases and acquires, and the write after it. Then it is location-ordered before the
// write.
//= vk:memory-model-location-ordered
bool Foresight::is_ordered(AgentId reader, Node read, AgentId agent, const Seen& write) const {
  const TraceTree& tree = trees_[position(reader)];
  const Operation& operation = tree.step(read).operation;
  if (!write.access.non_private || !operation.is_non_private()) return false;
  if (write.access.tags != TagSetId::Empty || operation.tags != TagSetId::Empty) return false;
  const MemorySemantics of_class = semantic_of(operation.storage_class);
  const auto orders = [&](const PhaseEnd& end) {
    return end.is_plain && acquires(end.semantics) && releases(end.semantics) && has(end.semantics, of_class) &&
           same_instance(tree.place(), trees_[position(agent)].place(), end.scope);
  };
  for (std::uint32_t phase = tree.phase(read); phase < write.phase; ++phase) {
    const auto own = phase_ends_[position(reader)].find(phase);
    const auto other = phase_ends_[position(agent)].find(phase);
    if (own == phase_ends_[position(reader)].end() || other == phase_ends_[position(agent)].end()) continue;
    if (own->second.instance == other->second.instance && orders(own->second) && orders(other->second)) return true;
  }
  return false;
}

bool Foresight::may_write_for(AgentId reader, Node read, AgentId agent, Node node, const Locations& piece) const {
  const TraceTree& tree = trees_[position(agent)];
  if (tree.step(node).later != nullptr) return may_write(agent, node, piece);
  const std::vector<Seen>& seen = seen_[position(agent)];
  return std::any_of(seen.begin(), seen.end(), [&](const Seen& s) {
    return s.depth > tree.depth(node) && s.access.locations.overlaps(piece) && !is_ordered(reader, read, agent, s);
  });
}

bool Foresight::may_write_unordered(AgentId agent, Node node, const Locations& piece) const {
  const Operation& read = trees_[position(agent)].step(node).operation;
  return any(agent, node, [&](const LaterAccess& access) {
    if (!access.writes || !access.locations.overlaps(piece)) return false;
    //= vk:memory-model-location-ordered
    //= mmra:happens-before
    return !(read.locations.overlaps(piece) &&
             (access.reference == read.reference ||
              (access.non_private && read.is_non_private() && model::compatible(access.tags, read.tags))));
  });
}

}  // namespace heddle::explore
