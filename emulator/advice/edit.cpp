#include "emulator/advice/edit.h"

#include <heddle/edit.h>
#include <heddle/semantics.h>

#include "emulator/advice/operation_text.h"
#include "emulator/edits/words.h"

namespace heddle::advice {

using model::OperationIndex;

heddle::Edit program_edit(EditKind kind, const Operation& operation) {
  heddle::Edit edit;
  edit.kind = kind;
  edit.of = edits::kind_of(operation);
  edit.file = operation.where.file;
  edit.line = operation.where.line;
  edit.column = operation.where.column;
  return edit;
}

heddle::Edit join_edit(const Operation& access, Scope scope) {
  heddle::Edit edit = program_edit(EditKind::JoinUpdate, access);
  edit.scope = scope;
  edit.semantics = MemorySemantics::Relaxed;
  return edit;
}

void insert(model::Execution& execution, OperationIndex at, const Operation& op) {
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
  for (auto* pairs : {&execution.modification_order, &execution.system_synchronization, &execution.host_order})
    for (auto& [a, b] : *pairs) {
      move(a);
      move(b);
    }
  for (model::QuorumChoice& choice : execution.quorum_choices)
    for (OperationIndex& arrival : choice.synchronizing) move(arrival);
  for (model::ShaderCallEdge& edge : execution.shader_calls) move(edge.call);
}

bool same_line(const Operation& a, const Operation& b) {
  return in_one_line(a, b) && a.reference == b.reference;
}

bool same_instruction(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.atomic == b.atomic && same_line(a, b);
}

bool orders(const Operation& op) {
  return op.is_memory_barrier() || (op.atomic && (acquires(op.semantics) || releases(op.semantics)));
}

}  // namespace heddle::advice
