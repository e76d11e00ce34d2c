#include "emulator/litmus/vulkan/changes.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "emulator/advice/changes.h"
#include "emulator/litmus/vulkan/cooperative.h"
#include "emulator/litmus/vulkan/final_state.h"
#include "emulator/litmus/vulkan/program.h"

namespace heddle::litmus {
namespace {

using model::OperationIndex;

/// An instruction of a test.
struct At {
  std::uint32_t thread = 0;
  std::uint32_t instruction = 0;
  friend bool operator==(const At&, const At&) = default;
};

// The texts of the instructions stand for functions.
std::optional<At> instruction_of(const Test& test, const Operation& operation) {
  const auto thread = static_cast<std::uint32_t>(operation.agent);
  if (thread >= test.threads.size()) return {};
  const std::vector<Instruction>& code = test.threads[thread].code;
  for (std::uint32_t i = 0; i < code.size(); ++i)
    if (code[i].text.c_str() == operation.where.function) return At{thread, i};
  return {};
}

/// Lines of a table have an instruction of each thread: each instruction gets a line of its own.
constexpr std::uint32_t kLinesOfThread = 1 << 16;
std::uint32_t line_of(const At& at) {
  return at.thread * kLinesOfThread + at.instruction + 1;
}
At at_line(std::uint32_t line) {
  return {(line - 1) / kLinesOfThread, (line - 1) % kLinesOfThread};
}

/// The operations of an execution so that what an agent reads, and what comes before in its thread, comes before it,
/// and else `first` and its agent as early as can be.
std::vector<OperationIndex> in_time(const model::Execution& e, OperationIndex first) {
  const std::size_t count = e.operations.size();
  std::vector<OperationIndex> order;
  std::vector<bool> taken(count);
  const auto may_come = [&](OperationIndex i, bool after_its_sources) {
    for (OperationIndex k = 0; k < i; ++k)
      if (!taken[k] && e.operations[k].agent == e.operations[i].agent) return false;
    return !after_its_sources ||
           std::none_of(e.reads_from.begin(), e.reads_from.end(), [&](const model::ReadsFrom& from) {
             return from.read == i && from.write != model::kInitialValue && from.write != i && !taken[from.write];
           });
  };
  const AgentId early = e.operations[first].agent;
  while (order.size() < count) {
    std::optional<OperationIndex> next;
    // (What threads read in a circle has no such order.)
    for (const bool after_its_sources : {true, false})
      for (OperationIndex i = 0; i < count && !next; ++i)
        if (!taken[i] && e.operations[i].agent == early && may_come(i, after_its_sources)) next = i;
    for (const bool after_its_sources : {true, false})
      for (OperationIndex i = 0; i < count && !next; ++i)
        if (!taken[i] && may_come(i, after_its_sources)) next = i;
    taken[*next] = true;
    order.push_back(*next);
  }
  return order;
}

class Search {
 public:
  Search(const Test& test, const Question& question, const RaceExample& race,
         const std::function<std::string(const Operation&)>& name_of, std::uint64_t most_graphs)
      : test_(test), question_(question), race_(race), name_of_(name_of), graphs_left_(most_graphs) {}

  TestChanges find() {
    search_once();
    const bool any_orders =
        std::any_of(ranked_.begin(), ranked_.end(), [](const Ranked& one) { return !one.change.unordered; });
    if (!any_orders) go_on();
    std::stable_sort(ranked_.begin(), ranked_.end(),
                     [](const Ranked& a, const Ranked& b) { return a.rank() < b.rank(); });
    for (Ranked& one : ranked_) found_.changes.push_back(std::move(one.change));
    return std::move(found_);
  }

 private:
  struct Ranked {
    TestChange change;
    /// Whether it changes nothing but what the first missing link names.
    bool named = false;
    std::tuple<bool, bool, bool> rank() const {
      return std::tuple(change.unordered, !change.other_race.empty(), !named);
    }
  };
  /// A change that orders the two in the example alone, and an execution of the changed test in which they race.
  struct Weak {
    advice::Change change;
    std::unique_ptr<Test> changed;
    RaceExample example;
  };
  /// What the explorer says of a changed test.
  struct Trial {
    /// Nothing if there are too many executions.
    std::optional<bool> race;
    std::optional<RaceExample> example;
    std::string other_race;
  };

  void search_once() {
    const auto x = instruction_of(test_, race_.execution.operations[race_.first]);
    const auto y = instruction_of(test_, race_.execution.operations[race_.second]);
    if (!x || !y) return;
    note_named();
    try_all(race_.first, race_.second);
    try_all(race_.second, race_.first);
  }

  /// The instructions of the first missing link.
  void note_named() {
    const judge::Judgement judgement(race_.execution, explorer_options(question_).model);
    const auto reason = judgement.why_unordered(race_.first, race_.second);
    if (!reason) return;
    for (const auto& operations : {reason->culprits, reason->lacking})
      for (const OperationIndex i : operations)
        if (const auto at = instruction_of(test_, race_.execution.operations[i])) named_.insert(line_of(*at));
  }

