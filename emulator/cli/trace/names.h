#pragma once

/// \file
/// What people call the agents and the bytes of a trace.

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator/report/read_type.h"
#include "emulator/trace/components.h"
#include "emulator/trace/listener.h"

namespace heddle::cli {

/// Remembers what a trace has told of dispatches, agents and names.
class TraceNames {
 public:
  void dispatched(const trace::Dispatch& dispatch);
  void named(const trace::NamedBytes& bytes);
  /// Tells what bytes consist of that were named.
  void consist(const trace::NamedBytes& bytes, const trace::Components& components);
  /// What is told next has a name of its own: "store RELEASE", "thread 2".
  void called(std::string_view words) { called_ = words; }
  /// The words for the operation that is told; what it does where there are none.
  std::string_view words_for(const Operation& operation);
  void agent_begins(AgentId agent, const model::Place& place);

  /// "dispatch 0 workgroup (1,0,0) local (3,0,0)", or where in which scope instances it is, if it is no
  /// invocation of a dispatch.
  std::string agent(AgentId agent) const;
  /// "w(1,0,0) l(3,0,0)", with the dispatch in front where that is not the first one.
  std::string agent_in_short(AgentId agent) const;
  /// The agent with its subgroup and lane.
  std::string agent_in_full(AgentId agent) const;
  /// "'data' bytes 12..15"
  std::string bytes(const Locations& bytes) const;
  /// The name of what the bytes are in: "data", or "allocation 3".
  std::string object(const Locations& bytes) const;
  /// "data[2]" where the bytes are one element, or lie in one, "data[2].flag" in a member of one; else as `bytes` says.
  std::string element(const Locations& bytes) const;
  /// The value that bytes have, in their type: "-1.5"; in hexadecimal where the type is not known.
  std::string value(const Locations& bytes, trace::Value value) const;
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
    report::ReadType type;
  };
  struct HashOfId {
    template <typename Id>
    std::size_t operator()(Id id) const {
      return std::hash<std::uint32_t>()(static_cast<std::uint32_t>(id));
    }
  };

  /// What the first of the bytes belongs to, or null.
  const Name* name_at(const Locations& bytes) const;
  /// The dispatch that the agent is an invocation of, or null.
  const Dispatch* dispatch_of(AgentId agent) const;

  std::deque<Dispatch> dispatches_;
  std::unordered_map<AgentId, model::Place, HashOfId> places_;
  std::unordered_map<AgentId, std::string_view, HashOfId> agents_called_;
  std::string_view called_;
  std::unordered_map<AllocationId, std::vector<Name>, HashOfId> names_;
};

/// "atomic read", "control barrier"
std::string_view kind_of(const Operation& operation);
/// "made available"
std::string_view name_of(trace::MoveReason reason);

}  // namespace heddle::cli
