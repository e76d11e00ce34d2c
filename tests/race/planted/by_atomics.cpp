// Algorithms in which invocations take turns by atomics, and no order is needed beyond that.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "tests/race/planted/planted.h"

using namespace heddle;
using namespace heddle::planted;

namespace {

constexpr std::uint32_t kGroup = 8;
constexpr std::uint32_t kGroups = 3;
constexpr std::uint32_t kInvocations = kGroup * kGroups;
constexpr MemorySemantics kRelaxed = MemorySemantics::None;
constexpr std::uint32_t kBins = 4;

// Counts in Workgroup memory first.
constexpr auto histogram = [](auto& inv, StorageBuffer<const std::uint32_t> auto keys,
                              StorageBuffer<std::uint32_t> auto bins, Bug bug) {
  auto local = inv.template workgroup<std::uint32_t[kBins]>("local");
  const std::uint32_t me = inv.local_invocation_index();
  const std::uint32_t i = inv.global_invocation_id().x;
  if (me < kBins) local[me] = 0;
  if (bug != Bug::BarrierRemoved) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  if (i < keys.size() || bug == Bug::GuardRemoved) {
    const std::uint32_t bin = keys[i] % kBins;
    if (bug == Bug::Plain) {
      local[bin] += 1;
    } else {
      inv.atomic_i_increment(local[bin], Scope::Workgroup, kRelaxed);
    }
  }
  if (bug != Bug::SecondBarrierRemoved) inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  const Dynamic<Scope> scope = message_scope(bug);
  if (me < kBins) inv.atomic_i_add(bins[me], scope, kRelaxed, local[me]);
};

bool run_histogram(Device& device, Bug bug) {
  std::vector<std::uint32_t> values(kInvocations - 3);
  for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i * i;
  std::vector<std::uint32_t> expected(kBins, 0);
  for (const std::uint32_t value : values) ++expected[value % kBins];
  auto keys = device.buffer(values, "keys");
  auto bins = device.buffer(std::vector<std::uint32_t>(kBins, 0), "bins");
  device.dispatch(histogram, kGroups, kGroup, read_only(keys), bins, bug);
  return bins.read() == expected;
}

/// A graph in rows.
struct Graph {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> neighbours;
};

// Vertex v has edges to 2v + 1, 2v + 2, v + 1 and 0, where there are such.
Graph graph(std::uint32_t vertices) {
  Graph made;
  made.first.push_back(0);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    for (const std::uint32_t to : {2 * v + 1, 2 * v + 2, v + 1, 0u})
      if (to < vertices) made.neighbours.push_back(to);
    made.first.push_back(static_cast<std::uint32_t>(made.neighbours.size()));
  }
  return made;
}

constexpr std::uint32_t kUnreached = ~0u;

constexpr auto expand =
    [](auto& inv, StorageBuffer<const std::uint32_t> auto first, StorageBuffer<const std::uint32_t> auto neighbours,
       StorageBuffer<const std::uint32_t> auto frontier, std::uint32_t size, StorageBuffer<std::uint32_t> auto distance,
       std::uint32_t level, StorageBuffer<std::uint32_t> auto next, StorageBuffer<std::uint32_t> auto next_size,
       Bug bug) {
      const std::uint32_t i = inv.global_invocation_id().x;
      if (i >= size && bug != Bug::GuardRemoved) return;
      const std::uint32_t vertex = frontier[i];
      for (std::uint32_t edge = first[vertex]; edge < first[vertex + 1]; ++edge) {
        const std::uint32_t to = neighbours[edge];
        if (bug == Bug::Plain) {
          if (distance[to] != kUnreached) continue;
          distance[to] = level;
        } else {
          if (inv.atomic_compare_exchange(distance[to], message_scope(bug), kRelaxed, kRelaxed, level, kUnreached) !=
              kUnreached)
            continue;
        }
        next[inv.atomic_i_increment(next_size[0], Scope::Device, kRelaxed)] = to;
      }
    };

bool run_bfs(Device& device, Bug bug) {
  constexpr std::uint32_t kVertices = 20;
  const Graph g = graph(kVertices);
  auto first = device.buffer(g.first, "first");
  auto neighbours = device.buffer(g.neighbours, "neighbours");
  std::vector<std::uint32_t> start(kVertices, kUnreached);
  start[0] = 0;
  auto distance = device.buffer(start, "distance");
  std::vector<std::uint32_t> frontier = {0};
  for (std::uint32_t level = 1; !frontier.empty(); ++level) {
    auto now = device.buffer(frontier, "frontier");
    auto next = device.buffer(std::vector<std::uint32_t>(4 * kVertices, 0), "next");
    auto next_size = device.buffer(std::vector<std::uint32_t>(1, 0), "next_size");
    const auto size = static_cast<std::uint32_t>(frontier.size());
    device.dispatch(expand, (size + 1) / 2 + 1, 2, read_only(first), read_only(neighbours), read_only(now), size,
                    distance, level, next, next_size, bug);
    frontier = next.read();
    frontier.resize(std::min(next_size.read()[0], 4 * kVertices));
  }
  for (std::uint32_t v = 0; v < kVertices; ++v) {
    // The depth of a heap, for the edges to 2v + 1 and 2v + 2 are the shortest way.
    std::uint32_t depth = 0;
    for (std::uint32_t at = v; at > 0; at = (at - 1) / 2) ++depth;
    if (distance.read()[v] != depth) return false;
  }
  return true;
}