  // Goes on from changes that are too weak: a lock, say, has to hand on what is in it in both directions.
  void go_on() {
    constexpr std::size_t kMost = 3;
    for (std::size_t i = 0; i < std::min(weak_.size(), kMost); ++i) {
      const Weak& weak = weak_[i];
      Search next(*weak.changed, question_, weak.example, name_of_, graphs_left_);
      next.search_once();
      graphs_left_ = next.graphs_left_;
      for (Ranked& more : next.ranked_) {
        more.change.text = weak.change.text + ", and " + more.change.text;
        more.change.unordered = more.change.unordered || weak.change.unordered;
        more.named = false;
        if (!knows(more.change.text)) ranked_.push_back(std::move(more));
      }
    }
  }

  bool knows(const std::string& text) const {
    return std::any_of(ranked_.begin(), ranked_.end(), [&](const Ranked& one) { return one.change.text == text; });
  }

  advice::Neighbourhood part_of(OperationIndex first, OperationIndex second) const {
    const model::Execution& all = race_.execution;
    const std::vector<OperationIndex> order = in_time(all, first);
    std::vector<OperationIndex> number(all.operations.size());
    for (OperationIndex i = 0; i < order.size(); ++i) number[order[i]] = i;
    const auto moved = [&](OperationIndex i) { return i == model::kInitialValue ? i : number[i]; };
    advice::Neighbourhood part;
    part.execution = all;
    model::Execution& e = part.execution;
    for (OperationIndex i = 0; i < order.size(); ++i) {
      e.operations[i] = all.operations[order[i]];
      e.read_values[i] = all.read_values[order[i]];
      e.written_values[i] = all.written_values[order[i]];
      if (const auto at = instruction_of(test_, e.operations[i])) e.operations[i].where.line = line_of(*at);
    }
    for (model::ReadsFrom& from : e.reads_from) from = {moved(from.read), moved(from.write), from.bytes};
    for (auto* pairs : {&e.modification_order, &e.system_synchronization, &e.host_order})
      for (auto& [a, b] : *pairs) std::tie(a, b) = std::pair(moved(a), moved(b));
    for (model::QuorumChoice& choice : e.quorum_choices)
      for (OperationIndex& arrival : choice.synchronizing) arrival = moved(arrival);
    for (model::ShaderCallEdge& edge : e.shader_calls) edge.call = moved(edge.call);
    part.first = moved(first);
    part.second = moved(second);
    for (std::size_t agent = 0; agent < e.agents.size(); ++agent) part.agents.push_back(static_cast<AgentId>(agent));
    return part;
  }

  void try_all(OperationIndex first, OperationIndex second) {
    const advice::Neighbourhood part = part_of(first, second);
    if (part.first > part.second) return;
    advice::ChangeOptions options;
    options.model = explorer_options(question_).model;
    options.may_add_barriers = false;
    options.have_names = false;
    options.place = [&](const Operation& op) {
      Operation named = op;
      if (const auto at = instruction_of(test_, op))
        named.where.line = test_.threads[at->thread].code[at->instruction].place.line;
      return name_of_(named);
    };
    const std::vector<std::uint64_t> dispatches(part.execution.agents.size());
    for (const advice::Change& change : advice::smallest_changes(part, dispatches, options).changes) consider(change);
  }

  void consider(const advice::Change& change) {
    if (knows(change.text)) return;
    std::optional<Test> made_of = made(change);
    if (!made_of) return;
    // An example names the texts of the changed test, which stays where it is.
    auto changed = std::make_unique<Test>(*std::move(made_of));
    Trial trial = try_out(*changed);
    if (!trial.race) {
      ++found_.undecided;
    } else if (*trial.race) {
      ++found_.too_weak;
      if (trial.example) weak_.push_back({change, std::move(changed), *std::move(trial.example)});
    } else {
      const bool named = std::all_of(change.edits.begin(), change.edits.end(),
                                     [&](const advice::Edit& edit) { return named_.count(edit.line) != 0; });
      ranked_.push_back({{change.text, change.unordered, std::move(trial.other_race), std::move(*changed)}, named});
    }
  }

