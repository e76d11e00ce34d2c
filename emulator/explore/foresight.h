#pragma once

/// \file
/// Where agents may still write: what a read may wait for, whatever its value.

#include <cstdint>
#include <map>
#include <vector>

#include "emulator/explore/layout.h"
#include "emulator/explore/program.h"
#include "emulator/explore/trace_tree.h"

namespace heddle::explore {

/// What agents may still do, from what they tell themselves (Step::later) or from what they
/// were seen to do.
class Foresight {
 public:
  using Node = TraceTree::Node;

  Foresight(const std::vector<TraceTree>& trees, Layout& layout);

  /// Whether all agents tell what they may do. Otherwise `note` has to be given all that they do, as
  /// long as there is news.
  bool told() const { return told_; }

  /// Takes note of what `agent` does at `node`. Returns whether that was news, after which what was
  /// said before may have been too little.
  bool note(AgentId agent, Node node, const Operation& operation);

  /// Whether `agent`, whose next step is `node`, may write `piece` before it ends.
  bool may_write(AgentId agent, Node node, const Locations& piece) const;
  /// As that, of a write that the read of another agent, `reader`, at `read` could take its value from: no control
  /// barrier orders the read before it.
  bool may_write_for(AgentId reader, Node read, AgentId agent, Node node, const Locations& piece) const;
  /// Whether `agent`, whose next step is the read at `node`, may write `piece` later in such a way that
  /// its read need not be location-ordered before that write.
  bool may_write_unordered(AgentId agent, Node node, const Locations& piece) const;

 private:
  /// An access that was seen, after how many control barriers, and the greatest depth at which it was.
  struct Seen {
    LaterAccess access;
    std::uint32_t phase = 0;
    std::uint32_t depth = 0;
  };
  /// The control barrier that ends a phase of an agent, as it was seen.
  struct PhaseEnd {
    std::uint64_t instance = 0;
    MemorySemantics semantics = MemorySemantics::None;
    Scope scope = Scope::Invocation;
    /// Whether it lets others by when all have come, and was seen in one form only.
    bool is_plain = true;
  };

  bool note_barrier(AgentId agent, Node node);
  bool is_ordered(AgentId reader, Node read, AgentId agent, const Seen& write) const;

  template <typename Matches>
  bool any(AgentId agent, Node node, Matches matches) const;

  const std::vector<TraceTree>& trees_;
  Layout& layout_;
  bool told_ = true;
  /// By agent: all writes seen.
  std::vector<std::vector<Seen>> seen_;
  /// By agent and phase.
  std::vector<std::map<std::uint32_t, PhaseEnd>> phase_ends_;
};

}  // namespace heddle::explore
