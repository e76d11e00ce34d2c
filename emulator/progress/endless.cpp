#include "emulator/progress/endless.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <numeric>
#include <tuple>
#include <utility>

namespace heddle::progress {
namespace {

/// Tarjan's algorithm: the number of the strongly connected set that each state is in. (The library that would do it is
/// not there where the page's engine is built.)
class StronglyConnected {
 public:
  StronglyConnected(const Edges& edges, std::size_t states) : edges_(edges), first_edge_(states + 1), at_(states) {
    for (const Edge& edge : edges) ++first_edge_[edge.from + 1];
    std::partial_sum(first_edge_.begin(), first_edge_.end(), first_edge_.begin());
    for (State state = 0; state < states; ++state)
      if (at_[state].number == 0) search(state);
  }

  std::uint32_t set_of(State state) const { return at_[state].set; }
  std::uint32_t count() const { return sets_; }

 private:
  struct Visit {
    /// When the state was come to, from 1; 0 if it was not.
    std::uint32_t number = 0;
    /// The earliest state of its set that is known to be reached from here.
    std::uint32_t lowest = 0;
    std::uint32_t set = 0;
    bool open = false;
  };

  void enter(State state) {
    ++numbers_;
    at_[state] = {numbers_, numbers_, 0, true};
    open_.push_back(state);
    path_.emplace_back(state, first_edge_[state]);
  }

  void search(State root) {
    enter(root);
    while (!path_.empty()) {
      auto& [state, edge] = path_.back();
      if (edge == first_edge_[state + 1]) {
        leave(state);
        continue;
      }
      const State to = edges_[edge++].to;
      if (at_[to].number == 0) {
        enter(to);
      } else if (at_[to].open) {
        at_[state].lowest = std::min(at_[state].lowest, at_[to].number);
      }
    }
  }

  void leave(State state) {
    path_.pop_back();
    if (!path_.empty()) {
      std::uint32_t& lowest = at_[path_.back().first].lowest;
      lowest = std::min(lowest, at_[state].lowest);
    }
    if (at_[state].lowest != at_[state].number) return;
    State member = 0;
    do {
      member = open_.back();
      open_.pop_back();
      at_[member].set = sets_;
      at_[member].open = false;
    } while (member != state);
    ++sets_;
  }

  const Edges& edges_;
  std::vector<std::size_t> first_edge_;
  std::vector<Visit> at_;
  std::vector<State> open_;
  std::vector<std::pair<State, std::size_t>> path_;
  std::uint32_t numbers_ = 0;
  std::uint32_t sets_ = 0;
};

/// The edges of each strongly connected set of states that has any, those first that fewer steps lead to.
std::vector<Edges> circles(const Edges& edges, std::size_t states) {
  const StronglyConnected sets(edges, states);
  std::vector<Edges> by_set(sets.count());
  std::vector<std::uint32_t> order;
  for (const Edge& edge : edges) {
    const std::uint32_t set = sets.set_of(edge.from);
    if (set != sets.set_of(edge.to)) continue;
    if (by_set[set].empty()) order.push_back(set);
    by_set[set].push_back(edge);
  }
  std::vector<Edges> out;
  for (const std::uint32_t set : order) out.push_back(std::move(by_set[set]));
  return out;
}

bool steps_in(const Edges& circle, std::uint32_t thread) {
  return std::any_of(circle.begin(), circle.end(), [thread](const auto& edge) { return edge.thread == thread; });
}

/// Looks for runs that do not end among the states of a graph.
class EndlessSearch {
 public:
  EndlessSearch(const Graph& graph, const ProgressGroups& groups, std::size_t threads)
      : graph_(graph), groups_(groups), threads_(threads) {}

  std::optional<EndlessWay> run() const;

 private:
  Edges undiscarded() const;
  bool allows(const Edges& circle) const;
  std::optional<Edges> find(const Edges& edges) const;
  Edges with_fewest_threads(Edges circle) const;
  Edges way(const Edges& edges, State from, const std::function<bool(State)>& arrived) const;
  Edges round(const Edges& circle) const;
  EndlessWay told(State state, const Edges& circle) const;
  EndlessPart part_of(State state, const Edges& circle, std::uint32_t thread) const;

