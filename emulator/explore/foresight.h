#pragma once

/// \file
/// Where agents may still write: what a read may wait for, whatever its value.

#include <cstdint>
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
  /// Whether `agent`, whose next step is the read at `node`, may write `piece` later in such a way that
  /// its read need not be location-ordered before that write.
  bool may_write_unordered(AgentId agent, Node node, const Locations& piece) const;

 private:
  /// An access that was seen, and the greatest depth at which it was.
  struct Seen {
    LaterAccess access;
    std::uint32_t depth = 0;
  };

  template <typename Matches>
  bool any(AgentId agent, Node node, Matches matches) const;

  const std::vector<TraceTree>& trees_;
  Layout& layout_;
  bool told_ = true;
  /// By agent: all writes seen.
  std::vector<std::vector<Seen>> seen_;
};

}  // namespace heddle::explore
