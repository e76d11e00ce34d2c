#include "emulator/explore/prospects.h"

#include <algorithm>

namespace heddle::explore {
namespace {

std::size_t position(AgentId agent) { return static_cast<std::size_t>(agent); }

template <typename T>
bool contains(const std::vector<T>& list, const T& element) {
  return std::find(list.begin(), list.end(), element) != list.end();
}

template <typename T>
void add_once(std::vector<T>& list, const T& element) {
  if (!contains(list, element)) list.push_back(element);
}

}  // namespace

/// One round over all agents.
struct Prospects::Run {
  std::size_t most_steps = 0;
  bool news = false;
  bool cut_anew = false;
  bool too_long = false;
  std::uint32_t most_writes = 0;
  std::uint32_t barriers = 0;
  /// What the agent that runs has written so far.
  std::vector<Prospect> own;
};

Prospects::Prospects(const Program& program, std::vector<TraceTree>& trees, Layout& layout,
                     bool thin_air)
    : program_(program), trees_(trees), layout_(layout), thin_air_(thin_air) {
  seen_.resize(trees.size());
  learned_nodes_.resize(trees.size());
  by_node_.resize(trees.size());
}

Value Prospects::initial(const Locations& piece) const {
  return program_.initial_value ? program_.initial_value(piece) : 0;
}

bool Prospects::note(AgentId agent, Node node, const Operation& operation, Value written,
                     bool in_graph) {
  if (!operation.is_access()) return false;
  bool news = layout_.add(operation.locations);
  if (!operation.writes()) return news;
  const std::uint32_t depth = trees_[position(agent)].depth(node) + 1;
  for (const Locations& piece : layout_.pieces(operation.locations)) {
    const Prospect prospect{piece, part_of_value(written, operation.locations, piece),
                            operation.reference, operation.is_non_private()};
    std::vector<Seen>& seen = seen_[position(agent)];
    const auto known = std::find_if(seen.begin(), seen.end(),
                                    [&](const Seen& s) { return s.prospect == prospect; });
    if (known == seen.end()) {
      seen.push_back({prospect, depth, in_graph});
      news = true;
    } else {
      news = news || known->depth < depth || (in_graph && !known->in_graph);
      known->depth = std::max(known->depth, depth);
      known->in_graph = known->in_graph || in_graph;
    }
  }
  return news;
}

std::vector<Value> Prospects::values_for(AgentId agent, const Locations& piece,
                                         ReferenceId reference) const {
  std::vector<Value> values{initial(piece)};
  for (std::size_t writer = 0; writer < seen_.size(); ++writer) {
    for (const Seen& s : seen_[writer]) {
      if (s.prospect.piece != piece || (!exact_ && !learning_ && !s.in_graph)) continue;
      if (writer != position(agent) || s.prospect.reference != reference)
        add_once(values, s.prospect.value);
    }
  }
  if (thin_air_)
    for (Value value : program_.thin_air_values) add_once(values, part_of_value(value, piece, piece));
  return values;
}

// The values that a read may have, from all combinations of what its pieces may have.
std::vector<Value> Prospects::reads_of(const Run& run, std::size_t agent,
                                       const Operation& read) const {
  std::vector<Value> reads{0};
  for (const Locations& piece : layout_.pieces(read.locations)) {
    std::vector<Value> parts = values_for(static_cast<AgentId>(agent), piece, read.reference);
    for (const Prospect& own : run.own)
      if (own.piece == piece) add_once(parts, own.value);
    std::vector<Value> longer;
    for (Value low : reads)
      for (Value part : parts) longer.push_back(low | place_in_value(part, piece, read.locations));
    reads = std::move(longer);
  }
  return reads;
}

std::uint32_t Prospects::run_write(Run& run, std::size_t agent, Node node, Value read,
                                   Value written) {
  const Operation& op = trees_[agent].step(node).operation;
  run.news |= note(static_cast<AgentId>(agent), node, op, written, false);
  const std::size_t own_before = run.own.size();
  for (const Locations& piece : layout_.pieces(op.locations))
    run.own.push_back({piece, part_of_value(written, op.locations, piece), op.reference, false});
  const std::uint32_t writes = this->run(run, agent, trees_[agent].after(node, read)) + 1;
  run.own.resize(own_before);
  return writes;
}

// Returns the greatest number of writes from here on.
std::uint32_t Prospects::run(Run& run, std::size_t agent, Node node) {
  if (run.too_long || run.cut_anew) return 0;
  TraceTree& tree = trees_[agent];
  if (tree.size() > run.most_steps) {
    run.too_long = true;
    return 0;
  }
  const Step& step = tree.step(node);
  if (step.kind == StepKind::Spinning && step.goes_on)
    return this->run(run, agent, tree.after(node, 0));
  if (step.kind != StepKind::Operation) return 0;
  const Operation& op = step.operation;
  if (op.is_access() && layout_.add(op.locations)) {
    run.cut_anew = true;
    return 0;
  }
  if (op.kind == OperationKind::ControlBarrier) {
    run.news |= note_arrival(static_cast<AgentId>(agent), step);
    if (!may_open(step)) return 0;
  }
  if (!op.reads())
    return op.writes() ? run_write(run, agent, node, 0, step.written)
                       : this->run(run, agent, tree.after(node, 0));
  std::uint32_t most = 0;
  for (Value read : reads_of(run, agent, op)) {
    const std::optional<Value> written = op.writes() ? step.modify(read) : std::nullopt;
    most = std::max(most, written ? run_write(run, agent, node, read, *written)
                                  : this->run(run, agent, tree.after(node, read)));
  }
  return most;
}

bool Prospects::note_arrival(AgentId agent, const Step& arrival) {
  return arrived_[arrival.operation.barrier_instance].insert(agent).second;
}

bool Prospects::may_open(const Step& arrival) const {
  const std::size_t needed = arrival.quorum != 0 ? arrival.quorum : arrival.participants.size();
  return arrived_.at(arrival.operation.barrier_instance).size() >= needed;
}

void Prospects::run_all(Run& run) {
  run.news = run.cut_anew = run.too_long = false;
  run.most_writes = 0;
  for (std::size_t agent = 0; agent < trees_.size(); ++agent)
    run.most_writes += this->run(run, agent, TraceTree::kRoot);
  run.barriers = static_cast<std::uint32_t>(arrived_.size() * trees_.size());
}

// What is written in an execution without cycles of dependencies was derived in at most as many
// rounds as there are writes: values that only further rounds bring count without end.
void Prospects::learn(std::size_t most_steps) {
  Run run;
  run.most_steps = most_steps;
  std::uint32_t rounds = 0;
  learning_ = true;
  do {
    run_all(run);
    if (run.cut_anew) {
      for (std::vector<Seen>& seen : seen_) seen.clear();
      rounds = 0;
    }
  } while (!run.too_long && (run.cut_anew || (run.news && ++rounds <= run.most_writes + run.barriers + 1)));
  learning_ = false;
  exact_ = !run.too_long;
  for (std::size_t agent = 0; agent < trees_.size(); ++agent) {
    learned_nodes_[agent] = exact_ ? trees_[agent].size() : 0;
    by_node_[agent].assign(learned_nodes_[agent], {});
  }
}

const std::vector<Prospect>& Prospects::prospects(std::size_t agent, Node node) const {
  NodeProspects& entry = by_node_[agent][node];
  if (entry.known) return entry.list;
  std::vector<Prospect> list;
  const Step& step = trees_[agent].step(node);
  const Operation& op = step.operation;
  const bool writes = step.kind == StepKind::Operation && op.writes();
  const std::vector<Locations> pieces =
      writes ? layout_.pieces(op.locations) : std::vector<Locations>{};
  for (const auto& [read, child] : trees_[agent].children(node)) {
    if (child >= learned_nodes_[agent]) continue;
    for (const Prospect& prospect : prospects(agent, child)) add_once(list, prospect);
    if (!writes) continue;
    const std::optional<Value> written = op.reads() ? step.modify(read) : step.written;
    if (!written) continue;
    for (const Locations& piece : pieces)
      add_once(list, Prospect{piece, part_of_value(*written, op.locations, piece), op.reference,
                              op.is_non_private()});
  }
  NodeProspects& result = by_node_[agent][node];
  result.known = true;
  result.list = std::move(list);
  return result.list;
}

bool Prospects::may_write(AgentId agent, Node node, const Locations& piece) const {
  const std::size_t a = position(agent);
  if (node < learned_nodes_[a]) {
    for (const Prospect& prospect : prospects(a, node))
      if (prospect.piece == piece) return true;
    return false;
  }
  const std::uint32_t depth = trees_[a].depth(node);
  return std::any_of(seen_[a].begin(), seen_[a].end(), [&](const Seen& s) {
    return s.depth > depth && s.prospect.piece == piece;
  });
}

bool Prospects::may_write(AgentId agent, Node node, const Locations& piece, Value value) const {
  const std::size_t a = position(agent);
  if (node < learned_nodes_[a]) {
    for (const Prospect& prospect : prospects(a, node))
      if (prospect.piece == piece && prospect.value == value) return true;
    return false;
  }
  const std::uint32_t depth = trees_[a].depth(node);
  return std::any_of(seen_[a].begin(), seen_[a].end(), [&](const Seen& s) {
    return s.in_graph && s.depth > depth && s.prospect.piece == piece && s.prospect.value == value;
  });
}

bool Prospects::may_write_unordered(AgentId agent, Node node, const Locations& piece) const {
  const std::size_t a = position(agent);
  const Operation& read = trees_[a].step(node).operation;
  const auto unordered = [&](const Prospect& prospect) {
    if (prospect.piece != piece) return false;
    //= vk:memory-model-location-ordered
    return !(read.locations.overlaps(piece) &&
             (prospect.reference == read.reference ||
              (prospect.non_private && read.is_non_private())));
  };
  if (node < learned_nodes_[a]) {
    const std::vector<Prospect>& list = prospects(a, node);
    return std::any_of(list.begin(), list.end(), unordered);
  }
  const std::uint32_t depth = trees_[a].depth(node);
  return std::any_of(seen_[a].begin(), seen_[a].end(), [&](const Seen& s) {
    return s.depth > depth && unordered(s.prospect);
  });
}

}  // namespace heddle::explore
