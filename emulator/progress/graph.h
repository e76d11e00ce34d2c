#pragma once

/// \file
/// The states that interleaved threads come to, as a search for runs that do not end sees them.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::progress {

/// Position of a state; 0 is the first.
using State = std::uint32_t;

/// A step of a thread from one state to another.
struct Edge {
  State from = 0;
  State to = 0;
  std::uint32_t thread = 0;
  /// Which of several things the thread does, where nothing defines what.
  std::uint32_t choice = 0;
};

using Edges = std::vector<Edge>;

/// States and their edges, all of them or as many as were looked at.
class Graph {
 public:
  virtual ~Graph() = default;

  virtual std::size_t size() const = 0;
  /// Ascending by `from`, then by thread.
  virtual const Edges& edges() const = 0;
  virtual bool begun(State state, std::uint32_t thread) const = 0;
  virtual bool ended(State state, std::uint32_t thread) const = 0;
  /// Whether the thread has arrived at a control barrier and not passed it.
  virtual bool waits(State state, std::uint32_t thread) const = 0;
  virtual bool can_run(State state, std::uint32_t thread) const = 0;
  /// Whether no thread can run, though one has not ended, and none was given up.
  virtual bool stands_still(State state) const = 0;
  /// Whether an execution that stays in the state does not count.
  virtual bool is_discarded(State state) const = 0;
};

}  // namespace heddle::progress
