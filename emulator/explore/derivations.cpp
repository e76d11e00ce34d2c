#include "emulator/explore/derivations.h"

#include <algorithm>
#include <optional>

namespace heddle::explore {
namespace {

/// Runs are recursive: this many steps fit on any stack.
constexpr std::uint32_t kMostDepth = 2000;

// Whether the ways to the value were news.
template <typename Readables>
bool merge(Readables& list, Value value, const Ways& ways) {
  const auto known = std::find_if(list.begin(), list.end(), [&](const auto& r) { return r.value == value; });
  if (known != list.end()) return known->ways.add(ways);
  list.push_back({value, ways});
  return !ways.empty();
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

Ways Ways::through(std::size_t write) const {
  Ways result;
  for (const Needs& way : list_)
    if (!way.test(write)) result.list_.push_back(Needs(way).set(write));
  return result;
}

Ways Ways::operator&(const Ways& other) const {
  if (is_free()) return other;
  if (other.is_free()) return *this;
  Ways result;
  for (const Needs& a : list_)
    for (const Needs& b : other.list_) result.add(a | b);
  return result;
}

Derivations::Derivations(const Program& program, std::vector<TraceTree>& trees, Layout& layout, bool thin_air,
                         const Start& start, const Patience& patience)
    : program_(program),
      trees_(trees),
      layout_(layout),
      thin_air_(thin_air),
      patience_(patience),
      company_of_(trees.size()),
      waits_(trees.size()),
      visited_(trees.size()) {
  for (const Company& company : program.companies)
    for (std::size_t i = 0; i < company.size(); ++i) company_of_[position(company[i])] = {&company, i};
  do {
    written_.clear();
    pieces_.clear();
    waits_.assign(trees.size(), {});
    cut_anew_ = false;
    if (start.graph != nullptr) add_graph(*start.graph);
    run_all(start);
  } while (exact_ && cut_anew_);
  for (const Piece& piece : pieces_)
    for (const Readable& r : piece.values) closed_ = closed_ && !r.ways.empty();
}

bool Derivations::is_too_much() const {
  return steps_ > patience_.most_steps ||
         (patience_.cancelled != nullptr && patience_.cancelled->load(std::memory_order_relaxed));
}

Value Derivations::initial(const Locations& piece) const {
  return program_.initial_value ? program_.initial_value(piece) : 0;
}

// What is in the graph is there without need of anything that is still to come.
void Derivations::add_graph(const model::Execution& graph) {
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const Operation& op = graph.operations[i];
    if (op.kind == OperationKind::ControlBarrier) arrived_[op.barrier_instance][op.agent].add(Ways::free());
    if (!op.writes()) continue;
    for (const Locations& piece : layout_.pieces(op.locations))
      note(piece, part_of_value(graph.written_values[i], op.locations, piece), op.agent, 0, Ways::free());
  }
}

// One that has ended still counts where its company meets.
bool Derivations::is_of_company(std::size_t agent) const {
  return company_of_[agent].first != nullptr;
}

// As long as there is news for an agent.
void Derivations::run_all(const Start& start) {
  has_news_.assign(trees_.size(), true);
  for (bool news = true; news;) {
    news = false;
    for (std::size_t a = 0; a < trees_.size() && may_go_on(); ++a) {
      if (!has_news_[a] || (start.graph != nullptr && start.ended[a] && !is_of_company(a))) continue;
      news = true;
      has_news_[a] = false;
      const Node node = start.graph != nullptr ? start.nodes[a] : TraceTree::kRoot;
      run(static_cast<AgentId>(a), {node, 0, Ways::free(), 0});
    }
    news = news && may_go_on();
  }
}

void Derivations::run(AgentId agent, At at) {
  TraceTree& tree = trees_[position(agent)];
  while (!at.ways.empty() && may_go_on()) {
    steps_ += at.ways.list().size();
    if (is_too_much() || tree.depth(at.node) > kMostDepth) {
      exact_ = false;
      break;
    }
    const Step& step = tree.step(at.node);
    // What only reads brings about nothing.
    if (step.later != nullptr && !step.later->arrives && !step.later->writes()) break;
    const bool spins = step.kind == StepKind::Spinning && step.goes_on;
    const Operation& op = step.operation;
    const bool arrives =
        step.kind == StepKind::Operation && !op.is_access() && op.kind == OperationKind::ControlBarrier;
    if (is_of_company(position(agent)) && (arrives || step.kind == StepKind::Meets || step.kind == StepKind::Finished))
      return wait_for_company(agent, at);
    if (step.kind != StepKind::Operation && !spins) break;
    if (!spins && op.is_access()) {
      note_visit(agent, at.node);
      cut_anew_ = layout_.add(op.locations);
      if (cut_anew_) break;
      if (op.reads()) {
        read(agent, at);
        break;
      }
      write(agent, at.node, step.written, at.ways, at.writes++);
    } else if (arrives) {
      at.ways = arrive(agent, step, at.ways);
      if (at.ways.empty()) break;
    }
    at.node = tree.after(at.node, 0);
  }
}

void Derivations::note_visit(AgentId agent, Node node) {
  std::vector<bool>& visited = visited_[position(agent)];
  if (node >= visited.size()) visited.resize(trees_[position(agent)].size());
  visited[node] = true;
}

void Derivations::read(AgentId agent, const At& at) {
  TraceTree& tree = trees_[position(agent)];
  const Operation& op = tree.step(at.node).operation;
  const std::vector<Readable> sources = readable(op, at.ways);
  if (is_too_much()) exact_ = false;
  for (const Readable& source : sources) {
    std::uint32_t now_written = at.writes;
    if (op.writes()) {
      const std::optional<Value> result = tree.step(at.node).modify(source.value);
      if (result) write(agent, at.node, *result, source.ways, now_written++);
    }
    run(agent, {tree.after(at.node, source.value), at.history, source.ways, now_written});
    if (!may_go_on()) return;
  }
}

void Derivations::write(AgentId agent, Node node, Value value, const Ways& ways, std::uint32_t nth) {
  const Operation& op = trees_[position(agent)].step(node).operation;
  const std::size_t number = number_of(agent, nth);
  if (!exact_) return;
  const std::uint32_t depth = trees_[position(agent)].depth(node) + 1;
  const Ways with_itself = ways.through(number);
  for (const Locations& piece : layout_.pieces(op.locations))
    note(piece, part_of_value(value, op.locations, piece), agent, depth, with_itself);
}

void Derivations::note(const Locations& piece, Value value, AgentId agent, std::uint32_t depth, const Ways& ways) {
  Piece& known_piece = piece_of(piece);
  if (merge(known_piece.values, value, ways))
    for (AgentId reader : known_piece.readers) has_news_[position(reader)] = true;
  const auto known = std::find_if(written_.begin(), written_.end(), [&](const Written& w) {
    return w.value == value && w.agent == agent && w.piece == piece;
  });
  if (known == written_.end())
    written_.push_back({piece, value, agent, depth});
  else
    known->depth = std::max(known->depth, depth);
}

// Comes past the barrier with any others that are enough.
Ways Derivations::arrive(AgentId agent, const Step& arrival, const Ways& ways) {
  auto& arrived = arrived_[arrival.operation.barrier_instance];
  const bool news = arrived[agent].add(ways);
  std::vector<const Ways*> others;
  for (const auto& [other, their_ways] : arrived) {
    if (other == agent) continue;
    others.push_back(&their_ways);
    if (news) has_news_[position(other)] = true;
  }
  const std::size_t needed = arrival.quorum != 0 ? arrival.quorum : arrival.participants.size();
  return ways & enough_of(others, 0, needed - 1);
}

// What may be read before anybody has written.
std::vector<Derivations::Readable> Derivations::given(const Locations& piece) const {
  std::vector<Readable> result{{initial(piece), Ways::free()}};
  if (thin_air_)
    for (Value value : program_.thin_air_values) merge(result, part_of_value(value, piece, piece), Ways::free());
  return result;
}

Derivations::Piece& Derivations::piece_of(const Locations& locations) {
  for (Piece& piece : pieces_)
    if (piece.locations == locations) return piece;
  pieces_.push_back({locations, given(locations), {}});
  return pieces_.back();
}

// The values that a read may have, from all combinations of what its pieces may have.
std::vector<Derivations::Readable> Derivations::readable(const Operation& read, const Ways& ways) {
  std::vector<Readable> result{{0, ways}};
  for (const Locations& piece : layout_.pieces(read.locations)) {
    Piece& known = piece_of(piece);
    if (std::find(known.readers.begin(), known.readers.end(), read.agent) == known.readers.end())
      known.readers.push_back(read.agent);
    std::vector<Readable> longer;
    for (const Readable& low : result) {
      for (const Readable& part : known.values) {
        if (part.ways.empty()) continue;
        steps_ += low.ways.list().size() * part.ways.list().size();
        if (is_too_much()) return {};
        longer.push_back({low.value | place_in_value(part.value, piece, read.locations), low.ways & part.ways});
      }
    }
    result = std::move(longer);
  }
  return result;
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
  const auto known = std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& p) { return p.locations == piece; });
  std::vector<Value> values;
  for (const Readable& readable : known != pieces_.end() ? known->values : given(piece))
    if (!readable.ways.empty()) values.push_back(readable.value);
  return values;
}

bool Derivations::may_write(AgentId agent, std::uint32_t depth, const Locations& piece, Value value) const {
  return std::any_of(written_.begin(), written_.end(), [&](const Written& w) {
    return w.depth > depth && w.agent == agent && w.value == value && w.piece == piece;
  });
}

}  // namespace heddle::explore
