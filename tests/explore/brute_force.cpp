#include "tests/explore/brute_force.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <tuple>

#include "emulator/explore/layout.h"

namespace heddle::explore {
namespace {

using model::kInitialValue;
using model::OperationIndex;

constexpr std::size_t kMostPaths = 2000;
constexpr std::uint64_t kMostCombinations = 50000;

/// One way through an agent, with what it read and wrote at each step.
struct Path {
  std::vector<Step> steps;
  std::vector<Value> reads;
  std::vector<Value> writes;
  AgentEnd end;
  /// Where it waits for ever, if it does: then `end` is at a control barrier that is no step.
  std::optional<Step> waits_at;
};

// Asks of a value whether it is out of thin air, from the value back to what it could come from: which
// agent could write it, having read what, without any write that the answer is to be used for.
class ThinAir {
 public:
  /// `given` are values that are there from the start, in any memory.
  ThinAir(const std::vector<std::vector<Path>>& paths, const Layout& layout, const std::vector<Value>& given)
      : paths_(paths), layout_(layout), given_(given) {}

  bool derived(const Locations& piece, Value value) { return written(piece, value, 0); }

 private:
  using Writes = std::uint64_t;
  static Writes number(std::size_t agent, std::size_t nth) { return Writes{1} << (16 * agent + nth); }

  bool written(const Locations& piece, Value value, Writes in_use) {
    const auto is_given = [&](Value one) { return part_of_value(one, piece, piece) == value; };
    if (value == 0 || std::any_of(given_.begin(), given_.end(), is_given)) return true;
    const auto key = std::make_tuple(piece.allocation, piece.offset_bytes, value, in_use);
    if (const auto known = known_values_.find(key); known != known_values_.end()) return known->second;
    bool found = false;
    for (std::size_t a = 0; a < paths_.size() && !found; ++a)
      for (std::size_t p = 0; p < paths_[a].size() && !found; ++p)
        for (std::size_t i = 0; i < paths_[a][p].steps.size() && !found; ++i)
          found = writes(a, p, i, piece, value, in_use);
    return known_values_[key] = found;
  }

  bool writes(std::size_t a, std::size_t p, std::size_t i, const Locations& piece, Value value, Writes in_use) {
    const Path& path = paths_[a][p];
    const Operation& op = path.steps[i].operation;
    if (!op.writes() || !covers(op.locations, piece)) return false;
    if (part_of_value(path.writes[i], op.locations, piece) != value) return false;
    std::size_t nth = 0;
    for (std::size_t j = 0; j < i; ++j) nth += path.steps[j].operation.writes() ? 1 : 0;
    const Writes self = number(a, nth);
    return (in_use & self) == 0 && comes_to(a, p, op.reads() ? i + 1 : i, in_use | self);
  }

  // Whether the agent may come as far as before its i-th step on this path.
  bool comes_to(std::size_t a, std::size_t p, std::size_t i, Writes in_use) {
    const auto key = std::make_tuple(a, p, i, in_use);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    bool comes = true;
    for (std::size_t j = 0; j < i && comes; ++j) {
      const Step& step = paths_[a][p].steps[j];
      if (step.operation.reads()) comes = reads(a, p, j, in_use);
      if (step.operation.kind == OperationKind::ControlBarrier) comes = passes(a, step, in_use);
    }
    return known_[key] = comes;
  }

  bool reads(std::size_t a, std::size_t p, std::size_t j, Writes in_use) {
    const Path& path = paths_[a][p];
    const Operation& op = path.steps[j].operation;
    for (const Locations& piece : layout_.pieces(op.locations)) {
      if (!written(piece, part_of_value(path.reads[j], op.locations, piece), in_use)) return false;
    }
    return true;
  }

  bool passes(std::size_t a, const Step& arrival, Writes in_use) {
    std::size_t others = 0;
    for (std::size_t b = 0; b < paths_.size(); ++b) {
      bool arrives = false;
      for (std::size_t q = 0; q < paths_[b].size() && b != a && !arrives; ++q) {
        const Path& path = paths_[b][q];
        for (std::size_t k = 0; k <= path.steps.size() && !arrives; ++k) {
          const Step* step = k < path.steps.size() ? &path.steps[k] : path.waits_at ? &*path.waits_at : nullptr;
          arrives = step && step->operation.kind == OperationKind::ControlBarrier &&
                    step->operation.barrier_instance == arrival.operation.barrier_instance && comes_to(b, q, k, in_use);
        }
      }
      others += arrives ? 1 : 0;
    }
    return others + 1 >= (arrival.quorum ? arrival.quorum : arrival.participants.size());
  }

