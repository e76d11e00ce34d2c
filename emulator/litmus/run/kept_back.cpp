#include "emulator/litmus/run/kept_back.h"

#include <algorithm>
#include <map>
#include <set>

#include "emulator/litmus/run/run.h"
#include "emulator/litmus/vulkan/final_state.h"
#include "emulator/litmus/vulkan/postponement.h"
#include "emulator/litmus/vulkan/program.h"
#include "emulator/run/runner.h"

namespace heddle::litmus {
namespace {

using model::OperationIndex;

/// What a machine does in time: an operation is issued, and a write takes its place, at once or later.
class Moments {
 public:
  explicit Moments(std::size_t operations) : place_(operations), later_(2 * operations) {
    for (std::size_t i = 0; i < operations; ++i) place_[i] = i;
  }
  std::size_t issued(OperationIndex operation) const { return operation; }
  std::size_t placed(OperationIndex write) const { return place_[write]; }
  /// A write may take its place later than it is issued.
  void may_wait(OperationIndex write) {
    place_[write] = place_.size() + write;
    precede(issued(write), placed(write));
  }
  void precede(std::size_t first, std::size_t second) { later_[first].push_back(second); }

  /// Whether they can be lined up.
  bool fit() const {
    std::vector<std::uint32_t> before(later_.size(), 0);
    for (const auto& all : later_)
      for (const std::size_t one : all) ++before[one];
    std::vector<std::size_t> next;
    for (std::size_t i = 0; i < later_.size(); ++i)
      if (before[i] == 0) next.push_back(i);
    std::size_t lined_up = 0;
    while (!next.empty()) {
      const std::size_t one = next.back();
      next.pop_back();
      ++lined_up;
      for (const std::size_t other : later_[one])
        if (--before[other] == 0) next.push_back(other);
    }
    return lined_up == later_.size();
  }

 private:
  std::vector<std::size_t> place_;
  std::vector<std::vector<std::size_t>> later_;
};

/// Which loads of a test have their value needed on the way to a later instruction. Says nothing of threads with loops
/// or branches.
class Needs {
 public:
  explicit Needs(const Test& test) {
    for (const Thread& thread : test.threads) of_thread_.push_back(lines_of(thread));
  }

  /// Whether the thread waits for the value of the load before it executes the other.
  bool waits(const Operation& load, const Operation& behind) const {
    const auto thread = static_cast<std::size_t>(load.agent);
    if (thread >= of_thread_.size()) return false;
    const auto needed = of_thread_[thread].find(load.where.line);
    return needed != of_thread_[thread].end() && behind.where.line >= needed->second;
  }

 private:
  /// By the line of a load: that of the first instruction that waits for its value.
  using Lines = std::map<std::uint32_t, std::uint32_t>;

  static Lines lines_of(const Thread& thread) {
    Lines lines;
    for (const Instruction& one : thread.code)
      if (one.traits().jumps) return {};
    for (std::size_t load = 0; load < thread.code.size(); ++load) {
      if (!thread.code[load].traits().only_reads()) continue;
      LateRegisters late(thread.registers.size(), false);
      late[thread.code[load].destination] = true;
      std::size_t at = load + 1;
      while (at < thread.code.size() && !needs_late_values(thread, at, late)) ++at;
      if (at < thread.code.size()) lines[thread.code[load].place.line] = thread.code[at].place.line;
    }
    return lines;
  }

  std::vector<Lines> of_thread_;
};

/// What an execution takes of a machine with such a policy, at least.
class Line {
 public:
  Line(const model::Execution& execution, const MemoryPolicy& policy, const Needs& needs)
      : e_(execution), policy_(policy), needs_(needs) {}

  bool can_come_up() const { return moments(true).fit(); }
  /// Whether it would if reads were answered by what is stored later.
  bool is_load_buffering() const { return !moments(false).fit(); }

 private:
  Moments moments(bool all) const {
    Moments made(e_.operations.size());
    for (OperationIndex i = 0; i < e_.operations.size(); ++i)
      if (waits(i)) made.may_wait(i);
    add_program_order(made);
    add_meetings(made);
    for (const model::ReadsFrom& from : e_.reads_from) add_source(made, from, all);
    if (all) add_places(made);
    return made;
  }

