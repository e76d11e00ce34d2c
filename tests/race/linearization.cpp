#include "tests/race/linearization.h"

#include <algorithm>
#include <unordered_map>

namespace heddle::race {

using model::OperationIndex;

void Both::agent_begins(AgentId agent, const model::Place& place) {
  first_.agent_begins(agent, place);
  second_.agent_begins(agent, place);
}
void Both::agent_ends(AgentId agent) {
  first_.agent_ends(agent);
  second_.agent_ends(agent);
}
void Both::system_synchronizes(AgentId a, AgentId b) {
  first_.system_synchronizes(a, b);
  second_.system_synchronizes(a, b);
}
void Both::dependency(bool memory) {
  first_.dependency(memory);
  second_.dependency(memory);
}
void Both::operation(OperationIndex index, const Operation& op, model::Value read, model::Value written,
                     std::span<const trace::Source> sources) {
  first_.operation(index, op, read, written, sources);
  second_.operation(index, op, read, written, sources);
}
void Both::passes(OperationIndex arrival, std::span<const OperationIndex> synchronizing) {
  first_.passes(arrival, synchronizing);
  second_.passes(arrival, synchronizing);
}
void Both::placed(OperationIndex write) {
  first_.placed(write);
  second_.placed(write);
}

namespace {

// What has to be told: of operation i, node 3i that it is executed, 3i+1 that a control barrier is
// passed, 3i+2 that an atomic write takes its place.
class Order {
 public:
  explicit Order(const model::Execution& execution)
      : execution_(execution), after_(3 * execution.operations.size()), before_(after_.size(), 0) {
    program_order();
    meetings();
    for (const auto& from : execution.reads_from)
      if (from.write != model::kInitialValue) reads(from.write, from.read);
    for (const auto& [a, b] : execution.modification_order) edge(placed(a), placed(b));
    const auto before = system_synchronizes();
    for (OperationIndex a = 0; a < size(); ++a)
      for (OperationIndex b = 0; b < size(); ++b)
        if (before[position(execution.operations[a].agent)][position(execution.operations[b].agent)])
          edge(passed(a), executed(b));
  }

  std::vector<std::size_t> shuffled(std::mt19937_64& random) const {
    std::vector<std::size_t> order;
    std::vector<std::size_t> ready;
    std::vector<std::size_t> missing = before_;
    for (std::size_t node = 0; node < after_.size(); ++node)
      if (missing[node] == 0) ready.push_back(node);
    while (!ready.empty()) {
      std::swap(ready[random() % ready.size()], ready.back());
      const std::size_t node = ready.back();
      ready.pop_back();
      order.push_back(node);
      for (const std::size_t next : after_[node])
        if (--missing[next] == 0) ready.push_back(next);
    }
    return order;
  }
  std::size_t nodes() const { return after_.size(); }

 private:
  static std::size_t position(AgentId agent) { return static_cast<std::size_t>(agent); }
  static std::size_t executed(OperationIndex i) { return 3 * std::size_t{i}; }
  static std::size_t passed(OperationIndex i) { return 3 * std::size_t{i} + 1; }
  static std::size_t placed(OperationIndex i) { return 3 * std::size_t{i} + 2; }
  OperationIndex size() const { return static_cast<OperationIndex>(execution_.operations.size()); }

