#include "emulator/explore/explorer.h"

#include <heddle/detail/check.h>

#include <algorithm>
#include <utility>

#include "emulator/explore/symmetry.h"

namespace heddle::explore {
namespace {

AgentId id(std::size_t agent) {
  return static_cast<AgentId>(agent);
}

std::vector<TraceTree> trees_of(const Program& program) {
  std::vector<TraceTree> trees;
  trees.reserve(program.agents.size());
  for (std::size_t a = 0; a < program.agents.size(); ++a) trees.emplace_back(program.agents[a], id(a));
  return trees;
}

void close(std::vector<std::vector<bool>>& relation) {
  const std::size_t size = relation.size();
  for (std::size_t k = 0; k < size; ++k)
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j)
        if (relation[i][k] && relation[k][j]) relation[i][j] = true;
}

// By agent and agent. Behind the agents stand the calls, through which agents are ordered as well.
std::vector<std::vector<bool>> static_order(const Program& program) {
  const std::size_t points = program.agents.size() + program.calls.size();
  std::vector<std::vector<bool>> result(points, std::vector<bool>(points));
  for (const auto& [a, b] : program.system_synchronization) result[position(a)][position(b)] = true;
  for (std::size_t a = 0; a < program.agents.size(); ++a)
    for (const Point point : program.agents[a].after) result[point][a] = true;
  for (std::size_t c = 0; c < program.calls.size(); ++c) {
    const std::size_t call = program.agents.size() + c;
    for (const Point point : program.calls[c].after) result[point][call] = true;
    for (std::size_t later = c + 1; later < program.calls.size(); ++later)
      if (program.calls[later].agent == program.calls[c].agent) result[call][program.agents.size() + later] = true;
  }
  close(result);
  return result;
}

}  // namespace

Explorer::Explorer(const Program& program, const Options& options, const OnExecution& on_execution)
    : program_(program),
      options_(options),
      on_execution_(on_execution),
      judge_(options.model),
      trees_(trees_of(program)),
      foresight_(trees_, layout_),
      system_synchronizes_(static_order(program)),
      graph_limit_(options.graph_limit) {
  for (const AgentDescription& agent : program.agents) execution_.agents.push_back(agent.place);
  execution_.agent_system_synchronization = program.system_synchronization;
  execution_.interlock_order = program.interlock_order;
  execution_.shader_inputs = program.shader_inputs;
  execution_.host = program.host;
  order_knows_agents_ = !program.system_synchronization.empty() || !program.interlock_order.empty() ||
                        !program.shader_inputs.empty() || program.host != nullptr;
  symmetry_ = std::make_shared<Symmetry>(*this);
}

Statistics Explorer::run() {
  if (!foresight_.told() && !learn()) {
    Statistics nothing;
    nothing.graphs = statistics_.graphs;
    nothing.complete = false;
    return nothing;
  }
  if (!foresight_.told() && derivations_->exact()) symmetry_->compare_agents();
  pass();
  return statistics_;
}

void Explorer::pass() {
  statistics_ = {};
  counts_ = {};
  learned_ = false;
  stopped_ = false;
  agents_.assign(trees_.size(), {});
  meetings_.assign(program_.companies.size(), 0);
  calls_.assign(program_.calls.size(), model::kInitialValue);
  ends_.assign(trees_.size(), {});
  visit();
}

void Explorer::refuse() const {
  throw TooLong{kMostLevels, execution_.operations.empty() ? SourceLocation{} : execution_.operations.back().where};
}

// One step: the kind of step depends on the graph alone, so that every execution is reached in one
// way. What cannot be chosen comes first, reads of what is in the graph next, promises last.
void Explorer::visit() {
  if (!may_go_on() || (unfinished_ != 0 && !wants_others())) return;
  const Level level(*this);
  ++statistics_.graphs;
  const bool cancelled = options_.cancelled != nullptr && options_.cancelled->load(std::memory_order_relaxed);
  if (cancelled || (graph_limit_ != 0 && statistics_.graphs > graph_limit_)) {
    statistics_.complete = false;
    stopped_ = true;
    return;
  }
  if (visit_end() || visit_operation() || visit_barrier() || Meetings(*this).visit()) return;
  if (!promises_may_be_kept()) return;
  if (visit_dropped() || visit_read() || visit_standstill()) return;
  visit_leaf();
}

