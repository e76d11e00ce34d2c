#include "emulator/explore/foresight.h"

#include <algorithm>

#include "emulator/model/tags.h"

namespace heddle::explore {

Foresight::Foresight(const std::vector<TraceTree>& trees, Layout& layout)
    : trees_(trees), layout_(layout), seen_(trees.size()) {
  for (const TraceTree& tree : trees) {
    const Later* later = tree.step(TraceTree::kRoot).later;
    told_ = told_ && later != nullptr;
    if (later == nullptr) continue;
    for (const LaterAccess& access : later->accesses) layout_.add(access.locations);
  }
}

bool Foresight::note(AgentId agent, Node node, const Operation& operation) {
  if (!operation.is_access()) return false;
  const bool cut_anew = layout_.add(operation.locations);
  if (!operation.writes()) return cut_anew;
  const LaterAccess access{operation.locations, operation.reference, true, operation.is_non_private(), operation.tags};
  const std::uint32_t depth = trees_[position(agent)].depth(node) + 1;
  std::vector<Seen>& seen = seen_[position(agent)];
  const auto known = std::find_if(seen.begin(), seen.end(), [&](const Seen& s) { return s.access == access; });
  if (known == seen.end()) {
    seen.push_back({access, depth});
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
