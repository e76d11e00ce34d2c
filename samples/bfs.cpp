// Breadth-first search: how many edges away is each vertex of a graph? One dispatch a level; the
// vertices of a level (the frontier) wait in a queue, and the first to reach a new one puts it
// into the queue of the next level.
#include "sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <queue>
#include <random>
#include <stdexcept>

using namespace heddle;

constexpr std::uint32_t kGroup = 128;
constexpr std::uint32_t kUnreached = 0xffffffff;

// The neighbours of vertex v are neighbours[first[v]] to neighbours[first[v + 1] - 1].
struct Graph {
  std::vector<std::uint32_t> first, neighbours;
  std::uint32_t vertices() const { return static_cast<std::uint32_t>(first.size() - 1); }
};

// One invocation looks at the neighbours of one vertex of the frontier.
//
// No atomic here orders anything, and none has to: each only decides who was first. What the kernel
// writes is read after the dispatch has ended, which orders everything.
constexpr auto expand = [](auto& inv, StorageBuffer<const std::uint32_t> auto first,
                           StorageBuffer<const std::uint32_t> auto neighbours,
                           StorageBuffer<const std::uint32_t> auto frontier, std::uint32_t size,
                           StorageBuffer<std::uint32_t> auto distance, std::uint32_t level,
                           StorageBuffer<std::uint32_t> auto next,
                           StorageBuffer<std::uint32_t> auto next_size) {
  constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;
  const std::uint32_t i = inv.global_invocation_id().x;
  if (i >= size) return;
  const std::uint32_t vertex = frontier[i];
  const std::uint32_t end = first[vertex + 1];
  for (std::uint32_t edge = first[vertex]; edge < end; ++edge) {
    const std::uint32_t neighbour = neighbours[edge];
    // Most neighbours have been reached before: a load is cheaper than an exchange that fails. It
    // is atomic, because others may write the same distance now.
    if (inv.atomic_load(distance[neighbour], Scope::Device, kRelaxed) != kUnreached) continue;
    if (inv.atomic_compare_exchange(distance[neighbour], Scope::Device, kRelaxed, kRelaxed, level,
                                    kUnreached) == kUnreached) {
      const std::uint32_t place = inv.atomic_i_increment(next_size[0], Scope::Device, kRelaxed);
      next[place] = neighbour;
    }
  }
};

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// The edges in both directions, sorted by where they begin.
Graph graph_of(const Edges& edges, std::uint32_t vertices) {
  Graph graph;
  graph.first.resize(std::size_t{vertices} + 1);
  for (const auto& [a, b] : edges) {
    ++graph.first[a + 1];
    ++graph.first[b + 1];
  }
  for (std::size_t v = 1; v <= vertices; ++v) graph.first[v] += graph.first[v - 1];
  graph.neighbours.resize(2 * edges.size());
  std::vector<std::uint32_t> free = graph.first;
  for (const auto& [a, b] : edges) {
    graph.neighbours[free[a]++] = b;
    graph.neighbours[free[b]++] = a;
  }
  return graph;
}

// R-MAT (Chakrabarti, Zhan and Faloutsos 2004): a few vertices have very many edges and most have
// few, as in social networks. The shares are those of the Graph500 benchmark.
Edges random_edges(std::uint32_t scale, std::uint32_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Edges edges(count);
  for (auto& [a, b] : edges) {
    for (std::uint32_t bit = 0; bit < scale; ++bit) {
      const auto draw = static_cast<std::uint32_t>(random() % 100);
      a = 2 * a + (draw >= 76);
      b = 2 * b + ((draw >= 57 && draw < 76) || draw >= 95);
    }
  }
  return edges;
}

