#include "emulator/litmus/candidates.h"

#include <algorithm>
#include <map>
#include <set>

#include "emulator/judge/judgement.h"

namespace heddle::litmus {
namespace {

using explore::Step;
using explore::StepKind;
using explore::Value;
using model::OperationIndex;

/// What one agent does when it reads certain values.
struct Run {
  std::vector<Operation> operations;
  std::vector<Value> read_values;
  std::vector<Value> written_values;
  std::vector<Value> results;
  /// The calls among its operations: the number of each, and which operation it is.
  std::vector<std::pair<std::size_t, std::size_t>> calls;
};

using Domain = std::map<AllocationId, std::set<Value>>;

class Enumeration {
 public:
  Enumeration(const explore::Program& program, const CandidateLimits& limits, const ResultFilter& wanted,
              const std::function<bool(const Candidate&)>& on_candidate)
      : program_(program), limits_(limits), wanted_(wanted), on_candidate_(on_candidate) {}

  bool run();

 private:
  void find_runs();
  void extend(std::size_t agent, std::vector<Value>& reads, std::vector<Run>& out);
  bool combine(std::size_t agent);
  bool with_combination();
  bool choose_reads_from(std::size_t read);
  bool choose_modification_order();
  bool permute(std::size_t group);
  bool hand_over();
  void build_operations();
  void order_calls();
  Value initial(const Locations& locations) { return program_.initial_value ? program_.initial_value(locations) : 0; }

  const explore::Program& program_;
  const CandidateLimits& limits_;
  const ResultFilter& wanted_;
  const std::function<bool(const Candidate&)>& on_candidate_;

  Domain domain_;
  std::vector<std::vector<Run>> runs_;  // of each agent
  std::uint64_t tried_ = 0;
  std::uint64_t handed_over_ = 0;
  bool complete_ = true;