  void edge(std::size_t a, std::size_t b) {
    after_[a].push_back(b);
    ++before_[b];
  }
  /// By agent and agent: whether the first system-synchronizes with the second, through agents without operations, too.
  std::vector<std::vector<bool>> system_synchronizes() const {
    const std::size_t agents = execution_.agents.size();
    std::vector<std::vector<bool>> order(agents, std::vector<bool>(agents));
    for (const auto& [a, b] : execution_.agent_system_synchronization) order[position(a)][position(b)] = true;
    for (std::size_t between = 0; between < agents; ++between)
      for (std::size_t a = 0; a < agents; ++a)
        for (std::size_t b = 0; b < agents; ++b)
          if (order[a][between] && order[between][b]) order[a][b] = true;
    return order;
  }
  void program_order() {
    for (OperationIndex i = 0; i < size(); ++i) {
      edge(executed(i), passed(i));
      edge(executed(i), placed(i));
      for (OperationIndex next = i + 1; next < size(); ++next) {
        if (execution_.operations[next].agent != execution_.operations[i].agent) continue;
        edge(passed(i), executed(next));
        break;
      }
    }
  }
  void meetings() {
    for (OperationIndex a = 0; a < size(); ++a) {
      const Operation& op = execution_.operations[a];
      if (op.kind != OperationKind::ControlBarrier) continue;
      const model::QuorumChoice* chosen = nullptr;
      for (const model::QuorumChoice& choice : execution_.quorum_choices)
        if (choice.barrier_instance == op.barrier_instance) chosen = &choice;
      if (chosen && std::count(chosen->synchronizing.begin(), chosen->synchronizing.end(), a) == 0) continue;
      for (OperationIndex b = 0; b < size(); ++b) {
        const Operation& other = execution_.operations[b];
        if (a != b && other.kind == OperationKind::ControlBarrier && other.barrier_instance == op.barrier_instance)
          edge(executed(a), passed(b));
      }
    }
  }
  void reads(OperationIndex write, OperationIndex read) {
    edge(executed(write), executed(read));
    if (execution_.operations[write].kind == OperationKind::ReadModifyWrite) edge(placed(write), executed(read));
  }

  const model::Execution& execution_;
  std::vector<std::vector<std::size_t>> after_;
  std::vector<std::size_t> before_;
};

std::vector<trace::Source> sources_of(const model::Execution& execution, OperationIndex read,
                                      const std::vector<OperationIndex>& told_as) {
  std::vector<trace::Source> sources;
  for (const model::ReadsFrom& from : execution.reads_from)
    if (from.read == read)
      sources.push_back({from.bytes, from.write == model::kInitialValue ? from.write : told_as[from.write]});
  std::sort(sources.begin(), sources.end(),
            [](const trace::Source& a, const trace::Source& b) { return a.bytes.offset_bytes < b.bytes.offset_bytes; });
  return sources;
}

}  // namespace

bool tell(const model::Execution& execution, std::mt19937_64& random, trace::Listener& listener,
          std::vector<OperationIndex>& told_as) {
  const Order order(execution);
  const std::vector<std::size_t> nodes = order.shuffled(random);
  if (nodes.size() != order.nodes()) return false;
  for (std::size_t a = 0; a < execution.agents.size(); ++a)
    listener.agent_begins(static_cast<AgentId>(a), execution.agents[a]);
  for (const auto& [first, second] : execution.agent_system_synchronization)
    listener.system_synchronizes(first, second);
  told_as.assign(execution.operations.size(), 0);
  std::unordered_map<std::uint64_t, std::vector<OperationIndex>> quorums;
  for (const model::QuorumChoice& choice : execution.quorum_choices)
    quorums[choice.barrier_instance] = choice.synchronizing;
  OperationIndex told = 0;
  for (const std::size_t node : nodes) {
    const auto i = static_cast<OperationIndex>(node / 3);
    const Operation& op = execution.operations[i];
    if (node % 3 == 0) {
      told_as[i] = told++;
      listener.operation(told_as[i], op, execution.read_values[i], execution.written_values[i],
                         sources_of(execution, i, told_as));
    } else if (node % 3 == 1 && op.kind == OperationKind::ControlBarrier) {
      std::vector<OperationIndex> synchronizing;
      const auto quorum = quorums.find(op.barrier_instance);
      if (quorum != quorums.end())
        for (const OperationIndex arrival : quorum->second) synchronizing.push_back(told_as[arrival]);
      listener.passes(told_as[i], synchronizing);
    } else if (node % 3 == 2 && op.atomic && op.writes()) {
      listener.placed(told_as[i]);
    }
  }
  return true;
}

}  // namespace heddle::race
