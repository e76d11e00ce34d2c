#include "emulator/explore/symmetry.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "emulator/explore/likeness.h"

namespace heddle::explore {
namespace {

constexpr std::uint64_t kNoneOfGraph = ~std::uint64_t{0};

/// What a source is to the agent that reads: these numbers stand above those of operations.
enum class Owner : std::uint8_t { Another = 1, Itself = 2, Equal = 3 };

std::uint64_t numbered(Owner owner, std::uint64_t number) {
  return (static_cast<std::uint64_t>(owner) << 32) + number;
}

}  // namespace

bool Explorer::Symmetry::Decision::is_of(std::size_t agent) const {
  return std::find(equals.begin(), equals.end(), agent) != equals.end();
}

Explorer::Symmetry::Symmetry(Explorer& explorer) : explorer_(explorer), class_of_(explorer.program_.agents.size(), 0) {
  const std::vector<AgentDescription>& agents = explorer.program_.agents;
  if (explorer.foresight_.told())
    form_classes(
        [&](std::size_t a, std::size_t b) { return agents[a].alike != 0 && agents[a].alike == agents[b].alike; });
}

void Explorer::Symmetry::compare_agents() {
  form_classes([this](std::size_t a, std::size_t b) { return do_the_same(explorer_.trees_[a], explorer_.trees_[b]); });
}

// What tells single agents apart, beside what they do and where they are.
bool Explorer::Symmetry::is_possible() const {
  const Program& program = explorer_.program_;
  return explorer_.options_.up_to_symmetry && !explorer_.order_knows_agents_ && program.calls.empty() &&
         std::all_of(program.agents.begin(), program.agents.end(),
                     [](const AgentDescription& agent) { return agent.after.empty(); });
}

// Whether places stay what they are to each other when two agents change theirs.
bool Explorer::Symmetry::have_like_places(std::size_t a, std::size_t b) const {
  const std::vector<model::Place>& places = explorer_.execution_.agents;
  const model::Place& at_a = places[a];
  const model::Place& at_b = places[b];
  const auto beside = [](const model::Place& place) {
    return std::tuple(place.kind, place.stage, place.device, place.queue_family, place.shader_call_group,
                      place.interlock_group);
  };
  if (beside(at_a) != beside(at_b)) return false;
  for (std::size_t c = 0; c < places.size(); ++c) {
    if (c == a || c == b) continue;
    for (const Scope scope : {Scope::Workgroup, Scope::Subgroup})
      if (same_instance(at_a, places[c], scope) != same_instance(at_b, places[c], scope)) return false;
  }
  return true;
}

void Explorer::Symmetry::form_classes(const std::function<bool(std::size_t, std::size_t)>& are_alike) {
  if (!is_possible()) return;
  std::vector<bool> meets(class_of_.size(), false);
  for (const Company& company : explorer_.program_.companies)
    for (const AgentId member : company) meets[position(member)] = true;
  for (std::size_t b = 0; b < class_of_.size(); ++b) {
    if (meets[b]) continue;
    class_of_[b] = b + 1;
    for (std::size_t a = 0; a < b; ++a) {
      if (class_of_[a] != a + 1 || !have_like_places(a, b) || !are_alike(a, b)) continue;
      class_of_[b] = class_of_[a];
      break;
    }
  }
}

std::vector<std::size_t> Explorer::Symmetry::equals_of(std::size_t agent) const {
  std::vector<std::size_t> equals{agent};
  if (class_of_[agent] == 0 || !explorer_.reporting_ || !explorer_.quorums_.empty()) return equals;
  for (std::size_t other = 0; other < class_of_.size(); ++other)
    if (other != agent && are_equals(agent, other)) equals.push_back(other);
  return equals;
}

bool Explorer::Symmetry::are_equals(std::size_t a, std::size_t b) const {
  return class_of_[a] == class_of_[b] && stand_alike(a, b) && fixes_graph(a, b) && fixes_decisions(a, b);
}

bool Explorer::Symmetry::stand_alike(std::size_t a, std::size_t b) const {
  const AgentState& at_a = explorer_.agents_[a];
  const AgentState& at_b = explorer_.agents_[b];
  return at_a.status == at_b.status && at_a.put_off_at == at_b.put_off_at && at_a.may_idle == at_b.may_idle &&
         at_a.decisions == at_b.decisions &&
         explorer_.trees_[a].depth(at_a.node) == explorer_.trees_[b].depth(at_b.node) &&
         explorer_.trees_[a].reads_to(at_a.node) == explorer_.trees_[b].reads_to(at_b.node);
}

std::vector<model::OperationIndex> Explorer::Symmetry::operations_of(std::size_t agent) const {
  std::vector<model::OperationIndex> out;
  const std::vector<Operation>& operations = explorer_.execution_.operations;
  for (model::OperationIndex i = 0; i < operations.size(); ++i)
    if (position(operations[i].agent) == agent) out.push_back(i);
  return out;
}

// Whether the graph, and which of its writes reads were put off from, stay the same when two agents that stand alike
// change places.
bool Explorer::Symmetry::fixes_graph(std::size_t a, std::size_t b) const {
  const model::Execution& graph = explorer_.execution_;
  const std::vector<model::OperationIndex> of_a = operations_of(a);
  const std::vector<model::OperationIndex> of_b = operations_of(b);
  if (of_a.size() != of_b.size()) return false;
  if (of_a.empty()) return true;
  std::vector<model::OperationIndex> image(graph.operations.size());
  std::iota(image.begin(), image.end(), 0);
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    std::swap(image[of_a[i]], image[of_b[i]]);
    const auto is_alone = [&](model::OperationIndex at) {
      return explorer_.trees_[position(graph.operations[at].agent)].step(explorer_.nodes_[at]).participants.size() <= 1;
    };
    if (graph.operations[of_a[i]].barrier_instance != graph.operations[of_b[i]].barrier_instance &&
        !(is_alone(of_a[i]) && is_alone(of_b[i])))
      return false;
    for (const AgentState& agent : explorer_.agents_)
      if (agent.put_off_at != kNotPutOff && (of_a[i] < agent.put_off_at) != (of_b[i] < agent.put_off_at)) return false;
  }
  const auto moved = [&](model::OperationIndex at) { return at == model::kInitialValue ? at : image[at]; };
  const auto has = [](const auto& list, const auto& one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  const auto is_promise = [&](const Promise& promise) {
    return std::any_of(explorer_.promises_.begin(), explorer_.promises_.end(), [&](const Promise& other) {
      return other.read == moved(promise.read) && other.piece == promise.piece && other.value == promise.value;
    });
  };
  return std::all_of(graph.reads_from.begin(), graph.reads_from.end(),
                     [&](const model::ReadsFrom& one) {
                       return has(graph.reads_from, model::ReadsFrom{moved(one.read), moved(one.write), one.bytes});
                     }) &&
         std::all_of(
             graph.modification_order.begin(), graph.modification_order.end(),
             [&](const model::OperationPair& pair) {
               return has(graph.modification_order, model::OperationPair{moved(pair.first), moved(pair.second)});
             }) &&
         std::all_of(explorer_.promises_.begin(), explorer_.promises_.end(), is_promise);
}

// Whether what is left to agents by decisions stays the same when two agents change places that stand alike, and whose
// operations are alike.
bool Explorer::Symmetry::fixes_decisions(std::size_t a, std::size_t b) const {
  const std::vector<model::OperationIndex> of_a = operations_of(a);
  const std::vector<model::OperationIndex> of_b = operations_of(b);
  const auto fixes = [&](const Decision& decision) {
    if (decision.is_of(a) != decision.is_of(b)) return false;
    for (std::size_t i = 0; i < of_a.size(); ++i) {
      const bool in_graph = of_a[i] < decision.operations;
      if (decision.chosen == Chosen::PlaceOfWrite) {
        if (of_a[i] == decision.operations || of_b[i] == decision.operations) return false;
      } else if (decision.chosen == Chosen::SourceOfRead && explorer_.execution_.operations[of_a[i]].writes()) {
        if (in_graph != (of_b[i] < decision.operations)) return false;
        if (!in_graph || decision.is_of(a)) continue;
        if (decision.rank.size() != 1) return false;
        const std::uint64_t first = numbered(Owner::Another, std::min(of_a[i], of_b[i]));
        const std::uint64_t second = numbered(Owner::Another, std::max(of_a[i], of_b[i]));
        if (!(second < decision.rank[0] || decision.rank[0] < first)) return false;
      }
    }
    return true;
  };
  for (std::uint32_t i = 0; i < decisions_.size(); ++i) {
    const auto binds = [i](const AgentState& agent) {
      return std::find(agent.decisions.begin(), agent.decisions.end(), i) != agent.decisions.end();
    };
    const bool binding = std::any_of(explorer_.agents_.begin(), explorer_.agents_.end(), binds);
    if (binding && !fixes(decisions_[i])) return false;
  }
  return true;
}

std::uint64_t Explorer::Symmetry::rank_of(const Decision& decision, std::size_t agent,
                                          model::OperationIndex source) const {
  const std::vector<Operation>& operations = explorer_.execution_.operations;
  if (source == model::kInitialValue) return 0;
  const AgentId writer = operations[source].agent;
  if (position(writer) != agent && !decision.is_of(position(writer))) return numbered(Owner::Another, source);
  const auto before = std::count_if(operations.begin(), operations.begin() + source,
                                    [&](const Operation& one) { return one.agent == writer; });
  return numbered(position(writer) == agent ? Owner::Itself : Owner::Equal, static_cast<std::uint64_t>(before));
}

Explorer::Symmetry::Rank Explorer::Symmetry::rank_of(const Decision& decision, std::size_t agent,
                                                     const std::vector<Source>& sources, Value value) const {
  if (decision.chosen == Chosen::ValueOfRead) return {value};
  Rank out;
  for (const Source& source : sources) {
    const bool in_graph = source.write == model::kInitialValue || source.write < decision.operations;
    if (!in_graph) return {kNoneOfGraph};
    out.push_back(rank_of(decision, agent, source.write));
  }
  return out;
}

bool Explorer::Symmetry::comes_behind(model::OperationIndex write, model::OperationIndex other) const {
  const AgentState& writer = explorer_.agents_[position(explorer_.execution_.operations[write].agent)];
  return std::any_of(writer.decisions.begin(), writer.decisions.end(), [&](std::uint32_t i) {
    return decisions_[i].chosen == Chosen::PlaceOfWrite && decisions_[i].operations == other;
  });
}

double Explorer::Symmetry::stands_for() const {
  double out = 1;
  for (const Decision& decision : decisions_) out = out * static_cast<double>(decision.equals.size()) / decision.ties;
  return out;
}

// Not where an agent may do without choosing: it spins for ever with a value that stands for others, or writes what
// nobody reads.
bool Explorer::Symmetry::is_chosen(std::size_t agent, std::size_t equal, Chosen chosen) const {
  const bool all = explorer_.options_.wanted == Wanted::AllExecutions;
  const Step& step = explorer_.step(agent);
  if (chosen == Chosen::ValueOfRead) return all || !step.spins_alike;
  if (chosen == Chosen::SourceOfRead) return true;
  return step.operation.writes() && (all || !step.unread) &&
         explorer_.mutually_ordered(step.operation, explorer_.step(equal).operation);
}

// Whether the value stands for all with which the agent spins for ever.
bool Explorer::Symmetry::idles_with(std::size_t agent, Value value) {
  return explorer_.options_.wanted != Wanted::AllExecutions && explorer_.step(agent).spins_alike &&
         explorer_.spins_with(agent, value);
}

void Explorer::Symmetry::put_off(const std::vector<std::size_t>& agents) {
  const bool may_idle = explorer_.agents_[agents.front()].may_idle;
  std::vector<AgentState> before;
  for (const std::size_t agent : agents) {
    AgentState& state = explorer_.agents_[agent];
    before.push_back(state);
    state.put_off_at = static_cast<std::uint32_t>(explorer_.execution_.operations.size());
    state.may_idle = may_idle;
  }
  explorer_.visit();
  for (std::size_t i = 0; i < agents.size(); ++i) explorer_.agents_[agents[i]] = before[i];
}

Explorer::Symmetry::Turn::Turn(Symmetry& symmetry, std::size_t agent, Chosen chosen)
    : symmetry_(symmetry), equals_(symmetry.equals_of(agent)) {
  // Any two equals are to each other what any other two are.
  if (equals_.size() > 1 && !symmetry.is_chosen(agent, equals_[1], chosen)) equals_.resize(1);
  if (equals_.size() == 1) return;
  Decision decision;
  decision.chosen = chosen;
  decision.equals = equals_;
  decision.operations = symmetry.explorer_.execution_.operations.size();
  for (std::size_t i = 1; i < equals_.size(); ++i)
    symmetry.explorer_.agents_[equals_[i]].decisions.push_back(static_cast<std::uint32_t>(symmetry.decisions_.size()));
  symmetry.decisions_.push_back(std::move(decision));
  symmetry.open_ = chosen != Chosen::PlaceOfWrite;
}

Explorer::Symmetry::Turn::~Turn() {
  if (equals_.size() == 1) return;
  symmetry_.open_ = false;
  symmetry_.decisions_.pop_back();
  for (std::size_t i = 1; i < equals_.size(); ++i) symmetry_.explorer_.agents_[equals_[i]].decisions.pop_back();
}

Explorer::Symmetry::Reading::Reading(Symmetry& symmetry, std::size_t agent, const std::vector<Source>& sources,
                                     Value value)
    : symmetry_(symmetry), has_turn_(std::exchange(symmetry.open_, false)) {
  if (has_turn_) {
    Decision& own = symmetry.decisions_.back();
    own.rank = symmetry.rank_of(own, agent, sources, value);
  }
  const std::vector<std::uint32_t>& binding = symmetry.explorer_.agents_[agent].decisions;
  if (binding.empty() || symmetry.idles_with(agent, value)) return;
  for (const std::uint32_t i : binding) {
    const Decision& decision = symmetry.decisions_[i];
    const Rank own = symmetry.rank_of(decision, agent, sources, value);
    if (own < decision.rank) admitted_ = false;
    if (own == decision.rank) ties_.push_back(i);
  }
  for (const std::uint32_t i : ties_) ++symmetry.decisions_[i].ties;
}

Explorer::Symmetry::Reading::~Reading() {
  for (const std::uint32_t i : ties_) --symmetry_.decisions_[i].ties;
  symmetry_.open_ = has_turn_;
}

}  // namespace heddle::explore