  bool is_update(OperationIndex i) const { return e_.operations[i].kind == OperationKind::ReadModifyWrite; }
  bool leaves_as_it_was(OperationIndex i) const { return is_update(i) && e_.read_values[i] == e_.written_values[i]; }
  bool waits(OperationIndex i) const {
    if (policy_.sequential || !e_.operations[i].writes()) return false;
    if (!is_update(i)) return policy_.delay != 0;
    return policy_.delay != 0 && !policy_.in_order && !leaves_as_it_was(i);
  }
  bool may_be_late(const Operation& read, const Operation& behind) const {
    return policy_.late_reads != 0 && read.kind == OperationKind::Read && !model::synchronizes(read) &&
           behind.is_access() && !model::synchronizes_with_earlier(behind, read) &&
           !behind.locations.overlaps(read.locations) && !needs_.waits(read, behind);
  }
  /// Whether the first agent system-synchronizes with the second one, which begins when the first has ended.
  bool is_after(AgentId first, AgentId second) const {
    return std::find(e_.agent_system_synchronization.begin(), e_.agent_system_synchronization.end(),
                     model::AgentPair(first, second)) != e_.agent_system_synchronization.end();
  }
  void add_program_order(Moments& made) const {
    for (OperationIndex a = 0; a < e_.operations.size(); ++a)
      for (OperationIndex b = 0; b < e_.operations.size(); ++b) {
        const Operation& first = e_.operations[a];
        const Operation& second = e_.operations[b];
        const bool in_order = first.agent == second.agent && a < b && !may_be_late(first, second);
        if (in_order || (first.agent != second.agent && is_after(first.agent, second.agent)))
          made.precede(made.issued(a), made.issued(b));
        if (in_order && policy_.in_order && first.writes() && second.writes() && waits(a))
          made.precede(made.placed(a), is_update(b) ? made.issued(b) : made.placed(b));
      }
  }
  // A thread leaves a control barrier that takes all of them after all have come.
  void add_meetings(Moments& made) const {
    for (OperationIndex a = 0; a < e_.operations.size(); ++a) {
      const Operation& arrival = e_.operations[a];
      if (arrival.kind != OperationKind::ControlBarrier || !e_.quorum_choices.empty()) continue;
      for (OperationIndex b = 0; b < e_.operations.size(); ++b) {
        const Operation& other = e_.operations[b];
        if (other.kind != OperationKind::ControlBarrier || other.agent == arrival.agent ||
            other.barrier_instance != arrival.barrier_instance)
          continue;
        for (OperationIndex later = b + 1; later < e_.operations.size(); ++later)
          if (e_.operations[later].agent == other.agent) made.precede(made.issued(a), made.issued(later));
      }
    }
  }
  void add_source(Moments& made, const model::ReadsFrom& from, bool all) const {
    OperationIndex write = from.write;
    // One that waits may come behind others that leave what it read.
    while (waits(from.read) && write != model::kInitialValue && leaves_as_it_was(write)) write = source_of(write);
    if (write == model::kInitialValue || write == from.read) return;
    // A thread may read what it stores later, through another name of the bytes.
    if (e_.operations[write].agent != e_.operations[from.read].agent || write > from.read)
      made.precede(all ? made.placed(write) : made.issued(write), made.issued(from.read));
  }
  OperationIndex source_of(OperationIndex update) const {
    for (const model::ReadsFrom& from : e_.reads_from)
      if (from.read == update) return from.write;
    return model::kInitialValue;
  }
  void add_places(Moments& made) const {
    for (const auto& [first, second] : e_.modification_order) made.precede(made.placed(first), made.placed(second));
    // Nothing is stale, and all that is placed reaches everybody.
    if (policy_.stale != 0 || policy_.rest != 0 || policy_.shared_copies) return;
    for (const model::ReadsFrom& from : e_.reads_from)
      for (const auto& [first, second] : e_.modification_order)
        if (first == from.write && second != from.read) made.precede(made.issued(from.read), made.placed(second));
  }

  const model::Execution& e_;
  const MemoryPolicy& policy_;
  const Needs& needs_;
};

std::string reason(const Line& line, const MemoryPolicy& policy) {
  if (line.is_load_buffering()) {
    return policy.late_reads == 0
               ? "a read would have to be answered by what is stored later (load buffering), and this policy answers "
                 "each at once"
               : "a read would have to be answered by what is stored later (load buffering), and only loads that "
                 "neither synchronize, nor have their value needed or their bytes accessed by what follows, are "
                 "answered late";
  }
  if (policy.sequential) return "this policy delays nothing, and nothing is stale";
  if (policy.in_order) return "this policy keeps the order of stores, and updates wait for all before them";
  return "a read-modify-write reads the newest value when it is executed; one that leaves the value as it is cannot "
         "come "
         "late, and none comes before what others have met";
}

}  // namespace

std::vector<std::string> why_kept_back(const Test& test, const Question& question, const MemoryPolicy& policy,
                                       const std::vector<Outcome>& outcomes) {
  // What memory with domains keeps back is not known by rules.
  if (needs_domains(test)) return std::vector<std::string>(outcomes.size());
  // Whether some execution may come up, and the reasons of those that may not.
  struct Ways {
    bool any = false;
    std::set<std::string> reasons;
  };
  std::vector<Ways> ways(outcomes.size());
  const Needs needs(test);
  explore::Options options = explorer_options(question);
  // A remark is worth no more.
  options.graph_limit = 300000;
  bool complete = true;
  for (Performers& performers : choices_of_performers(test)) {
    const TestProgram program(test, question.bound, Spinning::Explored, std::move(performers));
    const explore::Statistics found = explored(program.program(), options, [&](const explore::Found& one) {
      if (!one.terminated()) return true;
      std::vector<std::vector<explore::Value>> results;
      for (const explore::AgentEnd& end : one.ends) results.push_back(end.results);
      for (const Outcome& state : final_states(test, one.judgement, results)) {
        const auto at = std::find(outcomes.begin(), outcomes.end(), state);
        if (at == outcomes.end()) continue;
        Ways& of = ways[static_cast<std::size_t>(at - outcomes.begin())];
        if (of.any) continue;
        const Line line(one.execution, policy, needs);
        of.any = line.can_come_up();
        if (!of.any) of.reasons.insert(reason(line, policy));
      }
      return true;
    });
    complete = complete && found.graphs < options.graph_limit;
  }
  std::vector<std::string> out(outcomes.size());
  for (std::size_t i = 0; i < outcomes.size() && complete; ++i) {
    if (ways[i].any) continue;
    for (const std::string& why : ways[i].reasons) out[i] += (out[i].empty() ? "" : "; or ") + why;
  }
  return out;
}

}  // namespace heddle::litmus
