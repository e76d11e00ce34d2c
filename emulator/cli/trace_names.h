#pragma once

/// \file
/// What people call the agents and the bytes of a trace.

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/trace/listener.h"

namespace heddle::cli {

/// Remembers what a trace has told of dispatches, agents and names.
class TraceNames {
 public:
  void dispatched(const trace::Dispatch& dispatch);
  void named(const trace::NamedBytes& bytes);
  void agent_begins(AgentId agent, const model::Place& place) { places_[agent] = place; }

  /// "dispatch 0 workgroup (1,0,0) local (3,0,0)", or where in which scope instances it is, if it is no
  /// invocation of a dispatch.
  std::string agent(AgentId agent) const;
  /// The same with subgroup and lane.
  std::string agent_in_full(AgentId agent) const;
  /// "'data' bytes 12..15"
  std::string bytes(const Locations& bytes) const;
  /// "workgroup (1,0,0)": where in the scope instances it is in a cache of this level lies.
  std::string cache(AgentId agent, trace::CacheLevel level) const;
  model::Place place(AgentId agent) const;

 private:
  struct Dispatch {
    trace::Dispatch shape;
    std::vector<std::uint32_t> positions;
  };
  struct Name {
    std::uint64_t offset_bytes = 0;
    std::uint64_t size_bytes = 0;
    std::string name;
  };
  struct HashOfId {
    template <typename Id>
    std::size_t operator()(Id id) const {
      return std::hash<std::uint32_t>()(static_cast<std::uint32_t>(id));
    }
  };

  /// The dispatch that the agent is an invocation of, or null.
  const Dispatch* dispatch_of(AgentId agent) const;

  std::deque<Dispatch> dispatches_;
  std::unordered_map<AgentId, model::Place, HashOfId> places_;
  std::unordered_map<AllocationId, std::vector<Name>, HashOfId> names_;
};

/// "atomic read", "control barrier"
std::string_view kind_of(const Operation& operation);
/// "made available"
std::string_view name_of(trace::MoveReason reason);

}  // namespace heddle::cli