// Two numbers of vertices a line; lines that begin with # are comments (the format of SNAP).
Edges read_edges(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("{}: cannot be opened", path));
  Edges edges;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#') continue;
    unsigned a = 0, b = 0;
    constexpr unsigned kMost = 100'000'000;
    if (std::sscanf(line.c_str(), "%9u%*[ \t]%9u", &a, &b) != 2 || std::max(a, b) > kMost) {
      throw std::runtime_error(
          fmt::format("{}:{}: expected two numbers of vertices, up to {}", path, number, kMost));
    }
    edges.emplace_back(a, b);
  }
  if (edges.empty()) throw std::runtime_error(fmt::format("{}: has no edges", path));
  return edges;
}

std::vector<std::uint32_t> reference(const Graph& graph, std::uint32_t start) {
  std::vector<std::uint32_t> distance(graph.vertices(), kUnreached);
  std::queue<std::uint32_t> queue({start});
  distance[start] = 0;
  for (; !queue.empty(); queue.pop()) {
    const std::uint32_t vertex = queue.front();
    for (std::uint32_t e = graph.first[vertex]; e < graph.first[vertex + 1]; ++e) {
      const std::uint32_t neighbour = graph.neighbours[e];
      if (distance[neighbour] != kUnreached) continue;
      distance[neighbour] = distance[vertex] + 1;
      queue.push(neighbour);
    }
  }
  return distance;
}

int main(int argc, char** argv) {
  sample::Sample sample("bfs",
                        "Breadth-first search on a graph, with queues that grow by atomics.");
  std::string file;
  std::uint32_t scale = 0, degree = 0;
  sample.file_option("--graph", file,
                     "file with an edge a line, two numbers of vertices (default: a random graph)");
  sample.size_option("--scale", scale, {18, 12, 1, 24}, "the random graph has 2^scale vertices");
  sample.size_option("--degree", degree, {8, 8, 1, 64}, "and so many edges for each vertex");

  return sample.run(argc, argv, [&](Device& device) {
    const Edges edges =
        file.empty() ? random_edges(scale, degree << scale, sample.seed()) : read_edges(file);
    std::uint32_t last = file.empty() ? (1u << scale) - 1 : 0;
    for (const auto& [a, b] : edges) last = std::max({last, a, b});
    const Graph graph = graph_of(edges, last + 1);
    const std::uint32_t vertices = graph.vertices();
    const std::uint32_t start = edges[0].first;
    sample.input(fmt::format("{}: {}, {}, from vertex {}",
                             file.empty() ? "random graph (R-MAT)" : file,
                             sample::counted(vertices, "vertex", "vertices"),
                             sample::counted(edges.size(), "edge", "edges"), start));

    auto first = device.buffer(graph.first, "first");
    auto neighbours = device.buffer(graph.neighbours, "neighbours");
    auto distance = device.buffer<std::uint32_t>(vertices, "distance");
    distance.fill(kUnreached);
    distance.map()[start] = 0;
    auto frontier = device.buffer<std::uint32_t>(vertices, "frontier");
    auto next = device.buffer<std::uint32_t>(vertices, "next frontier");
    auto next_size = device.buffer({std::uint32_t{0}}, "next_size");
    frontier.write(std::span(&start, 1));

    DispatchResult all;
    std::uint32_t level = 0;
    std::uint64_t queued = 0;
    for (std::uint32_t size = 1; size > 0; size = next_size.read()[0]) {
      queued += size;
      next_size.fill(0);
      sample::add(all, device.dispatch(expand, {sample::groups_for(size, kGroup)}, {kGroup},
                                       read_only(first), read_only(neighbours), read_only(frontier),
                                       size, distance, ++level, next, next_size));
      std::swap(frontier, next);
    }
    sample.ran(sample::counted(level, "level", "levels"), all);

    const std::vector<std::uint32_t> got = distance.read();
    const auto reached = vertices - std::count(got.begin(), got.end(), kUnreached);
    sample.check(got == reference(graph, start),
                 fmt::format("every distance against a queue on one core; {} of {} reached",
                             reached, sample::counted(vertices, "vertex", "vertices")));
    sample.check(static_cast<std::int64_t>(queued) == reached, "each of them was queued once");
  });
}