bool Explorer::visit_end() {
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    if (!may_step(a) || step(a).kind == StepKind::Operation || step(a).kind == StepKind::Meets) continue;
    if (step(a).kind == StepKind::SpunEnough) return true;
    if (options_.wanted == Wanted::Outcomes && step(a).kind == StepKind::Spinning && !step(a).goes_on) return true;
    const bool goes_on = step(a).kind == StepKind::Spinning && step(a).goes_on;
    const std::size_t unfinished = step(a).kind == StepKind::Finished ? 0 : 1;
    agents_[a].status = Status::Ended;
    unfinished_ += unfinished;
    visit();
    unfinished_ -= unfinished;
    agents_[a].status = Status::Ready;
    if (goes_on && may_go_on()) go_on(a, 0);
    return true;
  }
  return false;
}

bool Explorer::at_read(std::size_t agent) const {
  return may_step(agent) && step(agent).kind == StepKind::Operation && step(agent).operation.reads();
}

// A write or a fence of the lowest agent that is at one.
bool Explorer::visit_operation() {
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    if (!may_step(a) || at_read(a)) continue;
    const Step& next = step(a);
    if (next.kind == StepKind::Meets || next.operation.kind == OperationKind::ControlBarrier) {
      agents_[a].status = Status::Arrived;
      visit();
      agents_[a].status = Status::Ready;
      return true;
    }
    const Symmetry::Turn turn(*symmetry_, a, Symmetry::Chosen::PlaceOfWrite);
    execute(a, next.operation, 0, next.written, [&, a] { go_on(a, 0); });
    return true;
  }
  return false;
}

// Adds an operation, chooses its place in modification order and the promises that it keeps, and goes
// on if the graph may become consistent.
void Explorer::execute(std::size_t agent, const Operation& operation, Value read, Value written, const Then& then) {
  // Consistent or not: the write may be found again where it is.
  if (!reporting_ && foresight_.note(id(agent), agents_[agent].node, operation)) learned_ = true;
  const auto index = static_cast<model::OperationIndex>(execution_.operations.size());
  execution_.operations.push_back(operation);
  execution_.read_values.push_back(read);
  execution_.written_values.push_back(written);
  nodes_.push_back(agents_[agent].node);
  const std::size_t synchronizations = execution_.system_synchronization.size();
  note_synchronization(agent);
  const Point call = step(agent).call;
  if (call != kNoPoint) calls_[call - agents_.size()] = index;
  if (std::exchange(trusts_next_, false)) {
    go_on_unjudged(then);
  } else if (options_.wanted != Wanted::AllExecutions && step(agent).unread) {
    // Each place in scoped modification order that happens-before leaves to the write is as good as another.
    then();
  } else if (operation.writes()) {
    order_write(index, 0, [&] { keep_promises(index, 0, then); });
  } else if (!operation.reads() || is_last()) {
    then();
  } else {
    go_on_if_consistent(then);
  }
  HEDDLE_CHECK(execution_.operations.size() == index + std::size_t{1} && nodes_.size() == index + std::size_t{1},
               "the explorer did not take back all that it had added to a graph");
  judge_.forget_from(index);
  execution_.system_synchronization.resize(synchronizations);
  if (call != kNoPoint) calls_[call - agents_.size()] = model::kInitialValue;
  execution_.operations.pop_back();
  execution_.read_values.pop_back();
  execution_.written_values.pop_back();
  nodes_.pop_back();
}

void Explorer::go_on_if_consistent(const Then& then) {
  const bool before = unjudged_;
  if (judge_.may_become_consistent(execution_)) {
    unjudged_ = false;
    then();
    unjudged_ = before;
  } else if (before) {
    ++misplaced_trust_;
  }
}

