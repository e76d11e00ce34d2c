#include "emulator/explore/prospects.h"

#include <algorithm>

namespace heddle::explore {
namespace {

// Agents of litmus tests have some hundred nodes. Beyond this many, running agents by themselves over
// values that never meet costs more than exploring twice.
constexpr std::size_t kMaxLearnedNodes = 6000;

std::size_t position(AgentId agent) { return static_cast<std::size_t>(agent); }

}  // namespace

/// One round over all agents.
struct Prospects::Run {
  bool news = false;
  bool cut_anew = false;
  bool too_long = false;
  std::uint32_t most_writes = 0;
};

Prospects::Prospects(const Program& program, std::vector<TraceTree>& trees, Layout& layout,
                     bool thin_air)
    : program_(program), trees_(trees), layout_(layout), thin_air_(thin_air) {
  last_write_.resize(trees.size());
  learned_nodes_.resize(trees.size());
  by_node_.resize(trees.size());
}

Value Prospects::initial(const Locations& piece) const {
  return program_.initial_value ? program_.initial_value(piece) : 0;
}

void Prospects::reset_values() { values_.clear(); }

const std::vector<Value>& Prospects::values(const Locations& piece) const {
  static const std::vector<Value> kNone;
  const auto found = values_.find(key(piece));
  return found == values_.end() ? kNone : found->second;
}

bool Prospects::add_value(const Locations& piece, Value value) {
  std::vector<Value>& known = values_[key(piece)];
  if (known.empty()) {
    known.push_back(initial(piece));
    if (thin_air_)
      for (Value air : program_.thin_air_values) {
        air = part_of_value(air, piece, piece);
        if (std::find(known.begin(), known.end(), air) == known.end()) known.push_back(air);
      }
  }
  if (std::find(known.begin(), known.end(), value) != known.end()) return false;
  known.push_back(value);
  return true;
}

bool Prospects::note(AgentId agent, TraceTree::Node node, const Operation& operation,
                     Value written) {
  if (!operation.is_access()) return false;
  bool news = layout_.add(operation.locations);
  for (const Locations& piece : layout_.pieces(operation.locations)) {
    if (values_.find(key(piece)) == values_.end()) news |= add_value(piece, initial(piece));
    if (!operation.writes()) continue;
    news |= add_value(piece, part_of_value(written, operation.locations, piece));
    std::uint32_t& last = last_write_[position(agent)][key(piece)];
    const std::uint32_t depth = trees_[position(agent)].depth(node) + 1;
    news |= last < depth;
    last = std::max(last, depth);
  }
  return news;
}

// Returns the greatest number of writes from here on.
std::uint32_t Prospects::run(Run& run, std::size_t agent, TraceTree::Node node) {
  if (run.too_long || run.cut_anew) return 0;
  TraceTree& tree = trees_[agent];
  if (tree.size() > kMaxLearnedNodes) {
    run.too_long = true;
    return 0;
  }
  const Step& step = tree.step(node);
  if (step.kind != StepKind::Operation) return 0;
  const Operation& op = step.operation;
  const auto id = static_cast<AgentId>(agent);
  if (op.is_access() && layout_.add(op.locations)) {
    run.cut_anew = true;
    return 0;
  }
  if (!op.reads()) {
    run.news |= note(id, node, op, step.written);
    return this->run(run, agent, tree.after(node, 0)) + (op.writes() ? 1 : 0);
  }
  for (const Locations& piece : layout_.pieces(op.locations)) add_value(piece, initial(piece));
  std::vector<Value> reads{0};
  for (const Locations& piece : layout_.pieces(op.locations)) {
    std::vector<Value> longer;
    for (Value low : reads)
      for (Value part : values(piece))
        longer.push_back(low | place_in_value(part, piece, op.locations));
    reads = std::move(longer);
  }
  std::uint32_t most = 0;
  for (Value read : reads) {
    bool writes = op.writes();
    if (writes) {
      const std::optional<Value> written = step.modify(read);
      writes = written.has_value();
      if (writes) run.news |= note(id, node, op, *written);
    }
    most = std::max(most, this->run(run, agent, tree.after(node, read)) + (writes ? 1U : 0U));
  }
  return most;
}

bool Prospects::run_all(Run& run) {
  run = {};
  for (std::size_t agent = 0; agent < trees_.size(); ++agent)
    run.most_writes += this->run(run, agent, TraceTree::kRoot);
  return run.news;
}

// What is written in an execution without cycles of dependencies was derived in at most as many
// rounds as there are writes: values that only further rounds bring count without end.
void Prospects::learn() {
  Run run;
  std::uint32_t rounds = 0;
  reset_values();
  do {
    run_all(run);
    if (run.cut_anew) {
      reset_values();
      rounds = 0;
    }
  } while (!run.too_long && (run.cut_anew || (run.news && ++rounds <= run.most_writes + 1)));
  exact_ = !run.too_long;
  for (std::size_t agent = 0; agent < trees_.size(); ++agent) {
    learned_nodes_[agent] = exact_ ? trees_[agent].size() : 0;
    by_node_[agent].assign(learned_nodes_[agent], {});
  }
}

const std::vector<Prospect>& Prospects::prospects(std::size_t agent, TraceTree::Node node) const {
  NodeProspects& entry = by_node_[agent][node];
  if (entry.known) return entry.list;
  std::vector<Prospect> list;
  const auto add = [&](const Prospect& prospect) {
    if (std::find(list.begin(), list.end(), prospect) == list.end()) list.push_back(prospect);
  };
  const Step& step = trees_[agent].step(node);
  const Operation& op = step.operation;
  const bool writes = step.kind == StepKind::Operation && op.writes();
  const std::vector<Locations> pieces =
      writes ? layout_.pieces(op.locations) : std::vector<Locations>{};
  for (const auto& [read, child] : trees_[agent].children(node)) {
    if (child >= learned_nodes_[agent]) continue;
    for (const Prospect& prospect : prospects(agent, child)) add(prospect);
    if (!writes) continue;
    const std::optional<Value> written = op.reads() ? step.modify(read) : step.written;
    if (!written) continue;
    for (const Locations& piece : pieces)
      add({piece, part_of_value(*written, op.locations, piece), op.reference, op.is_non_private()});
  }
  NodeProspects& result = by_node_[agent][node];
  result.known = true;
  result.list = std::move(list);
  return result.list;
}

bool Prospects::may_write(AgentId agent, TraceTree::Node node, const Locations& piece) const {
  const std::size_t a = position(agent);
  if (node < learned_nodes_[a]) {
    for (const Prospect& prospect : prospects(a, node))
      if (prospect.piece == piece) return true;
    return false;
  }
  const auto last = last_write_[a].find(key(piece));
  return last != last_write_[a].end() && last->second > trees_[a].depth(node);
}

bool Prospects::may_write(AgentId agent, TraceTree::Node node, const Locations& piece,
                          Value value) const {
  const std::size_t a = position(agent);
  if (node < learned_nodes_[a]) {
    for (const Prospect& prospect : prospects(a, node))
      if (prospect.piece == piece && prospect.value == value) return true;
    return false;
  }
  const std::vector<Value>& known = values(piece);
  return may_write(agent, node, piece) && std::find(known.begin(), known.end(), value) != known.end();
}

bool Prospects::may_overwrite_unordered(AgentId agent, TraceTree::Node node,
                                        const Locations& piece) const {
  const std::size_t a = position(agent);
  const Operation& read = trees_[a].step(node).operation;
  if (node >= learned_nodes_[a]) return may_write(agent, node, piece);
  for (const Prospect& prospect : prospects(a, node))
    if (prospect.piece == piece && prospect.reference != read.reference &&
        !(prospect.non_private && read.is_non_private()))
      return true;
  return false;
}

}  // namespace heddle::explore