  // Makes the edits to one operation of each instruction, and makes instructions of the operations again. Nothing if an
  // instruction cannot have that.
  std::optional<Test> made(const advice::Change& change) const {
    model::Execution all;
    for (std::uint32_t t = 0; t < test_.threads.size(); ++t)
      for (std::uint32_t i = 0; i < test_.threads[t].code.size(); ++i) {
        Operation op = test_.threads[t].code[i].operation;
        op.agent = static_cast<AgentId>(t);
        op.reference = static_cast<ReferenceId>(test_.threads[t].code[i].variable);
        op.where = {"", "", line_of({t, i})};
        all.operations.push_back(op);
      }
    all.read_values.resize(all.operations.size());
    all.written_values.resize(all.operations.size());
    for (const advice::Edit& edit : change.edits) edit.apply(all);
    Test changed = test_;
    for (Thread& thread : changed.threads) thread.code.clear();
    for (const Operation& op : all.operations) {
      // (An operation that is like none of the test has no line.)
      if (op.where.line == 0) return {};
      const At at = at_line(op.where.line);
      const Instruction& before = test_.threads[at.thread].code[at.instruction];
      if (op.reference != static_cast<ReferenceId>(before.variable) ||
          op.execution_scope != before.operation.execution_scope)
        return {};
      // Cooperative accesses and loads of Input are no atomics.
      if (op.atomic && (before.cooperative || op.storage_class == StorageClass::Input)) return {};
      Instruction& mine = changed.threads[at.thread].code.emplace_back(before);
      mine.operation.atomic = op.atomic;
      mine.operation.scope = op.scope;
      mine.operation.semantics = op.semantics;
      mine.operation.operands = op.operands;
      if (op.atomic) drop_plain_operands(mine.operation);
    }
    for (std::uint32_t t = 0; t < test_.threads.size(); ++t)
      for (Instruction& instruction : changed.threads[t].code)
        if (instruction.traits().jumps) instruction.target = *same_place(changed, {t, instruction.target});
    return changed;
  }

  // What an access that has become atomic had for itself: an atomic of the dialect has none of it.
  static void drop_plain_operands(Operation& atomic) {
    atomic.operands = MemoryOperands::None;
    atomic.available_scope = atomic.visible_scope = Scope::Invocation;
  }

  // Which instruction of a changed test this one has become: of several in its place the first, for others are put in
  // behind it.
  std::optional<std::uint32_t> same_place(const Test& changed, const At& at) const {
    const Place place = test_.threads[at.thread].code[at.instruction].place;
    const std::vector<Instruction>& code = changed.threads[at.thread].code;
    for (std::uint32_t i = at.instruction; i < code.size(); ++i)
      if (code[i].place == place) return i;
    return {};
  }

  // Whether the test asks about this execution.
  static bool passes_filter(const Test& test, const explore::Found& found) {
    if (!test.filter) return true;
    std::vector<std::vector<explore::Value>> results;
    for (const explore::AgentEnd& end : found.ends) results.push_back(end.results);
    const std::vector<Outcome> states = final_states(test, found.judgement, results);
    return std::any_of(states.begin(), states.end(),
                       [&](const Outcome& state) { return satisfies(state, *test.filter); });
  }

  // Whether the two instructions race in some execution of the changed test that its filter passes, and whether others
  // do. A test that the change leaves without any such execution counts as one where they race.
  Trial try_out(const Test& changed) try {
    const auto here = [&](OperationIndex access) {
      const At at = *instruction_of(test_, race_.execution.operations[access]);
      return At{at.thread, *same_place(changed, at)};
    };
    const At x = here(race_.first);
    const At y = here(race_.second);
    explore::Options options = explorer_options(question_);
    Trial trial;
    bool asked_about = false;
    for (Performers& performers : choices_of_performers(changed)) {
      if (graphs_left_ == 0) return {};
      options.graph_limit = graphs_left_;
      const TestProgram program(changed, question_.bound, Spinning::Explored, std::move(performers));
      const explore::Statistics all = explore::explore(program.program(), options, [&](const explore::Found& found) {
        if (!passes_filter(changed, found)) return true;
        asked_about = true;
        for (const judge::Race& one : found.judgement.races()) {
          const auto a = instruction_of(changed, found.execution.operations[one.first]);
          const auto b = instruction_of(changed, found.execution.operations[one.second]);
          if ((a == x && b == y) || (a == y && b == x)) {
            trial.example = RaceExample{found.execution, one.first, one.second};
          } else if (trial.other_race.empty()) {
            trial.other_race = name_of_(found.execution.operations[one.first]) + " still races with " +
                               name_of_(found.execution.operations[one.second]);
          }
        }
        return !trial.example;
      });
      graphs_left_ -= std::min(graphs_left_, all.graphs);
      if (trial.example) {
        trial.race = true;
        return trial;
      }
      if (!all.complete) return {};
    }
    trial.race = !asked_about;
    return trial;
  } catch (const explore::TooLong&) {
    return {};
  }

  const Test& test_;
  const Question& question_;
  const RaceExample& race_;
  const std::function<std::string(const Operation&)>& name_of_;
  std::uint64_t graphs_left_;
  /// Lines of instructions (line_of).
  std::set<std::uint32_t> named_;
  std::vector<Ranked> ranked_;
  std::vector<Weak> weak_;
  TestChanges found_;
};

}  // namespace

TestChanges changes_without_race(const Test& test, const Question& question, const RaceExample& race,
                                 const std::function<std::string(const Operation&)>& name_of,
                                 std::uint64_t most_graphs) {
  return Search(test, question, race, name_of, most_graphs).find();
}

}  // namespace heddle::litmus