// Whether a graph that may become consistent still may with this write, which came last: it is read by
// no operation and last in modification order, so that nothing comes after it and no cycle goes through it.
bool Explorer::is_harmless(model::OperationIndex write) const {
  if (order_knows_agents_ || execution_.operations[write].reads()) return false;
  const auto& order = execution_.modification_order;
  for (auto pair = order.rbegin(); pair != order.rend(); ++pair) {
    if (pair->first == write) return false;
    if (pair->second != write) break;
  }
  return execution_.reads_from.empty() || execution_.reads_from.back().write != write;
}

// Whether the graph is whole with the operation that came last, and judged as such anyway.
bool Explorer::is_last() {
  if (!promises_.empty()) return false;
  const std::size_t last = position(execution_.operations.back().agent);
  for (std::size_t a = 0; a < agents_.size(); ++a)
    if (a != last && agents_[a].status != Status::Ended) return false;
  const TraceTree::Node next = trees_[last].after(agents_[last].node, execution_.read_values.back());
  const Step& end = trees_[last].step(next);
  return end.kind == StepKind::Finished || end.kind == StepKind::Cut ||
         (end.kind == StepKind::Spinning && !end.goes_on);
}

void Explorer::go_on(std::size_t agent, Value read) {
  const AgentState before = agents_[agent];
  agents_[agent] = {trees_[agent].after(before.node, read), Status::Ready, kNotPutOff};
  visit();
  agents_[agent] = before;
}

bool Explorer::may_open(std::size_t agent) const {
  const Step& arrival = step(agent);
  const std::uint64_t instance = arrival.operation.barrier_instance;
  std::size_t arrived = 0;
  for (const Operation& op : execution_.operations)
    if (op.kind == OperationKind::ControlBarrier && op.barrier_instance == instance) ++arrived;
  for (std::size_t a = 0; a < agents_.size(); ++a)
    if (agents_[a].status == Status::Arrived && step(a).kind == StepKind::Operation &&
        step(a).operation.barrier_instance == instance)
      ++arrived;
  return arrived >= (arrival.quorum != 0 ? arrival.quorum : arrival.participants.size());
}

bool Explorer::visit_barrier() {
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    if (agents_[a].status != Status::Arrived || step(a).kind == StepKind::Meets || !may_open(a)) continue;
    pass_barrier(a);
    return true;
  }
  return false;
}

// With a quorum, an arrival may or may not be in the set that synchronizes.
void Explorer::pass_barrier(std::size_t agent) {
  const Step& arrival = step(agent);
  const auto index = static_cast<model::OperationIndex>(execution_.operations.size());
  const auto go = [&] { execute(agent, arrival.operation, 0, 0, [&] { go_on(agent, 0); }); };
  if (arrival.quorum == 0) return go();
  auto& choices = execution_.quorum_choices;
  const std::uint64_t instance = arrival.operation.barrier_instance;
  std::size_t at = 0;
  while (at < choices.size() && choices[at].barrier_instance != instance) ++at;
  const bool first = at == choices.size();
  if (first) {
    choices.push_back({instance, {}});
    quorums_.push_back(arrival.quorum);
  }
  choices[at].synchronizing.push_back(index);
  go();
  choices[at].synchronizing.pop_back();
  go();
  if (first) {
    choices.pop_back();
    quorums_.pop_back();
  }
}

// Where promises are made, it is known of what values they are.
bool Explorer::may_write(std::size_t agent, const Locations& piece, Value value) const {
  const TraceTree::Node node = agents_[agent].node;
  return agents_[agent].status != Status::Ended && foresight_.may_write(id(agent), node, piece) &&
         promising_->may_write(id(agent), trees_[agent].depth(node), piece, value);
}

