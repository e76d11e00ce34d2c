#include "emulator/explore/derivations.h"

#include <algorithm>
#include <optional>

namespace heddle::explore {
namespace {

std::size_t position(AgentId agent) { return static_cast<std::size_t>(agent); }

/// Runs are recursive: this many steps fit on any stack.
constexpr std::uint32_t kMostDepth = 2000;

template <typename Readables>
void merge(Readables& list, Value value, const Ways& ways) {
  const auto known =
      std::find_if(list.begin(), list.end(), [&](const auto& r) { return r.value == value; });
  if (known == list.end())
    list.push_back({value, ways});
  else
    known->ways.add(ways);
}

// The ways to come to at least `needed` of the others, from the `at`-th on.
Ways enough_of(const std::vector<const Ways*>& others, std::size_t at, std::size_t needed) {
  if (needed == 0) return Ways::free();
  Ways result;
  if (others.size() - at < needed) return result;
  result.add(*others[at] & enough_of(others, at + 1, needed - 1));
  result.add(enough_of(others, at + 1, needed));
  return result;
}

}  // namespace

Ways Ways::free() {
  Ways ways;
  ways.list_.emplace_back();
  return ways;
}

bool Ways::add(const Needs& way) {
  for (const Needs& known : list_)
    if ((known & ~way).none()) return false;
  const auto needs_more = [&](const Needs& known) { return (way & ~known).none(); };
  list_.erase(std::remove_if(list_.begin(), list_.end(), needs_more), list_.end());
  list_.push_back(way);
  return true;
}

bool Ways::add(const Ways& ways) {
  bool news = false;
  for (const Needs& way : ways.list_) news = add(way) || news;
  return news;
}

Ways Ways::without(std::size_t write) const {
  Ways result;
  for (const Needs& way : list_)
    if (!way.test(write)) result.list_.push_back(way);
  return result;
}

Ways Ways::operator&(const Ways& other) const {
  Ways result;
  for (const Needs& a : list_)
    for (const Needs& b : other.list_) result.add(a | b);
  return result;
}

Derivations::Derivations(const Program& program, std::vector<TraceTree>& trees, Layout& layout,
                         bool thin_air, const Start& start, std::size_t most_steps)
    : program_(program),
      trees_(trees),
      layout_(layout),
      thin_air_(thin_air),
      most_steps_(most_steps) {
  do {
    if (cut_anew_) written_.clear();
    news_ = cut_anew_ = false;
    if (start.graph != nullptr) add_graph(*start.graph);
    run_all(start);
  } while (exact_ && (news_ || cut_anew_));
  closed_ = std::none_of(written_.begin(), written_.end(),
                         [](const Written& w) { return w.ways.empty(); });
}

Value Derivations::initial(const Locations& piece) const {
  return program_.initial_value ? program_.initial_value(piece) : 0;
}

// What is in the graph is there without need of anything that is still to come.
void Derivations::add_graph(const model::Execution& graph) {
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const Operation& op = graph.operations[i];
    if (op.kind == OperationKind::ControlBarrier)
      arrived_[op.barrier_instance][op.agent].add(Ways::free());
    if (!op.writes()) continue;
    for (const Locations& piece : layout_.pieces(op.locations))
      written(piece, part_of_value(graph.written_values[i], op.locations, piece), op.agent,
              op.reference)
          .ways.add(Ways::free());
  }
}

void Derivations::run_all(const Start& start) {
  for (std::size_t a = 0; a < trees_.size() && may_go_on(); ++a) {
    if (start.graph != nullptr && start.ended[a]) continue;
    own_.clear();
    const Node node = start.graph != nullptr ? start.nodes[a] : TraceTree::kRoot;
    run(static_cast<AgentId>(a), node, Ways::free(), 0);
  }
}

void Derivations::run(AgentId agent, Node node, Ways ways, std::uint32_t writes) {
  TraceTree& tree = trees_[position(agent)];
  const std::size_t own_before = own_.size();
  while (!ways.empty() && may_go_on()) {
    steps_ += ways.list().size();
    if (steps_ > most_steps_ || tree.depth(node) > kMostDepth) {
      exact_ = false;
      break;
    }
    const Step& step = tree.step(node);
    const bool spins = step.kind == StepKind::Spinning && step.goes_on;
    if (step.kind != StepKind::Operation && !spins) break;
    const Operation& op = step.operation;
    if (!spins && op.is_access()) {
      visits_.push_back({agent, node});
      cut_anew_ = layout_.add(op.locations);
      if (cut_anew_) break;
      if (op.reads()) {
        read(agent, node, ways, writes);
        break;
      }
      write(agent, node, step.written, ways, writes++);
    } else if (!spins && op.kind == OperationKind::ControlBarrier) {
      ways = arrive(agent, step, ways);
      if (ways.empty()) break;
    }
    node = tree.after(node, 0);
  }
  own_.resize(own_before);
}