  std::vector<const Run*> chosen_;
  model::Execution execution_;
  std::vector<std::vector<Value>> results_;
  std::vector<OperationIndex> reads_;
  std::vector<std::vector<OperationIndex>> sources_;  // of each of reads_
  std::vector<model::OperationPair> unordered_;       // mutually ordered writes
  std::vector<std::vector<OperationIndex>> groups_;   // connected by unordered_, permuted in place
  std::set<std::vector<model::OperationPair>> seen_orders_;
};

/// Adds every run of the agent that starts with `reads`.
void Enumeration::extend(std::size_t agent, std::vector<Value>& reads, std::vector<Run>& out) {
  if (++tried_ > limits_.runs) {
    complete_ = false;
    return;
  }
  Run run;
  const auto started = program_.agents[agent].start();
  std::size_t read = 0;
  Value last = 0;
  while (true) {
    Step step = started->next(last);
    if (step.kind == StepKind::Spinning && step.goes_on) {
      last = 0;
      continue;
    }
    if (step.kind != StepKind::Operation) {
      run.results = std::move(step.results);
      if (step.kind == StepKind::Finished) out.push_back(std::move(run));
      return;
    }
    Operation operation = step.operation;
    operation.agent = static_cast<AgentId>(agent);
    last = 0;
    Value written = step.written;
    if (operation.reads()) {
      if (read == reads.size()) {
        for (const Value value : std::set<Value>(domain_[operation.locations.allocation])) {
          reads.push_back(value);
          extend(agent, reads, out);
          reads.pop_back();
        }
        return;
      }
      last = reads[read++];
      if (operation.kind == OperationKind::ReadModifyWrite && step.modify) {
        if (const auto modified = step.modify(last)) {
          written = *modified;
        } else {
          operation.kind = OperationKind::Read;
          operation.semantics = step.failure_semantics;
        }
      }
    }
    if (operation.writes()) domain_[operation.locations.allocation].insert(written);
    if (step.call != explore::kNoPoint)
      run.calls.emplace_back(step.call - program_.agents.size(), run.operations.size());
    run.operations.push_back(operation);
    run.read_values.push_back(last);
    run.written_values.push_back(operation.writes() ? written : 0);
  }
}

/// Runs every agent for all values that some run writes, until no run writes a new one.
void Enumeration::find_runs() {
  // A value that is computed from itself would grow for ever.
  constexpr int kMostRounds = 8;
  std::set<AllocationId> touched;
  for (int round = 0; round < kMostRounds && complete_; ++round) {
    const Domain before = domain_;
    runs_.assign(program_.agents.size(), {});
    for (std::size_t agent = 0; agent < runs_.size(); ++agent) {
      std::vector<Value> reads;
      extend(agent, reads, runs_[agent]);
    }
    // Which locations there are becomes known as agents run.
    for (auto& [allocation, values] : domain_) {
      if (touched.insert(allocation).second) values.insert(initial({allocation, 0, 8}));
    }
    if (domain_ == before) return;
  }
}

bool Enumeration::run() {
  find_runs();
  chosen_.resize(runs_.size());
  return combine(0) && complete_;
}

bool Enumeration::combine(std::size_t agent) {
  if (agent == runs_.size()) return with_combination();
  for (const Run& run : runs_[agent]) {
    chosen_[agent] = &run;
    if (!combine(agent + 1)) return false;
  }
  return true;
}

void Enumeration::build_operations() {
  execution_ = {};
  for (std::size_t agent = 0; agent < chosen_.size(); ++agent) {
    const Run& run = *chosen_[agent];
    execution_.agents.push_back(program_.agents[agent].place);
    execution_.operations.insert(execution_.operations.end(), run.operations.begin(), run.operations.end());
    execution_.read_values.insert(execution_.read_values.end(), run.read_values.begin(), run.read_values.end());
    execution_.written_values.insert(execution_.written_values.end(), run.written_values.begin(),
                                     run.written_values.end());
  }
  execution_.agent_system_synchronization = program_.system_synchronization;
  execution_.interlock_order = program_.interlock_order;
  execution_.shader_inputs = program_.shader_inputs;
  execution_.host = program_.host;
  if (program_.host) order_calls();
}

/// What a call, or an agent that starts, waits for system-synchronizes with it.
//= vk:memory-model-system-synchronizes-with
void Enumeration::order_calls() {
  const std::size_t agents = program_.agents.size();
  std::vector<OperationIndex> first{0};
  for (const Run* run : chosen_) first.push_back(first.back() + static_cast<OperationIndex>(run->operations.size()));
  std::vector<OperationIndex> made(program_.calls.size(), model::kInitialValue);
  for (std::size_t agent = 0; agent < agents; ++agent)
    for (const auto& [call, at] : chosen_[agent]->calls) made[call] = first[agent] + static_cast<OperationIndex>(at);
  auto& pairs = execution_.system_synchronization;
  const auto add_call = [&](explore::Point point, OperationIndex later) {
    const OperationIndex call = made[point - agents];
    if (call != model::kInitialValue) pairs.emplace_back(call, later);
  };
  for (std::size_t call = 0; call < made.size(); ++call) {
    if (made[call] == model::kInitialValue) continue;
    for (const explore::Point point : program_.calls[call].after) {
      if (point >= agents) {
        add_call(point, made[call]);
        continue;
      }
      for (OperationIndex earlier = first[point]; earlier < first[point + 1]; ++earlier)
        pairs.emplace_back(earlier, made[call]);
    }
  }
  for (std::size_t agent = 0; agent < agents; ++agent)
    for (const explore::Point point : program_.agents[agent].after)
      for (OperationIndex later = first[agent]; point >= agents && later < first[agent + 1]; ++later)
        add_call(point, later);
}

bool Enumeration::with_combination() {
  results_.clear();
  for (const Run* run : chosen_) results_.push_back(run->results);
  if (wanted_ && !wanted_(results_)) return true;
  build_operations();
  reads_.clear();
  sources_.clear();
  const auto& operations = execution_.operations;
  for (OperationIndex read = 0; read < operations.size(); ++read) {
    if (!operations[read].reads()) continue;
    const Locations& locations = operations[read].locations;
    std::vector<OperationIndex> sources;
    if (initial(locations) == execution_.read_values[read]) {
      sources.push_back(model::kInitialValue);
    }
    for (OperationIndex write = 0; write < operations.size(); ++write) {
      if (write != read && operations[write].writes() && operations[write].locations == locations &&
          execution_.written_values[write] == execution_.read_values[read]) {
        sources.push_back(write);
      }
    }
    if (sources.empty()) return true;
    reads_.push_back(read);
    sources_.push_back(std::move(sources));
  }
  // Mutual order asks for operations alone, so a judgement without orders knows it.
  unordered_.clear();
  const judge::Judgement bare(execution_);
  for (const auto& [a, b] : bare.pairs(judge::RelationName::MutuallyOrdered)) {
    if (a < b && operations[a].writes() && operations[b].writes()) unordered_.emplace_back(a, b);
  }
  return choose_reads_from(0);
}

bool Enumeration::choose_reads_from(std::size_t read) {
  if (read == reads_.size()) return choose_modification_order();
  for (const OperationIndex source : sources_[read]) {
    execution_.reads_from.push_back({reads_[read], source, execution_.operations[reads_[read]].locations});
    const bool go_on = choose_reads_from(read + 1);
    execution_.reads_from.pop_back();
    if (!go_on) return false;
  }
  return true;
}

bool Enumeration::choose_modification_order() {
  std::map<std::pair<ReferenceId, AllocationId>, std::set<OperationIndex>> groups;
  for (const auto& [a, b] : unordered_) {
    const Operation& operation = execution_.operations[a];
    auto& group = groups[{operation.reference, operation.locations.allocation}];
    group.insert(a);
    group.insert(b);
  }
  groups_.clear();
  for (const auto& [key, group] : groups) groups_.emplace_back(group.begin(), group.end());
  seen_orders_.clear();
  return permute(0);
}

/// Every total order of the writes of a group orders its mutually ordered pairs without a cycle,
/// and every such order of the pairs comes from one.
bool Enumeration::permute(std::size_t group) {
  if (group == groups_.size()) return hand_over();
  std::sort(groups_[group].begin(), groups_[group].end());
  do {
    if (!permute(group + 1)) return false;
  } while (std::next_permutation(groups_[group].begin(), groups_[group].end()));
  return true;
}

bool Enumeration::hand_over() {
  std::map<OperationIndex, std::size_t> position;
  for (const auto& group : groups_) {
    for (const OperationIndex write : group) position.emplace(write, position.size());
  }
  execution_.modification_order.clear();
  for (const auto& [a, b] : unordered_) {
    execution_.modification_order.emplace_back(position[a] < position[b] ? std::pair(a, b) : std::pair(b, a));
  }
  if (!seen_orders_.insert(execution_.modification_order).second) return true;
  if (++handed_over_ > limits_.candidates) {
    complete_ = false;
    return false;
  }
  return on_candidate_({execution_, results_});
}

}  // namespace

bool enumerate_candidates(const explore::Program& program, const CandidateLimits& limits, const ResultFilter& wanted,
                          const std::function<bool(const Candidate&)>& on_candidate) {
  return Enumeration(program, limits, wanted, on_candidate).run();
}

}  // namespace heddle::litmus
