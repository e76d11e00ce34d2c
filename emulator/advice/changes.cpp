#include "emulator/advice/changes.h"

#include <algorithm>
#include <functional>
#include <string_view>

namespace heddle::advice {
namespace {

using model::Execution;
using model::OperationIndex;

/// One edit of one instruction.
struct Edit {
  std::string text;
  std::function<void(Execution&)> apply;
  /// How many operations it puts before the second of the two.
  OperationIndex inserts = 0;
};

// Puts an operation before the one at `at`.
void insert(Execution& execution, OperationIndex at, const Operation& op) {
  const auto move = [at](OperationIndex& i) {
    if (i != model::kInitialValue && i >= at) ++i;
  };
  const auto offset = static_cast<std::ptrdiff_t>(at);
  execution.operations.insert(execution.operations.begin() + offset, op);
  execution.read_values.insert(execution.read_values.begin() + offset, 0);
  execution.written_values.insert(execution.written_values.begin() + offset, 0);
  for (model::ReadsFrom& from : execution.reads_from) {
    move(from.read);
    move(from.write);
  }
  for (auto* pairs : {&execution.modification_order, &execution.system_synchronization,
                      &execution.host_order})
    for (auto& [a, b] : *pairs) {
      move(a);
      move(b);
    }
  for (model::QuorumChoice& choice : execution.quorum_choices)
    for (OperationIndex& arrival : choice.synchronizing) move(arrival);
}

bool same_instruction(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.atomic == b.atomic && a.where.line == b.where.line &&
         std::string_view(a.where.file) == b.where.file && a.reference == b.reference;
}

std::string line_of(const Operation& op) { return "line " + std::to_string(op.where.line); }

bool orders(const Operation& op) {
  return op.is_memory_barrier() ||
         (op.atomic && (acquires(op.semantics) || releases(op.semantics)));
}

/// The changes that could order two operations.
class Changes {
 public:
  Changes(const Execution& execution, OperationIndex x, OperationIndex y,
          const judge::Options& options)
      : execution_(execution), x_(std::min(x, y)), y_(std::max(x, y)), options_(options) {}

  std::vector<std::string> find() {
    std::vector<std::pair<std::size_t, std::string>> found;
    const auto add = [&](const std::vector<Edit>& edits) {
      const std::vector<Edit> needed = smallest(edits);
      if (needed.empty()) return;
      std::string text;
      for (std::size_t i = 0; i < needed.size(); ++i)
        if (i == 0 || needed[i].text != needed[i - 1].text)
          text += (i == 0 ? "" : ", and ") + needed[i].text;
      found.emplace_back(needed.size(), text);
    };
    add(repairs(false));
    add(repairs(true));
    add(barrier());
    add(atomics());
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> texts;
    for (auto& [cost, text] : found)
      if (std::find(texts.begin(), texts.end(), text) == texts.end())
        texts.push_back(std::move(text));
    return texts;
  }

 private:
  bool races_with(const std::vector<Edit>& edits) const {
    Execution changed = execution_;
    OperationIndex second = y_;
    for (const Edit& edit : edits) {
      edit.apply(changed);
      second += edit.inserts;
    }
    for (const judge::Race& race : judge::Judgement(changed, options_).races())
      if (race.first == x_ && race.second == second) return true;
    return false;
  }

  // Takes one edit after the other away as long as the rest is enough: the dearest come last in the
  // list, and are tried first.
  std::vector<Edit> smallest(std::vector<Edit> edits) const {
    if (edits.empty() || races_with(edits)) return {};
    for (std::size_t i = edits.size(); i-- > 0;) {
      std::vector<Edit> fewer = edits;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (!races_with(fewer)) edits = std::move(fewer);
    }
    return edits;
  }

  template <typename Change>
  Edit edit(const Operation& instruction, std::string text, Change change) const {
    return {std::move(text), [instruction, change](Execution& execution) {
              for (Operation& op : execution.operations)
                if (same_instruction(op, instruction)) change(op);
            },
            0};
  }

  MemorySemantics storage() const { return semantic_of(execution_.operations[x_].storage_class); }
  bool same_workgroup() const {
    return model::same_instance(execution_.place(x_), execution_.place(y_), Scope::Workgroup);
  }
  Scope scope() const { return same_workgroup() ? Scope::Workgroup : Scope::Device; }

  // The instructions of the two agents, each once.
  std::vector<Operation> instructions() const {
    std::vector<Operation> all;
    for (const Operation& op : execution_.operations) {
      if (op.agent != execution_.operations[x_].agent && op.agent != execution_.operations[y_].agent)
        continue;
      if (std::none_of(all.begin(), all.end(),
                       [&](const Operation& known) { return same_instruction(known, op); }))
        all.push_back(op);
    }
    return all;
  }

  void make_non_private(std::vector<Edit>& edits) const {
    for (const OperationIndex i : {x_, y_}) {
      const Operation& op = execution_.operations[i];
      if (op.is_non_private()) continue;
      edits.push_back(edit(op, "make the access in " + line_of(op) + " NonPrivatePointer",
                           [](Operation& o) { o.operands = o.operands | MemoryOperands::NonPrivatePointer; }));
    }
  }