// Whether a write of the piece, of the value if one is given, may still be added that the next read of
// `reader` could take its value from.
bool Explorer::may_come(std::size_t reader, const Locations& piece, const Value* value) const {
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    if (agents_[a].status == Status::Ended || system_synchronizes_[reader][a]) continue;
    if (a == reader) {
      if (foresight_.may_write_unordered(id(a), agents_[a].node, piece)) return true;
      continue;
    }
    if (value ? may_write(a, piece, *value) : foresight_.may_write(id(a), agents_[a].node, piece)) return true;
  }
  return false;
}

bool Explorer::another_may_write(std::size_t agent) const {
  for (const Locations& piece : layout_.pieces(step(agent).operation.locations))
    if (may_come(agent, piece, nullptr)) return true;
  return false;
}

bool Explorer::promises_may_be_kept() const {
  for (const Promise& promise : promises_) {
    bool may = false;
    for (std::size_t a = 0; a < agents_.size() && !may; ++a) may = may_write(a, promise.piece, promise.value);
    if (!may) return false;
  }
  if (!reporting_) return true;
  for (std::size_t a = 0; a < agents_.size(); ++a)
    if (at_read(a) && put_off(a) && !agents_[a].may_idle && !has_new_write(a) && !another_may_write(a)) return false;
  return true;
}

bool Explorer::has_new_write(std::size_t agent) const {
  const Locations& wanted = step(agent).operation.locations;
  for (std::size_t i = agents_[agent].put_off_at; i < execution_.operations.size(); ++i)
    if (execution_.operations[i].writes() && execution_.operations[i].locations.overlaps(wanted)) return true;
  return false;
}

// Whether the agent may keep a promise that was made to another.
bool Explorer::may_keep_a_promise(std::size_t agent) const {
  return std::any_of(promises_.begin(), promises_.end(), [&](const Promise& promise) {
    return execution_.operations[promise.read].agent != id(agent) && may_write(agent, promise.piece, promise.value);
  });
}

// While promises are open, agents that may keep one come first, lest much is built on a promise that
// no agent can keep.
std::vector<std::size_t> Explorer::readers() const {
  std::vector<std::size_t> all;
  for (std::size_t a = 0; a < agents_.size(); ++a)
    if (at_read(a)) all.push_back(a);
  if (promises_.empty()) return all;
  std::vector<std::size_t> helpful;
  for (std::size_t a : all)
    if (may_keep_a_promise(a)) helpful.push_back(a);
  return helpful.empty() ? all : helpful;
}

// A read that waits for nothing is taken first: it has the fewest choices.
std::size_t Explorer::choose_reader(bool& waits) const {
  std::size_t chosen = agents_.size();
  bool last = true;
  waits = true;
  for (std::size_t a : readers()) {
    if (put_off(a) && !has_new_write(a)) continue;
    const bool comes_last_too = comes_last(a);
    const bool may_wait = another_may_write(a) && !takes_one_source(a);
    if (chosen != agents_.size() && std::pair(comes_last_too, may_wait) >= std::pair(last, waits)) continue;
    chosen = a;
    last = comes_last_too;
    waits = may_wait;
    if (!last && !waits) break;
  }
  return chosen;
}

// A read takes what is in the graph, or is put off until more is.
bool Explorer::visit_read() {
  bool waits = true;
  const std::size_t chosen = choose_reader(waits);
  if (chosen == agents_.size()) return false;
  const AgentState before = agents_[chosen];
  const std::uint64_t before_reading = statistics_.graphs;
  std::vector<std::size_t> equals{chosen};
  if (takes_one_source(chosen)) {
    const std::uint64_t counted_before = counted();
    read_one_source(chosen);
    waits = counted() == counted_before && another_may_write(chosen);
  } else {
    equals = read_from_graph(chosen);
    if (!waits && agents_[chosen].may_idle && may_go_on()) idle(chosen);
  }
  // A silent pass may not know yet of the write that a read without any choice has to wait for.
  const bool knows_too_little = !reporting_ && statistics_.graphs == before_reading;
  if ((waits || knows_too_little) && may_go_on()) symmetry_->put_off(equals);
  agents_[chosen] = before;
  return true;
}

