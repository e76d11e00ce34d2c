#include "emulator/litmus/vulkan/test_edits.h"

#include <fmt/format.h>
#include <heddle/edit.h>
#include <heddle/semantics.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "emulator/edits/program_edits.h"
#include "emulator/edits/words.h"
#include "emulator/litmus/vulkan/host_test.h"
#include "emulator/litmus/vulkan/source_edits.h"
#include "emulator/litmus/vulkan/spelling.h"
#include "emulator/litmus/vulkan/thread.h"

namespace heddle::litmus {
namespace {

/// Whether edits can name it: it is an access or a barrier.
bool can_be_named(const Instruction& instruction) {
  switch (instruction.kind) {
    case InstructionKind::Load:
    case InstructionKind::Store:
    case InstructionKind::ReadModifyWrite:
    case InstructionKind::MemoryBarrier:
    case InstructionKind::ControlBarrier:
      return instruction.put_in == PutIn::No;
    default:
      return false;
  }
}

/// The instructions of a line that can be named, from left to right.
std::vector<At> in_line(const Test& test, std::uint32_t line) {
  std::vector<At> all;
  for (std::uint32_t t = 0; t < test.threads.size(); ++t)
    for (std::uint32_t i = 0; i < test.threads[t].code.size(); ++i) {
      const Instruction& one = test.threads[t].code[i];
      if (one.place.line == line && can_be_named(one)) all.push_back({t, i});
    }
  std::sort(all.begin(), all.end(), [&](const At& a, const At& b) {
    return test.threads[a.thread].code[a.instruction].place.column <
           test.threads[b.thread].code[b.instruction].place.column;
  });
  return all;
}

const Instruction& at(const Test& test, const At& at) {
  return test.threads[at.thread].code[at.instruction];
}

/// What an edit names.
std::vector<At> named_by(const Test& test, const Edit& edit) {
  std::vector<At> found;
  std::uint32_t ordinal = 0;
  for (const At& one : in_line(test, edit.line)) {
    const Instruction& instruction = at(test, one);
    if (edit.column != 0 && instruction.place.column != edit.column) continue;
    if (edit.of == EditedKind::First) {
      const bool has_one = std::any_of(found.begin(), found.end(), [&](const At& o) { return o.thread == one.thread; });
      if (has_one) continue;
    } else if (edits::kind_of(instruction.operation) != edit.of) {
      continue;
    }
    if (edit.ordinal == 0 || ++ordinal == edit.ordinal) found.push_back(one);
  }
  return found;
}

bool puts_in(EditKind kind) {
  return kind == EditKind::PutMemoryBarrier || kind == EditKind::PutControlBarrier;
}

/// Why the dialect has no such instruction; empty if it has.
std::string why_not(const Test& test, const Thread& thread, const Instruction& instruction) {
  const Operation& op = instruction.operation;
  const bool orders = acquires(op.semantics) || releases(op.semantics);
  if (op.kind == OperationKind::Read && releases(op.semantics)) return "a load releases nothing";
  if (op.kind == OperationKind::Write && acquires(op.semantics)) return "a store acquires nothing";
  if (op.kind == OperationKind::MemoryBarrier && !orders) return "a memory barrier has an order";
  if (orders && storage_classes(op.semantics) == MemorySemantics::None) return "an order has a storage class";
  if (has(op.semantics, MemorySemantics::Volatile)) return "nothing is volatile in a litmus test";
  if (op.atomic && (instruction.cooperative || op.storage_class == StorageClass::Input))
    return "a cooperative access or a load of Input is no atomic";
  if (instruction.kind == InstructionKind::ControlBarrier && op.execution_scope != Scope::Workgroup)
    return "a control barrier of a litmus test is one of the workgroup";
  if (!spell(test, thread, instruction, Spelling::Tags)) return "the dialect has no words for it";
  return "";
}

/// Makes edits one after the other.
class Maker {
 public:
  Maker(const Test& test, std::string_view file) : file_(file) { made_.test = test; }

  EditedTest make(const std::vector<Edit>& edits) {
    for (const Edit& edit : edits) {
      const std::vector<At> all = is_of_file(edit, file_) ? named_by(made_.test, edit) : std::vector<At>();
      if (all.empty()) made_.unmet.push_back(edit);
      // What is put in, or taken out, moves what stands behind it in its thread.
      for (auto one = all.rbegin(); one != all.rend(); ++one) make(edit, *one);
    }
    return std::move(made_);
  }

 private:
  Thread& thread_of(const At& at) { return made_.test.threads[at.thread]; }

  void make(const Edit& edit, const At& at) {
    Thread& thread = thread_of(at);
    Instruction& named = thread.code[at.instruction];
    if (edit.kind == EditKind::TakeOut) {
      if (!named.operation.is_barrier()) return refuse(edit, "only a barrier can be taken out");
      return take_out(at);
    }
    if (puts_in(edit.kind)) return put(edit, at);
    Instruction changed = named;
    change(changed, edit);
    const std::string reason = why_not(made_.test, thread, changed);
    if (!reason.empty()) return refuse(edit, reason);
    changed.text = *spell(made_.test, thread, changed, changed.is_call ? Spelling::Calls : Spelling::Tags);
    named = std::move(changed);
  }

  void change(Instruction& instruction, const Edit& edit) const {
    Operation& op = instruction.operation;
    // Its bytes are known when it is executed; edits ask whether they can be those of an atomic.
    if (op.is_access()) op.locations = locations_of(made_.test.variables[instruction.variable]);
    edits::make(edit, op);
    op.locations = {};
    const bool orders = acquires(op.semantics) || releases(op.semantics);
    if (!orders) op.semantics = op.semantics & MemorySemantics::Volatile;
    if (!op.atomic) return;
    op.operands = MemoryOperands::None;
    op.available_scope = op.visible_scope = Scope::Invocation;
  }

