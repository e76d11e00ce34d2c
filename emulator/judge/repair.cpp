#include "emulator/judge/repair.h"

#include <algorithm>

namespace heddle::judge {
namespace {

using Operations = std::vector<model::OperationIndex>;

bool has_scope(const Operation& op) {
  return op.is_barrier() || (op.is_access() && op.atomic);
}

bool widen(Scope& scope) {
  if (includes(scope, Scope::Device)) return false;
  scope = Scope::Device;
  return true;
}

// Finds out by halves what can do without repair.
class LeastRepair {
 public:
  LeastRepair(const model::Execution& execution, const Options& options, const Repair& repair, const Holds& holds)
      : execution_(execution), options_(options), repair_(repair), holds_(holds) {}

  std::optional<Operations> find() {
    for (model::OperationIndex i = 0; i < execution_.operations.size(); ++i)
      if (Operation op = execution_.operations[i]; repair_(op)) repaired_.push_back(i);
    if (repaired_.empty() || !holds_with(repaired_)) return std::nullopt;
    leave_out(Operations(repaired_));
    return repaired_;
  }

 private:
  bool holds_with(const Operations& repaired) const {
    model::Execution execution = execution_;
    for (model::OperationIndex i : repaired) repair_(execution.operations[i]);
    Facts facts;
    facts.derive(execution, options_);
    return holds_(facts);
  }

  void leave_out(const Operations& some) {
    Operations others;
    std::set_difference(repaired_.begin(), repaired_.end(), some.begin(), some.end(), std::back_inserter(others));
    if (holds_with(others)) {
      repaired_ = others;
    } else if (some.size() > 1) {
      const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
      leave_out(Operations(some.begin(), middle));
      leave_out(Operations(middle, some.end()));
    }
  }

  const model::Execution& execution_;
  const Options& options_;
  const Repair& repair_;
  const Holds& holds_;
  Operations repaired_;
};

}  // namespace

Repair with_wide_scopes() {
  return [](Operation& op) {
    if (has_scope(op)) return widen(op.scope);
    bool wider = false;
    if (op.is_access() && has(op.operands, MemoryOperands::MakePointerAvailable)) wider = widen(op.available_scope);
    if (op.is_access() && has(op.operands, MemoryOperands::MakePointerVisible))
      wider = widen(op.visible_scope) || wider;
    return wider;
  };
}

Repair with_all_storage_classes(const model::Execution& execution) {
  MemorySemantics classes = MemorySemantics::None;
  for (const Operation& op : execution.operations)
    if (op.is_access()) classes |= semantic_of(op.storage_class);
  return [classes](Operation& op) {
    if (!has_scope(op) || !(acquires(op.semantics) || releases(op.semantics))) return false;
    if (has(op.semantics, classes)) return false;
    op.semantics |= classes;
    return true;
  };
}

Repair with_available_releases(AgentId but) {
  return [but](Operation& op) {
    if (op.agent == but || !has_scope(op) || !releases(op.semantics)) return false;
    if (has(op.semantics, MemorySemantics::MakeAvailable)) return false;
    op.semantics |= MemorySemantics::MakeAvailable;
    return true;
  };
}

Repair with_visible_acquires(AgentId but) {
  return [but](Operation& op) {
    if (op.agent == but || !has_scope(op) || !acquires(op.semantics)) return false;
    if (has(op.semantics, MemorySemantics::MakeVisible)) return false;
    op.semantics |= MemorySemantics::MakeVisible;
    return true;
  };
}

Repair without_tags() {
  return [](Operation& op) {
    const bool has_tags = op.tags != TagSetId::Empty;
    op.tags = TagSetId::Empty;
    return has_tags;
  };
}

std::optional<Operations> least_repair(const model::Execution& execution, const Options& options, const Repair& repair,
                                       const Holds& holds) {
  return LeastRepair(execution, options, repair, holds).find();
}

}  // namespace heddle::judge