  const std::vector<std::vector<Path>>& paths_;
  const Layout& layout_;
  const std::vector<Value>& given_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, Writes>, bool> known_;
  std::map<std::tuple<AllocationId, std::uint64_t, Value, Writes>, bool> known_values_;
};

class BruteForce {
 public:
  BruteForce(const Program& program, const Options& options, std::uint64_t most)
      : program_(program),
        options_(options.model),
        given_(options.thin_air ? program.thin_air_values : std::vector<Value>()),
        most_(most) {}

  std::optional<Executions> run() {
    find_paths();
    thin_air_.emplace(paths_, layout_, given_);
    if (!too_many_) choose_path({});
    return too_many_ ? std::nullopt : std::optional(found_);
  }

 private:
  // Paths over all values that any agent was seen to write, through control barriers that the others
  // were seen to open, as long as there are new ones, or that a derivation could take: it has each write
  // once at most.
  void find_paths() {
    for (int round = 0; round < 10 && !too_many_; ++round) {
      const auto values_before = values_;
      const auto arrived_before = arrived_;
      paths_.assign(program_.agents.size(), {});
      for (std::size_t a = 0; a < program_.agents.size(); ++a) follow(a, {});
      if (values_ == values_before && arrived_ == arrived_before) break;
    }
  }

  void follow(std::size_t agent, const std::vector<Value>& answers) {
    too_many_ = too_many_ || paths_[agent].size() > kMostPaths;
    if (too_many_) return;
    Path path;
    const auto running = program_.agents[agent].start();
    Value last = 0;
    for (std::size_t i = 0;; ++i) {
      Step step = running->next(last);
      last = 0;
      step.operation.agent = static_cast<AgentId>(agent);
      if (step.kind != StepKind::Operation) {
        path.end = {EndState::Finished, step.results};
        paths_[agent].push_back(path);
        return;
      }
      if (step.operation.kind == OperationKind::ControlBarrier) {
        Path waiting = path;
        waiting.end = {EndState::Waiting, step.results};
        waiting.waits_at = step;
        if (i >= answers.size()) paths_[agent].push_back(waiting);
        auto& arrived = arrived_[step.operation.barrier_instance];
        arrived.insert(agent);
        if (arrived.size() < (step.quorum ? step.quorum : step.participants.size())) return;
      }
      if (step.operation.is_access()) layout_.add(step.operation.locations);
      if (step.operation.reads()) {
        for (const Value value : given_) note(step.operation.locations, value);
        if (i >= answers.size()) return branch(agent, answers, path, step);
        last = answers[i];
      }
      Value written = step.operation.reads() ? 0 : step.written;
      if (step.operation.kind == OperationKind::ReadModifyWrite) written = *step.modify(last);
      if (step.operation.writes()) note(step.operation.locations, written);
      path.steps.push_back(step);
      path.reads.push_back(last);
      path.writes.push_back(written);
    }
  }

  void branch(std::size_t agent, const std::vector<Value>& answers, const Path& path, const Step& step) {
    std::vector<Value> next = answers;
    next.resize(path.steps.size(), 0);
    for (Value value : possible(step.operation.locations)) {
      next.push_back(value);
      follow(agent, next);
      next.pop_back();
    }
  }

  void note(const Locations& bytes, Value value) {
    for (std::uint64_t i = 0; i < bytes.size_bytes; ++i)
      values_[{bytes.allocation, bytes.offset_bytes + i}].insert((value >> (8 * i)) & 0xff);
  }

  // All combinations of bytes that were written.
  std::set<Value> possible(const Locations& bytes) {
    std::set<Value> result{0};
    for (std::uint64_t i = 0; i < bytes.size_bytes; ++i) {
      std::set<Value> longer = result;
      for (Value low : result)
        for (Value byte : values_[{bytes.allocation, bytes.offset_bytes + i}]) longer.insert(low | (byte << (8 * i)));
      result = longer;
    }
    return result;
  }

