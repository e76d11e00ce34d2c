#include "emulator/judge/repair.h"

#include <heddle/edit.h>

#include <algorithm>
#include <iterator>

#include "emulator/edits/program_edits.h"

namespace heddle::judge {
namespace {

using Edits = std::vector<OperationEdit>;

bool has_scope(const Operation& op) {
  return op.is_barrier() || (op.is_access() && op.atomic);
}

Edit edit(EditKind kind) {
  Edit made;
  made.kind = kind;
  return made;
}

Edit added(MemorySemantics semantics) {
  Edit made = edit(EditKind::AddSemantics);
  made.semantics = semantics;
  return made;
}

// Finds out by halves what can do without repair.
class LeastRepair {
 public:
  LeastRepair(const model::Execution& execution, const Options& options, const Repair& repair, const Holds& holds)
      : execution_(execution), options_(options), holds_(holds) {
    for (model::OperationIndex i = 0; i < execution.operations.size(); ++i)
      if (const auto made = repair(execution.operations[i])) repaired_.push_back({i, *made});
  }

  std::optional<Edits> find() {
    if (repaired_.empty() || !holds_with(repaired_)) return std::nullopt;
    leave_out(Edits(repaired_));
    return repaired_;
  }

 private:
  bool holds_with(const Edits& repaired) const {
    model::Execution execution = execution_;
    for (const OperationEdit& one : repaired) edits::make(one.edit, execution.operations[one.operation]);
    Facts facts;
    facts.derive(execution, options_);
    return holds_(facts);
  }

  void leave_out(const Edits& some) {
    Edits others;
    std::set_difference(repaired_.begin(), repaired_.end(), some.begin(), some.end(), std::back_inserter(others),
                        [](const OperationEdit& a, const OperationEdit& b) { return a.operation < b.operation; });
    if (holds_with(others)) {
      repaired_ = others;
    } else if (some.size() > 1) {
      const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
      leave_out(Edits(some.begin(), middle));
      leave_out(Edits(middle, some.end()));
    }
  }

  const model::Execution& execution_;
  const Options& options_;
  const Holds& holds_;
  Edits repaired_;
};

}  // namespace

Repair with_wide_scopes() {
  return [](const Operation& op) -> std::optional<Edit> {
    const bool makes = op.is_access() && !op.atomic &&
                       (has(op.operands, MemoryOperands::MakePointerAvailable) ||
                        has(op.operands, MemoryOperands::MakePointerVisible));
    if (!has_scope(op) && !makes) return std::nullopt;
    const Scope now = has_scope(op) ? op.scope : op.writes() ? op.available_scope : op.visible_scope;
    if (includes(now, Scope::Device)) return std::nullopt;
    Edit wider = edit(EditKind::SetScope);
    wider.scope = Scope::Device;
    return wider;
  };
}

Repair with_all_storage_classes(const model::Execution& execution) {
  MemorySemantics classes = MemorySemantics::None;
  for (const Operation& op : execution.operations)
    if (op.is_access()) classes |= semantic_of(op.storage_class);
  return [classes](const Operation& op) -> std::optional<Edit> {
    if (!has_scope(op) || !(acquires(op.semantics) || releases(op.semantics))) return std::nullopt;
    if (has(op.semantics, classes)) return std::nullopt;
    return added(classes & ~op.semantics);
  };
}

Repair with_available_releases(AgentId but) {
  return [but](const Operation& op) -> std::optional<Edit> {
    if (op.agent == but || !has_scope(op) || !releases(op.semantics)) return std::nullopt;
    if (has(op.semantics, MemorySemantics::MakeAvailable)) return std::nullopt;
    return added(MemorySemantics::MakeAvailable);
  };
}

Repair with_visible_acquires(AgentId but) {
  return [but](const Operation& op) -> std::optional<Edit> {
    if (op.agent == but || !has_scope(op) || !acquires(op.semantics)) return std::nullopt;
    if (has(op.semantics, MemorySemantics::MakeVisible)) return std::nullopt;
    return added(MemorySemantics::MakeVisible);
  };
}

Repair without_tags() {
  return [](const Operation& op) -> std::optional<Edit> {
    if (op.tags == TagSetId::Empty) return std::nullopt;
    return edit(EditKind::SetTags);
  };
}

std::optional<std::vector<OperationEdit>> least_repair(const model::Execution& execution, const Options& options,
                                                       const Repair& repair, const Holds& holds) {
  return LeastRepair(execution, options, repair, holds).find();
}

}  // namespace heddle::judge