  const Graph& graph_;
  const ProgressGroups& groups_;
  const std::size_t threads_;
};

/// The edges between states in which an execution may stay.
Edges EndlessSearch::undiscarded() const {
  std::vector<bool> discarded(graph_.size());
  for (State state = 0; state < graph_.size(); ++state) discarded[state] = graph_.is_discarded(state);
  Edges out;
  std::copy_if(graph_.edges().begin(), graph_.edges().end(), std::back_inserter(out),
               [&](const Edge& edge) { return !discarded[edge.from] && !discarded[edge.to]; });
  return out;
}

/// Whether a run may go round in these states for ever, along all edges. A thread that makes no step there can run in
/// all of the states or in none.
bool EndlessSearch::allows(const Edges& circle) const {
  std::vector<ThreadFate> fates(threads_);
  for (const Edge& edge : circle) fates[edge.thread].steps = true;
  const State state = circle.front().from;
  for (std::uint32_t thread = 0; thread < threads_; ++thread) {
    fates[thread].begun = graph_.begun(state, thread);
    fates[thread].can_run = fates[thread].steps || graph_.can_run(state, thread);
  }
  return groups_.allow(fates);
}

std::optional<Edges> EndlessSearch::find(const Edges& edges) const {
  for (Edges& circle : circles(edges, graph_.size()))
    if (allows(circle)) return std::move(circle);
  return std::nullopt;
}

/// A schedule reads best if few threads go on in it.
Edges EndlessSearch::with_fewest_threads(Edges circle) const {
  for (std::uint32_t thread = 0; thread < threads_; ++thread) {
    Edges others;
    std::copy_if(circle.begin(), circle.end(), std::back_inserter(others),
                 [thread](const Edge& edge) { return edge.thread != thread; });
    if (others.size() == circle.size()) continue;
    if (auto smaller = find(others)) circle = *std::move(smaller);
  }
  return circle;
}

/// A shortest way from a state to the first that is arrived at; nothing if that is the state itself.
Edges EndlessSearch::way(const Edges& edges, State from, const std::function<bool(State)>& arrived) const {
  constexpr std::size_t kNone = ~std::size_t{0};
  const auto before = [](const Edge& edge, State state) { return edge.from < state; };
  std::vector<std::size_t> by(graph_.size(), kNone);
  std::deque<State> open{from};
  while (!open.empty() && !arrived(open.front())) {
    const State state = open.front();
    open.pop_front();
    for (auto edge = std::lower_bound(edges.begin(), edges.end(), state, before);
         edge != edges.end() && edge->from == state; ++edge) {
      if (edge->to == from || by[edge->to] != kNone) continue;
      by[edge->to] = static_cast<std::size_t>(edge - edges.begin());
      open.push_back(edge->to);
    }
  }
  Edges out;
  for (State at = open.empty() ? from : open.front(); at != from; at = out.back().from) out.push_back(edges[by[at]]);
  std::reverse(out.begin(), out.end());
  return out;
}

/// A way that begins and ends in the first state of the circle, in which each thread steps that steps in the circle.
Edges EndlessSearch::round(const Edges& circle) const {
  const State start = circle.front().from;
  const auto before = [](const Edge& edge, const Edge& other) {
    return std::tie(edge.from, edge.thread) < std::tie(other.from, other.thread);
  };
  Edges out;
  const auto go = [&](const Edges& more) { out.insert(out.end(), more.begin(), more.end()); };
  const auto at = [&] { return out.empty() ? start : out.back().to; };
  for (std::uint32_t thread = 0; thread < threads_; ++thread) {
    if (!steps_in(circle, thread) || steps_in(out, thread)) continue;
    const auto edge_at = [&](State state) {
      const Edge wanted{state, 0, thread, 0};
      const auto edge = std::lower_bound(circle.begin(), circle.end(), wanted, before);
      return edge != circle.end() && !before(wanted, *edge) ? edge : circle.end();
    };
    go(way(circle, at(), [&](State state) { return edge_at(state) != circle.end(); }));
    out.push_back(*edge_at(at()));
  }
  go(way(circle, at(), [start](State state) { return state == start; }));
  return out;
}

EndlessPart EndlessSearch::part_of(State state, const Edges& circle, std::uint32_t thread) const {
  if (graph_.ended(state, thread)) return EndlessPart::Ended;
  if (steps_in(circle, thread)) return EndlessPart::GoesOn;
  if (graph_.can_run(state, thread))
    return graph_.begun(state, thread) ? EndlessPart::LeftAside : EndlessPart::NeverBegins;
  return graph_.waits(state, thread) ? EndlessPart::Waits : EndlessPart::WaitsForThread;
}

EndlessWay EndlessSearch::told(State state, const Edges& circle) const {
  EndlessWay out;
  out.first = way(graph_.edges(), 0, [state](State other) { return other == state; });
  if (!circle.empty()) out.again = round(circle);
  for (std::uint32_t thread = 0; thread < threads_; ++thread) out.parts.push_back(part_of(state, circle, thread));
  return out;
}

std::optional<EndlessWay> EndlessSearch::run() const {
  for (State state = 0; state < graph_.size(); ++state)
    if (graph_.stands_still(state) && !graph_.is_discarded(state)) return told(state, {});
  const auto found = find(undiscarded());
  if (!found) return std::nullopt;
  const Edges circle = with_fewest_threads(*found);
  return told(circle.front().from, circle);
}

}  // namespace

std::optional<EndlessWay> endless_way(const Graph& graph, const ProgressGroups& groups, std::size_t threads) {
  return EndlessSearch(graph, groups, threads).run();
}

}  // namespace heddle::progress