  void put(const Edit& edit, const At& at) {
    Thread& thread = thread_of(at);
    const Instruction& beside = thread.code[at.instruction];
    const bool controls = edit.kind == EditKind::PutControlBarrier;
    Instruction barrier;
    barrier.kind = controls ? InstructionKind::ControlBarrier : InstructionKind::MemoryBarrier;
    barrier.place = beside.place;
    barrier.put_in = edit.behind ? PutIn::Behind : PutIn::Before;
    barrier.is_call = beside.is_call;
    barrier.operation.kind = controls ? OperationKind::ControlBarrier : OperationKind::MemoryBarrier;
    barrier.operation.scope = edit.scope;
    barrier.operation.semantics = edit.semantics;
    if (controls) {
      barrier.operation.execution_scope = edit.execution_scope;
      barrier.barrier.id = new_name();
    }
    const std::string reason = why_not(made_.test, thread, barrier);
    if (!reason.empty()) return refuse(edit, reason);
    barrier.text = *spell(made_.test, thread, barrier, barrier.is_call ? Spelling::Calls : Spelling::Tags);
    insert(thread, place_to_put(thread, at.instruction, edit.behind), std::move(barrier));
  }

  /// Behind what was put there before it.
  static std::uint32_t place_to_put(const Thread& thread, std::uint32_t beside, bool behind) {
    if (!behind) return beside;
    std::uint32_t place = beside + 1;
    while (place < thread.code.size() && thread.code[place].put_in == PutIn::Behind &&
           thread.code[place].place == thread.code[beside].place)
      ++place;
    return place;
  }

  static void insert(Thread& thread, std::uint32_t place, Instruction instruction) {
    for (Instruction& one : thread.code)
      if (one.traits().jumps && one.target >= place) ++one.target;
    thread.code.insert(thread.code.begin() + place, std::move(instruction));
  }

  void take_out(const At& at) {
    std::vector<Instruction>& code = thread_of(at).code;
    for (Instruction& one : code)
      if (one.traits().jumps && one.target > at.instruction) --one.target;
    code.erase(code.begin() + at.instruction);
  }

  /// A number that no control barrier of the test has.
  std::string new_name() {
    if (!name_.empty()) return name_;
    const auto is_used = [&](const std::string& name) {
      for (const Thread& thread : made_.test.threads)
        for (const Instruction& one : thread.code)
          if (one.kind == InstructionKind::ControlBarrier && one.barrier.id == name) return true;
      return false;
    };
    for (int number = 0; name_.empty() || is_used(name_); ++number) name_ = std::to_string(number);
    return name_;
  }

  void refuse(const Edit& edit, const std::string& reason) {
    made_.refused.push_back(fmt::format("cannot {}: {}", sentence_of(made_.test, edit), reason));
  }

  std::string_view file_;
  EditedTest made_;
  std::string name_;
};

/// What stands at the place of an edit in a column of the host or of a batch.
std::string sentence_of_call(const Test& test, const Edit& edit) {
  const Place place{edit.line, edit.column};
  std::string text;
  for (const Thread& thread : test.threads)
    for (const Instruction& one : thread.code)
      if (one.place == place) text = fmt::format("{}'s `{}`", thread.name(), one.text);
  if (test.host)
    for (const Batch& batch : test.host->batches)
      for (const BatchCommand& command : batch.commands)
        if (command.place == place) text = fmt::format("{}'s `{}`", test.threads[batch.thread].name(), command.text);
  edits::Setting setting;
  if (!text.empty()) setting.place = [&](const Edit&) { return fmt::format("{} (line {})", text, edit.line); };
  return edits::sentence_of(edit, setting);
}

}  // namespace

EditedTest with_edits(const Test& test, std::string_view file, const std::vector<Edit>& edits) {
  return Maker(test, file).make(edits);
}

std::vector<Edit> in_order(std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  return edits;
}

bool has_all(const std::vector<Edit>& edits, const std::vector<Edit>& others) {
  return std::all_of(others.begin(), others.end(),
                     [&](const Edit& one) { return std::find(edits.begin(), edits.end(), one) != edits.end(); });
}

Edit edit_at(const Test& test, const At& at, EditKind kind) {
  const Instruction& instruction = litmus::at(test, at);
  Edit edit;
  edit.kind = kind;
  edit.of = edits::kind_of(instruction.operation);
  edit.line = instruction.place.line;
  edit.column = instruction.place.column;
  return edit;
}

std::string sentence_of(const Test& test, const Edit& edit) {
  if (edit.of == EditedKind::Call) return sentence_of_call(test, edit);
  // (Of a test that was edited, the kind may be another one by now.)
  const auto instruction_of = [&]() -> std::optional<At> {
    const std::vector<At> all = named_by(test, edit);
    if (all.size() == 1) return all.front();
    if (edit.column == 0) return std::nullopt;
    for (const At& one : in_line(test, edit.line))
      if (at(test, one).place.column == edit.column) return one;
    return std::nullopt;
  };
  edits::Setting setting;
  setting.have_names = false;
  const std::optional<At> one = instruction_of();
  if (one) {
    setting.before = &at(test, *one).operation;
    setting.place = [&](const Edit&) {
      return fmt::format("{}'s `{}` (line {})", test.threads[one->thread].name(), at(test, *one).text, edit.line);
    };
  }
  return edits::sentence_of(edit, setting);
}

std::string sentence_of(const Test& test, const std::vector<Edit>& edits) {
  std::string text;
  for (const Edit& edit : edits) text += (text.empty() ? "" : ", and ") + sentence_of(test, edit);
  return text;
}

}  // namespace heddle::litmus