void Derivations::read(AgentId agent, Node node, const Ways& ways, std::uint32_t writes) {
  TraceTree& tree = trees_[position(agent)];
  const Operation& op = tree.step(node).operation;
  const std::vector<Readable> sources = readable(agent, op, ways);
  if (steps_ > most_steps_) exact_ = false;
  for (const Readable& source : sources) {
    const std::size_t own_before = own_.size();
    std::uint32_t now_written = writes;
    if (op.writes()) {
      const std::optional<Value> result = tree.step(node).modify(source.value);
      if (result) write(agent, node, *result, source.ways, now_written++);
    }
    run(agent, tree.after(node, source.value), source.ways, now_written);
    own_.resize(own_before);
    if (!may_go_on()) return;
  }
}

void Derivations::write(AgentId agent, Node node, Value value, const Ways& ways,
                        std::uint32_t nth) {
  const Operation& op = trees_[position(agent)].step(node).operation;
  const std::size_t number = number_of(agent, nth);
  if (!exact_) return;
  const std::uint32_t depth = trees_[position(agent)].depth(node) + 1;
  Ways::Needs itself;
  itself.set(number);
  Ways with_itself;
  const Ways without_itself = ways.without(number);
  for (const Ways::Needs& way : without_itself.list()) with_itself.add(way | itself);
  for (const Locations& piece : layout_.pieces(op.locations)) {
    const Value part = part_of_value(value, op.locations, piece);
    own_.push_back({piece, part, with_itself});
    Written& entry = written(piece, part, agent, op.reference);
    news_ = entry.ways.add(with_itself) || news_;
    entry.depth = std::max(entry.depth, depth);
  }
}

// Comes past the barrier with any others that are enough.
Ways Derivations::arrive(AgentId agent, const Step& arrival, const Ways& ways) {
  auto& arrived = arrived_[arrival.operation.barrier_instance];
  news_ = arrived[agent].add(ways) || news_;
  std::vector<const Ways*> others;
  for (const auto& [other, their_ways] : arrived)
    if (other != agent) others.push_back(&their_ways);
  const std::size_t needed = arrival.quorum != 0 ? arrival.quorum : arrival.participants.size();
  return ways & enough_of(others, 0, needed - 1);
}

std::vector<Derivations::Readable> Derivations::readable_of(AgentId agent, const Locations& piece,
                                                            ReferenceId reference) const {
  std::vector<Readable> result;
  merge(result, initial(piece), Ways::free());
  if (thin_air_)
    for (Value value : program_.thin_air_values)
      merge(result, part_of_value(value, piece, piece), Ways::free());
  for (const Written& w : written_)
    if (w.piece == piece && !w.ways.empty() && (w.agent != agent || w.reference != reference))
      merge(result, w.value, w.ways);
  return result;
}

// The values that a read may have, from all combinations of what its pieces may have.
std::vector<Derivations::Readable> Derivations::readable(AgentId agent, const Operation& read,
                                                         const Ways& ways) {
  std::vector<Readable> result{{0, ways}};
  for (const Locations& piece : layout_.pieces(read.locations)) {
    std::vector<Readable> parts = readable_of(agent, piece, read.reference);
    for (const Own& own : own_) {
      if (own.piece == piece && !own.ways.empty()) merge(parts, own.value, own.ways);
    }
    std::vector<Readable> longer;
    for (const Readable& low : result) {
      for (const Readable& part : parts) {
        steps_ += low.ways.list().size() * part.ways.list().size();
        if (steps_ > most_steps_) return {};
        longer.push_back({low.value | place_in_value(part.value, piece, read.locations),
                          low.ways & part.ways});
      }
    }
    result = std::move(longer);
  }
  return result;
}

Derivations::Written& Derivations::written(const Locations& piece, Value value, AgentId agent,
                                           ReferenceId reference) {
  for (Written& w : written_)
    if (w.value == value && w.agent == agent && w.reference == reference && w.piece == piece)
      return w;
  written_.push_back({piece, value, agent, reference, 0, {}});
  return written_.back();
}

std::size_t Derivations::number_of(AgentId agent, std::uint32_t nth) {
  const std::size_t number = numbers_.emplace(std::pair{agent, nth}, numbers_.size()).first->second;
  if (number < Ways::kMostWrites) return number;
  exact_ = false;
  return 0;
}

bool Derivations::has(const Locations& piece, Value value) const {
  const std::vector<Value> all = values(piece);
  return std::find(all.begin(), all.end(), value) != all.end();
}

std::vector<Value> Derivations::values(const Locations& piece) const {
  std::vector<Value> values{initial(piece)};
  const auto add = [&](Value value) {
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  };
  if (thin_air_)
    for (Value value : program_.thin_air_values) add(part_of_value(value, piece, piece));
  for (const Written& w : written_)
    if (w.piece == piece && !w.ways.empty()) add(w.value);
  return values;
}

bool Derivations::may_write(AgentId agent, std::uint32_t depth, const Locations& piece,
                            Value value) const {
  return std::any_of(written_.begin(), written_.end(), [&](const Written& w) {
    return w.depth > depth && w.agent == agent && w.value == value && w.piece == piece;
  });
}

}  // namespace heddle::explore