  void choose_path(std::vector<const Path*> chosen) {
    if (too_many_) return;
    if (chosen.size() == paths_.size() && ++combinations_ > kMostCombinations) too_many_ = true;
    if (chosen.size() < paths_.size()) {
      for (const Path& path : paths_[chosen.size()]) {
        chosen.push_back(&path);
        choose_path(chosen);
        chosen.pop_back();
      }
      return;
    }
    if (!barriers_allow(chosen)) return;
    execution_ = {};
    for (const AgentDescription& agent : program_.agents) execution_.agents.push_back(agent.place);
    execution_.agent_system_synchronization = program_.system_synchronization;
    ends_.clear();
    quorums_.clear();
    for (const Path* path : chosen) {
      ends_.push_back(path->end);
      for (std::size_t i = 0; i < path->steps.size(); ++i) {
        execution_.operations.push_back(path->steps[i].operation);
        execution_.read_values.push_back(path->reads[i]);
        execution_.written_values.push_back(path->writes[i]);
        if (path->steps[i].quorum != 0) quorums_[path->steps[i].operation.barrier_instance] = path->steps[i].quorum;
      }
    }
    choose_source(0, 0);
  }

  // Runs the barriers: who waits must wait for ever, who passed must have been let through.
  static bool barriers_allow(const std::vector<const Path*>& chosen) {
    std::vector<std::size_t> at(chosen.size(), 0);
    const auto arrival = [&](std::size_t a) -> const Step* {
      const Path& path = *chosen[a];
      while (at[a] < path.steps.size() && path.steps[at[a]].operation.kind != OperationKind::ControlBarrier) ++at[a];
      if (at[a] < path.steps.size()) return &path.steps[at[a]];
      return path.waits_at ? &*path.waits_at : nullptr;
    };
    std::map<std::uint64_t, std::size_t> passed;
    for (bool progress = true; progress;) {
      progress = false;
      for (std::size_t a = 0; a < chosen.size(); ++a) {
        const Step* mine = arrival(a);
        if (mine == nullptr) continue;
        std::size_t arrived = passed[mine->operation.barrier_instance];
        for (std::size_t b = 0; b < chosen.size(); ++b) {
          const Step* other = arrival(b);
          if (other && other->operation.barrier_instance == mine->operation.barrier_instance) ++arrived;
        }
        if (arrived < (mine->quorum ? mine->quorum : mine->participants.size())) continue;
        if (at[a] == chosen[a]->steps.size()) return false;
        ++passed[mine->operation.barrier_instance];
        ++at[a];
        progress = true;
      }
    }
    for (std::size_t a = 0; a < chosen.size(); ++a)
      if (arrival(a) && at[a] < chosen[a]->steps.size()) return false;
    return true;
  }

  void choose_source(OperationIndex read, std::size_t piece) {
    if (too_many_) return;
    const auto& operations = execution_.operations;
    while (read < operations.size() && !operations[read].reads()) ++read;
    if (read == operations.size()) return choose_order(0, 1);
    const std::vector<Locations> pieces = layout_.pieces(operations[read].locations);
    if (piece == pieces.size()) return choose_source(read + 1, 0);
    const Value wanted = part_of_value(execution_.read_values[read], operations[read].locations, pieces[piece]);
    if (!thin_air_->derived(pieces[piece], wanted)) return;
    const auto take = [&](OperationIndex write) {
      execution_.reads_from.push_back({read, write, pieces[piece]});
      choose_source(read, piece + 1);
      execution_.reads_from.pop_back();
    };
    if (wanted == 0) take(kInitialValue);
    for (OperationIndex write = 0; write < operations.size(); ++write) {
      const Operation& op = operations[write];
      if (op.writes() && covers(op.locations, pieces[piece]) &&
          part_of_value(execution_.written_values[write], op.locations, pieces[piece]) == wanted)
        take(write);
    }
  }

  bool mutually_ordered(OperationIndex a, OperationIndex b) const {
    const Operation& x = execution_.operations[a];
    const Operation& y = execution_.operations[b];
    if (!x.writes() || !y.writes() || !x.atomic || !y.atomic) return false;
    if (!(x.locations == y.locations) || x.reference != y.reference) return false;
    if (x.agent == y.agent) return true;
    return same_instance(execution_.place(a), execution_.place(b), x.scope) &&
           same_instance(execution_.place(a), execution_.place(b), y.scope);
  }

  void choose_order(OperationIndex a, OperationIndex b) {
    if (too_many_) return;
    if (a == execution_.operations.size()) return choose_quorum(0);
    if (b >= execution_.operations.size()) return choose_order(a + 1, a + 2);
    if (!mutually_ordered(a, b)) return choose_order(a, b + 1);
    for (const auto& pair : {model::OperationPair{a, b}, model::OperationPair{b, a}}) {
      execution_.modification_order.push_back(pair);
      choose_order(a, b + 1);
      execution_.modification_order.pop_back();
    }
  }

