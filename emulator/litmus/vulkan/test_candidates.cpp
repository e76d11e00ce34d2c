#include "emulator/litmus/vulkan/test_candidates.h"

#include <heddle/edit.h>
#include <heddle/semantics.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "emulator/advice/changes.h"
#include "emulator/advice/narrowest_scope.h"
#include "emulator/litmus/vulkan/trial.h"

namespace heddle::litmus {
namespace {

using model::OperationIndex;
using EditList = std::vector<Edit>;

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

class Candidates {
 public:
  Candidates(const Test& test, const Question& question, const RaceExample& race)
      : test_(test), race_(race), options_(explorer_options(question).model) {}

  std::vector<TestCandidate> all() {
    const auto x = instruction_of(test_, operation(race_.first));
    const auto y = instruction_of(test_, operation(race_.second));
    if (!x || !y) return {};
    add_link();
    add_advice(race_.first, race_.second);
    add_advice(race_.second, race_.first);
    add_barrier(*x, *y);
    add_barrier(*y, *x);
    for (TestCandidate& one : made_) one.named = one.named || is_named(one);
    return std::move(made_);
  }

 private:
  const Operation& operation(OperationIndex i) const { return race_.execution.operations[i]; }
  bool same(Scope scope) const {
    return model::same_instance(race_.execution.place(race_.first), race_.execution.place(race_.second), scope);
  }

  void add(EditList edits, bool unordered = false, bool named = false) {
    if (edits.empty()) return;
    edits = in_order(std::move(edits));
    for (const TestCandidate& known : made_)
      if (known.edits == edits) return;
    made_.push_back({std::move(edits), unordered, named});
  }

  /// The edit at the instruction of an operation; nothing if that is put in, which edits cannot name.
  std::optional<Edit> placed(Edit edit, const At& at) const {
    const Instruction& instruction = test_.threads[at.thread].code[at.instruction];
    if (instruction.put_in != PutIn::No) return std::nullopt;
    const Edit named = edit_at(test_, at, edit.kind);
    edit.of = named.of;
    edit.line = named.line;
    edit.column = named.column;
    edit.file.clear();
    return edit;
  }

  /// What adds the first missing link, with scopes as narrow as can be, and as the judge tried it.
  void add_link() {
    const judge::Judgement judgement(race_.execution, options_);
    const auto reason = judgement.why_unordered(race_.first, race_.second);
    if (!reason) return;
    for (const auto* operations : {&reason->culprits, &reason->lacking})
      for (const OperationIndex i : *operations)
        if (const auto at = instruction_of(test_, operation(i))) named_.insert(line_of(*at));
    EditList edits;
    EditList narrow;
    for (const judge::OperationEdit& one : reason->mending) {
      const auto at = instruction_of(test_, operation(one.operation));
      const auto edit = at ? placed(one.edit, *at) : std::nullopt;
      if (!edit) return;
      if (std::find(edits.begin(), edits.end(), *edit) != edits.end()) continue;
      edits.push_back(*edit);
      narrow.push_back(*edit);
      if (edit->kind == EditKind::SetScope)
        narrow.back().scope = advice::narrowest_scope(race_.execution, race_.first, race_.second);
    }
    add(std::move(narrow), false, true);
    add(std::move(edits), false, true);
  }

  bool is_named(const TestCandidate& one) const {
    return std::all_of(one.edits.begin(), one.edits.end(), [&](const Edit& edit) {
      return std::any_of(named_.begin(), named_.end(), [&](std::uint32_t line) {
        const At at = at_line(line);
        return test_.threads[at.thread].code[at.instruction].place == Place{edit.line, edit.column};
      });
    });
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

  /// The changes that order the two in this execution.
  void add_advice(OperationIndex first, OperationIndex second) {
    const advice::Neighbourhood part = part_of(first, second);
    if (part.first > part.second) return;
    advice::ChangeOptions options;
    options.model = options_;
    options.may_add_barriers = false;
    options.have_names = false;
    const std::vector<std::uint64_t> dispatches(part.execution.agents.size());
    for (const advice::Change& change : advice::smallest_changes(part, dispatches, options).changes)
      if (auto edits = edits_of(change)) add(*std::move(edits), change.unordered);
  }

  /// Nothing if no edits of instructions say it.
  std::optional<EditList> edits_of(const advice::Change& change) const {
    EditList edits;
    for (const advice::Edit& one : change.edits) {
      if (one.program.empty() || one.line == 0) return std::nullopt;
      for (const Edit& edit : one.program.front()) {
        const auto here = placed(edit, at_line(edit.line));
        if (!here) return std::nullopt;
        edits.push_back(*here);
      }
    }
    return edits;
  }

  /// One behind the first, and one before the second.
  void add_barrier(const At& first, const At& second) {
    if (first.thread == second.thread || !same(Scope::Workgroup)) return;
    EditList edits;
    for (const At& at : {first, second}) {
      const Instruction& instruction = test_.threads[at.thread].code[at.instruction];
      Edit barrier = edit_at(test_, at, EditKind::PutControlBarrier);
      barrier.scope = barrier.execution_scope = Scope::Workgroup;
      barrier.semantics = MemorySemantics::AcquireRelease | semantic_of(instruction.operation.storage_class) |
                          MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;
      barrier.behind = at == first;
      edits.push_back(barrier);
    }
    for (const At& at : {first, second}) {
      if (test_.threads[at.thread].code[at.instruction].operation.is_non_private()) continue;
      Edit non_private = edit_at(test_, at, EditKind::AddOperands);
      non_private.operands = MemoryOperands::NonPrivatePointer;
      edits.push_back(non_private);
    }
    add(std::move(edits));
  }

  const Test& test_;
  const RaceExample& race_;
  const judge::Options options_;
  /// Lines of instructions (line_of) that the first missing link names.
  std::set<std::uint32_t> named_;
  std::vector<TestCandidate> made_;
};

}  // namespace

std::vector<TestCandidate> candidates_for(const Test& test, const Question& question, const RaceExample& race) {
  return Candidates(test, question, race).all();
}

}  // namespace heddle::litmus