// The agent chooses before its equals, which it returns, itself first.
std::vector<std::size_t> Explorer::read_from_graph(std::size_t agent) {
  if (!foresight_.told()) layout_.add(step(agent).operation.locations);
  const std::vector<Locations> pieces = layout_.pieces(step(agent).operation.locations);
  std::vector<Source> chosen;
  const Symmetry::Turn turn(*symmetry_, agent, Symmetry::Chosen::SourceOfRead);
  choose_sources(agent, pieces, chosen, false);
  return turn.equals();
}

// Whether `reader` may wait for what `writer` writes after its own next read; `unordered`: and that read
// is not location-ordered before the write.
bool Explorer::may_wait_for(std::size_t reader, std::size_t writer, bool unordered) const {
  if (agents_[writer].status == Status::Ended || system_synchronizes_[reader][writer]) return false;
  const bool reads_first = at_read(writer);
  for (const Locations& piece : layout_.pieces(step(reader).operation.locations)) {
    const bool may = (unordered || writer == reader) && reads_first
                         ? foresight_.may_write_unordered(id(writer), agents_[writer].node, piece)
                         : foresight_.may_write(id(writer), agents_[writer].node, piece);
    if (may) return true;
  }
  return false;
}

// Reads that all wait for what comes after another one of them make a cycle. If each of them is
// location-ordered before the write that the next one waits for, the cycle is one of reads-from and
// location order, which no consistent execution has. So each read has to reach, along what it may wait
// for, a write that is not ordered after the read before it, or a read that need not wait.
bool Explorer::may_wait_for_each_other() const {
  if (!reporting_) return true;
  std::vector<bool> reaches(agents_.size(), false);
  for (std::size_t a = 0; a < agents_.size(); ++a) reaches[a] = at_read(a) && (!put_off(a) || has_new_write(a));
  for (bool progress = true; progress;) {
    progress = false;
    for (std::size_t a = 0; a < agents_.size(); ++a) {
      if (!at_read(a) || reaches[a]) continue;
      for (std::size_t b = 0; b < agents_.size() && !reaches[a]; ++b)
        reaches[a] = may_wait_for(a, b, true) || (reaches[b] && may_wait_for(a, b, false));
      progress = progress || reaches[a];
    }
  }
  for (std::size_t a = 0; a < agents_.size(); ++a)
    if (at_read(a) && !reaches[a]) return false;
  return true;
}

// All reads were put off and nothing new came: they wait for each other (load buffering). The lowest
// one is promised values that some write may bring.
bool Explorer::visit_promise() {
  const std::vector<std::size_t> waiting = readers();
  if (waiting.empty()) return false;
  if (!may_wait_for_each_other()) return true;
  const Derivations* const before = promising_;
  std::optional<Derivations> from_here;
  if (promising_ == nullptr) promising_ = derivations(from_here);
  if (promising_ != nullptr) {
    const std::vector<Locations> pieces = layout_.pieces(step(waiting.front()).operation.locations);
    std::vector<Source> chosen;
    const Symmetry::Turn turn(*symmetry_, waiting.front(), Symmetry::Chosen::ValueOfRead);
    choose_sources(waiting.front(), pieces, chosen, true);
  }
  promising_ = before;
  return true;
}