  void choose_quorum(OperationIndex arrival) {
    const auto& operations = execution_.operations;
    const auto has_quorum = [&](const Operation& op) {
      return op.kind == OperationKind::ControlBarrier && quorums_.count(op.barrier_instance) != 0;
    };
    while (arrival < operations.size() && !has_quorum(operations[arrival])) ++arrival;
    if (arrival == operations.size()) return judge();
    auto& choices = execution_.quorum_choices;
    const std::uint64_t instance = operations[arrival].barrier_instance;
    auto choice =
        std::find_if(choices.begin(), choices.end(), [&](const auto& c) { return c.barrier_instance == instance; });
    if (choice == choices.end()) choice = choices.insert(choices.end(), {instance, {}});
    const auto at = choice - choices.begin();
    choices[static_cast<std::size_t>(at)].synchronizing.push_back(arrival);
    choose_quorum(arrival + 1);
    choices[static_cast<std::size_t>(at)].synchronizing.pop_back();
    choose_quorum(arrival + 1);
  }

  void judge() {
    if (++candidates_ > most_) {
      too_many_ = true;
      return;
    }
    for (const model::QuorumChoice& choice : execution_.quorum_choices)
      if (choice.synchronizing.size() < quorums_[choice.barrier_instance]) return;
    const judge::Judgement judgement(execution_, options_);
    if (!judgement.consistent()) return;
    Seen& seen = found_[signature(execution_, ends_)];
    seen.racy = judgement.racy();
    ++seen.times;
  }

  const Program& program_;
  judge::Options options_;
  std::vector<Value> given_;
  std::uint64_t most_;
  std::uint64_t candidates_ = 0;
  std::uint64_t combinations_ = 0;
  bool too_many_ = false;
  Layout layout_;
  std::optional<ThinAir> thin_air_;
  std::map<std::pair<AllocationId, std::uint64_t>, std::set<Value>> values_;
  std::map<std::uint64_t, std::set<std::size_t>> arrived_;
  std::vector<std::vector<Path>> paths_;
  model::Execution execution_;
  std::vector<AgentEnd> ends_;
  std::map<std::uint64_t, std::uint32_t> quorums_;
  Executions found_;
};

}  // namespace

std::string signature(const model::Execution& execution, const std::vector<AgentEnd>& ends) {
  // Operations are named by their agent and how many came before in it.
  std::vector<std::string> names;
  std::vector<std::size_t> count(execution.agents.size(), 0);
  for (const Operation& op : execution.operations) {
    const auto agent = static_cast<std::size_t>(op.agent);
    names.push_back(std::to_string(agent) + "." + std::to_string(count[agent]++));
  }
  std::set<std::string> facts;
  for (std::size_t i = 0; i < names.size(); ++i)
    facts.insert("op " + names[i] + " " + std::to_string(execution.read_values[i]) + " " +
                 std::to_string(execution.written_values[i]));
  // By byte: how bytes are cut depends on accesses that are only thought of.
  for (const model::ReadsFrom& from : execution.reads_from)
    for (std::uint32_t i = 0; i < from.bytes.size_bytes; ++i)
      facts.insert("rf " + names[from.read] + " " + std::to_string(from.bytes.offset_bytes + i) + " " +
                   (from.write == kInitialValue ? "initial" : names[from.write]));
  for (const auto& [a, b] : execution.modification_order) facts.insert("smo " + names[a] + " " + names[b]);
  for (const model::QuorumChoice& choice : execution.quorum_choices)
    for (OperationIndex op : choice.synchronizing) facts.insert("quorum " + names[op]);
  std::ostringstream text;
  for (const std::string& fact : facts) text << fact << '\n';
  for (const AgentEnd& end : ends) text << "end " << static_cast<int>(end.state) << '\n';
  return text.str();
}

Executions explored(const Program& program, const Options& options) {
  Executions result;
  explore(program, options, [&](const Found& found) {
    Seen& seen = result[signature(found.execution, found.ends)];
    seen.racy = found.judgement.racy();
    ++seen.times;
    return true;
  });
  return result;
}

std::optional<Executions> brute_force(const Program& program, const Options& options, std::uint64_t most) {
  return BruteForce(program, options, most).run();
}

}  // namespace heddle::explore