// Components by labels: every edge gives the smaller label to its other end, until nothing changes.
constexpr auto propagate = [](auto& inv, StorageBuffer<const std::uint32_t> auto from,
                              StorageBuffer<const std::uint32_t> auto to, StorageBuffer<std::uint32_t> auto labels,
                              StorageBuffer<std::uint32_t> auto changed, Bug bug) {
  const std::uint32_t edge = inv.global_invocation_id().x;
  if (edge >= from.size() && bug != Bug::GuardRemoved) return;
  const std::uint32_t a = from[edge], b = to[edge];
  if (bug == Bug::Plain) {
    if (labels[a] < labels[b]) labels[b] = labels[a].load();
    return;
  }
  const Dynamic<Scope> scope = message_scope(bug);
  const std::uint32_t label = inv.atomic_load(labels[a], scope, kRelaxed);
  if (inv.atomic_u_min(labels[b], scope, kRelaxed, label) > label)
    inv.atomic_store(changed[0], Scope::Device, kRelaxed, 1);
};

bool run_components(Device& device, Bug bug) {
  // Two rings, of the even and of the odd numbers below 10, in both directions.
  std::vector<std::uint32_t> a, b;
  for (std::uint32_t v = 0; v < 10; ++v)
    for (const std::uint32_t w : {(v + 2) % 10, (v + 8) % 10}) {
      a.push_back(v);
      b.push_back(w);
    }
  auto from = device.buffer(a, "from");
  auto to = device.buffer(b, "to");
  std::vector<std::uint32_t> own(10);
  std::iota(own.begin(), own.end(), 0u);
  auto labels = device.buffer(own, "labels");
  for (int round = 0; round < 10; ++round) {
    auto changed = device.buffer(std::vector<std::uint32_t>(1, 0), "changed");
    device.dispatch(propagate, 3, 8, read_only(from), read_only(to), labels, changed, bug);
    if (changed.read()[0] == 0) break;
  }
  const std::vector<std::uint32_t> found = labels.read();
  for (std::uint32_t v = 0; v < 10; ++v)
    if (found[v] != v % 2) return false;
  return true;
}

// Keeps the odd numbers, in any order.
constexpr auto compact = [](auto& inv, StorageBuffer<const std::uint32_t> auto in,
                            StorageBuffer<std::uint32_t> auto out, StorageBuffer<std::uint32_t> auto count, Bug bug) {
  const std::uint32_t i = inv.global_invocation_id().x;
  if (i >= in.size() && bug != Bug::GuardRemoved) return;
  const std::uint32_t value = in[i];
  if (value % 2 == 0) return;
  std::uint32_t place = 0;
  if (bug == Bug::Plain) {
    place = count[0];
    count[0] = place + 1;
  } else {
    place = inv.atomic_i_increment(count[0], message_scope(bug), kRelaxed);
  }
  out[place + (bug == Bug::OffByOne ? 1 : 0)] = value;
};

bool run_compact(Device& device, Bug bug) {
  std::vector<std::uint32_t> values(kInvocations - 2);
  std::iota(values.begin(), values.end(), 5u);
  std::vector<std::uint32_t> expected;
  std::copy_if(values.begin(), values.end(), std::back_inserter(expected),
               [](std::uint32_t value) { return value % 2 == 1; });
  auto in = device.buffer(values, "in");
  auto out = device.buffer(std::vector<std::uint32_t>(expected.size(), 0), "out");
  auto count = device.buffer(std::vector<std::uint32_t>(1, 0), "count");
  device.dispatch(compact, kGroups, kGroup, read_only(in), out, count, bug);
  std::vector<std::uint32_t> found = out.read();
  std::sort(found.begin(), found.end());
  return found == expected;
}

}  // namespace

TEST_CASE("a histogram has no race but for the planted ones") {
  check_clean(run_histogram);
  check_race_or_uninitialized(run_histogram, {Bug::BarrierRemoved});
  check_race(run_histogram, {Bug::Plain, Bug::SecondBarrierRemoved, Bug::ScopeNarrowed});
  check_out_of_bounds(run_histogram, {Bug::GuardRemoved});
}

TEST_CASE("a breadth-first search has no race but for the planted ones") {
  check_clean(run_bfs);
  check_race(run_bfs, {Bug::Plain, Bug::ScopeNarrowed});
  check_out_of_bounds(run_bfs, {Bug::GuardRemoved});
}

TEST_CASE("connected components have no race but for the planted ones") {
  check_clean(run_components);
  check_race(run_components, {Bug::Plain, Bug::ScopeNarrowed});
  check_out_of_bounds(run_components, {Bug::GuardRemoved});
}

TEST_CASE("a compaction has no race but for the planted ones") {
  check_clean(run_compact);
  check_race(run_compact, {Bug::Plain, Bug::ScopeNarrowed});
  check_out_of_bounds(run_compact, {Bug::GuardRemoved, Bug::OffByOne});
}