// Chooses for each piece in turn. A read that was put off takes something that came since; a promised
// read waits for something.
void Explorer::choose_sources(std::size_t agent, const std::vector<Locations>& pieces, std::vector<Source>& chosen,
                              bool promised) {
  if (!may_go_on()) return;
  if (chosen.size() == pieces.size()) {
    const std::uint32_t put_off_at = agents_[agent].put_off_at;
    const bool fresh = std::any_of(chosen.begin(), chosen.end(), [&](const Source& source) {
      if (promised) return source.write == kPromised;
      return put_off_at == kNotPutOff || (source.write != model::kInitialValue && source.write >= put_off_at);
    });
    if (fresh) read(agent, chosen);
    return;
  }
  const Locations& piece = pieces[chosen.size()];
  const auto take = [&](model::OperationIndex write, Value value) {
    // Before the first promise nothing is in the graph that is not derived.
    if (promising_ != nullptr && !promising_->has(piece, value)) return;
    if (!promised && leaves_idling_for_later(agent) && spins_with(agent, value)) {
      agents_[agent].may_idle = true;
      return;
    }
    chosen.push_back({piece, write, value});
    choose_sources(agent, pieces, chosen, promised);
    chosen.pop_back();
  };
  if (promised) {
    for (Value value : promising_->values(piece))
      if (may_come(agent, piece, &value)) take(kPromised, value);
    if (pieces.size() == 1) return;
  }
  take(model::kInitialValue, program_.initial_value ? program_.initial_value(piece) : 0);
  for (model::OperationIndex i = 0; i < execution_.operations.size(); ++i) {
    const Operation& op = execution_.operations[i];
    if (op.writes() && covers(op.locations, piece))
      take(i, part_of_value(execution_.written_values[i], op.locations, piece));
  }
}

void Explorer::read(std::size_t agent, const std::vector<Source>& sources) {
  const Step& next = step(agent);
  Operation operation = next.operation;
  const auto index = static_cast<model::OperationIndex>(execution_.operations.size());
  const std::size_t reads_from_before = execution_.reads_from.size();
  const std::size_t promises_before = promises_.size();
  Value value = 0;
  for (const Source& source : sources) value |= place_in_value(source.value, source.piece, operation.locations);
  const Symmetry::Reading reading(*symmetry_, agent, sources, value);
  if (!reading.admitted()) return;
  for (const Source& source : sources) {
    if (source.write == kPromised)
      promises_.push_back({index, source.piece, source.value});
    else
      execution_.reads_from.push_back({index, source.write, source.piece});
  }
  Value written = 0;
  if (operation.kind == OperationKind::ReadModifyWrite) {
    const std::optional<Value> result = next.modify(value);
    if (!result) {
      operation.kind = OperationKind::Read;
      operation.semantics = next.failure_semantics;
    }
    written = result.value_or(0);
  }
  execute(agent, operation, value, written, [&] { go_on(agent, value); });
  execution_.reads_from.resize(reads_from_before);
  promises_.resize(promises_before);
}

void Explorer::visit_leaf() {
  if (!promises_.empty()) return;
  for (std::size_t a = 0; a < agents_.size(); ++a) {
    ends_[a].results = step(a).results;
    switch (step(a).kind) {
      case StepKind::Unanswered:
      case StepKind::Operation:
      case StepKind::Meets:
        ends_[a].state = EndState::Waiting;
        break;
      case StepKind::Finished:
        ends_[a].state = agents_[a].status == Status::Ended ? EndState::Finished : EndState::Waiting;
        break;
      case StepKind::SpunEnough:
      case StepKind::Spinning:
        ends_[a].state = EndState::Spinning;
        break;
      case StepKind::Cut:
        ends_[a].state = EndState::Cut;
        break;
    }
  }
  const bool terminated =
      std::all_of(ends_.begin(), ends_.end(), [](const AgentEnd& end) { return end.state == EndState::Finished; });
  if (!terminated && !wants_others()) return;
  for (std::size_t i = 0; i < quorums_.size(); ++i)
    if (execution_.quorum_choices[i].synchronizing.size() < quorums_[i]) return;
  if (!judge_.consistent(execution_)) {
    if (unjudged_) ++misplaced_trust_;
    return;
  }
  const Found found{execution_, judge_.judgement(), ends_, symmetry_->stands_for()};
  if (options_.limit != 0 && statistics_.executions >= options_.limit) {
    statistics_.complete = false;
    stopped_ = true;
    return;
  }
  ++statistics_.found;
  counts_.add(found);
  statistics_.executions = counts_.all();
  statistics_.blocked = counts_.blocked();
  statistics_.cut = counts_.cut();
  statistics_.complete = statistics_.complete && !found.cut();
  if (reporting_ && !on_execution_(found)) stopped_ = true;
}

}  // namespace heddle::explore