  void strengthen(const Operation& op, std::vector<Edit>& edits) const {
    const MemorySemantics semantics = op.semantics;
    const bool releasing = releases(semantics);
    const bool acquiring = acquires(semantics);
    const auto add_flag = [&](MemorySemantics flag, const char* name) {
      if (has(semantics, flag)) return;
      edits.push_back(edit(op, "add " + std::string(name) + " in " + line_of(op),
                           [flag](Operation& o) { o.semantics = o.semantics | flag; }));
    };
    if (storage() != MemorySemantics::None && !has(semantics, storage()))
      add_flag(storage(), storage() == MemorySemantics::WorkgroupMemory ? "WorkgroupMemory"
                          : storage() == MemorySemantics::ImageMemory   ? "ImageMemory"
                                                                        : "UniformMemory");
    if (releasing) add_flag(MemorySemantics::MakeAvailable, "MakeAvailable");
    if (acquiring) add_flag(MemorySemantics::MakeVisible, "MakeVisible");
    const Scope wanted = scope();
    if (!includes(op.scope, wanted))
      edits.push_back(edit(op,
                           "widen the memory scope in " + line_of(op) + " from " +
                               std::string(name(op.scope)) + " to " + std::string(name(wanted)),
                           [wanted](Operation& o) { o.scope = wanted; }));
  }

  // Relaxed atomics, and control barriers that order nothing.
  void promote(const Operation& op, std::vector<Edit>& edits) const {
    const bool barrier = op.kind == OperationKind::ControlBarrier;
    const MemorySemantics classes = storage();
    MemorySemantics order = MemorySemantics::AcquireRelease | MemorySemantics::MakeAvailable |
                            MemorySemantics::MakeVisible;
    const char* name = "AcquireRelease";
    if (!barrier && op.kind == OperationKind::Read) {
      order = MemorySemantics::Acquire | MemorySemantics::MakeVisible;
      name = "Acquire";
    } else if (!barrier && op.kind == OperationKind::Write) {
      order = MemorySemantics::Release | MemorySemantics::MakeAvailable;
      name = "Release";
    }
    const Scope wanted = scope();
    edits.push_back(edit(op,
                         "give the " + std::string(barrier ? "control barrier" : "atomic") + " in " +
                             line_of(op) + " " + name + " semantics, with the storage class and " +
                             "MakeAvailable or MakeVisible",
                         [order, classes, wanted](Operation& o) {
                           o.semantics = order | classes;
                           if (!includes(o.scope, wanted)) o.scope = wanted;
                         }));
  }

  std::vector<Edit> repairs(bool promoting) const {
    std::vector<Edit> edits;
    make_non_private(edits);
    for (const Operation& op : instructions())
      if (orders(op)) strengthen(op, edits);
    if (!promoting) return edits;
    for (const Operation& op : instructions()) {
      const bool could = (op.is_access() && op.atomic) || op.kind == OperationKind::ControlBarrier;
      if (could && !orders(op)) promote(op, edits);
    }
    return edits;
  }

  std::vector<Edit> barrier() const {
    std::vector<Edit> edits;
    if (!same_workgroup() || execution_.operations[x_].agent == execution_.operations[y_].agent)
      return edits;
    make_non_private(edits);
    const Operation& first = execution_.operations[x_];
    const Operation& second = execution_.operations[y_];
    edits.push_back({"put a Workgroup control barrier (AcquireRelease, MakeAvailable, MakeVisible, " +
                         std::string("and the storage class) ") +
                         (first.where.line == second.where.line
                              ? "between one execution of " + line_of(first) + " and the next"
                              : "between " + line_of(first) + " and " + line_of(second)),
                     [this](Execution& execution) { meet(execution); }, 2});
    return edits;
  }

  void meet(Execution& execution) const {
    const auto barrier_of = [&](OperationIndex i) {
      Operation op;
      op.kind = OperationKind::ControlBarrier;
      op.agent = execution_.operations[i].agent;
      op.scope = op.execution_scope = Scope::Workgroup;
      op.semantics = MemorySemantics::AcquireRelease | storage() | MemorySemantics::MakeAvailable |
                     MemorySemantics::MakeVisible;
      op.barrier_instance = ~std::uint64_t{0};
      return op;
    };
    insert(execution, y_, barrier_of(y_));
    insert(execution, x_ + 1, barrier_of(x_));
  }

  std::vector<Edit> atomics() const {
    std::vector<Edit> edits;
    const Scope wanted = scope();
    for (const OperationIndex i : {x_, y_}) {
      const Operation& op = execution_.operations[i];
      const auto change = [wanted](Operation& o) {
        o.atomic = true;
        o.operands = MemoryOperands::None;
        if (!includes(o.scope, wanted)) o.scope = wanted;
      };
      if (op.atomic && includes(op.scope, wanted)) continue;
      const std::string text =
          op.atomic ? "widen the scope of the atomic in " + line_of(op) + " to " +
                          std::string(name(wanted))
                    : "make the access in " + line_of(op) + " atomic (" +
                          std::string(name(wanted)) + ", Relaxed)";
      edits.push_back(edit(op, text, change));
    }
    return edits;
  }

  const Execution& execution_;
  OperationIndex x_;
  OperationIndex y_;
  judge::Options options_;
};

}  // namespace

std::vector<std::string> smallest_changes(const Execution& execution, OperationIndex x,
                                          OperationIndex y, const judge::Options& options) {
  return Changes(execution, x, y, options).find();
}

}  // namespace heddle::advice
