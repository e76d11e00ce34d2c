#include "emulator/litmus/vulkan/instruction_parser.h"

#include <array>
#include <utility>

#include "emulator/litmus/vulkan/call_parser.h"
#include "emulator/litmus/vulkan/operands.h"
#include "emulator/litmus/vulkan/tags.h"
#include "emulator/litmus/vulkan/words.h"
#include "runtime/text/readable.h"

namespace heddle::litmus {
namespace {

constexpr std::pair<std::string_view, Comparison> kBranches[] = {
    {"beq", Comparison::Equal},     {"bne", Comparison::NotEqual}, {"blt", Comparison::Less},
    {"ble", Comparison::LessEqual}, {"bgt", Comparison::Greater},  {"bge", Comparison::GreaterEqual}};

/// The tags of a load or store after its mnemonic; `per_instruction` is its own of `vis` and `av`.
void parse_access_tags(Tags& tags, Operation& operation, MemorySemantics order, std::string_view per_instruction) {
  operation.atomic = tags.accept("atom");
  if (operation.atomic) {
    operation.semantics = tags.accept(acquires(order) ? "acq" : "rel") ? order : MemorySemantics::Relaxed;
    operation.scope = tags.expect_scope();
    operation.storage_class = tags.expect_storage_class();
    operation.semantics = tags.expect_semantics_of(operation.semantics);
    tags.finish(operation.semantics == MemorySemantics::Relaxed
                    ? "no further tag (a relaxed atomic orders no storage class)"
                    : "");
    return;
  }
  if (tags.accept("nonpriv")) {
    operation.operands = MemoryOperands::NonPrivatePointer;
  } else if (tags.accept(per_instruction)) {
    const Scope scope = tags.expect_scope();
    operation.operands = MemoryOperands::NonPrivatePointer;
    if (acquires(order)) {
      operation.operands |= MemoryOperands::MakePointerVisible;
      operation.visible_scope = scope;
    } else {
      operation.operands |= MemoryOperands::MakePointerAvailable;
      operation.available_scope = scope;
    }
  }
  operation.storage_class = tags.expect_storage_class();
  tags.finish();
}

/// Input is read, and nothing else.
void check_input(const Tags& tags, const Operation& operation) {
  if (operation.storage_class != StorageClass::Input) return;
  if (operation.kind != OperationKind::Read || operation.atomic)
    throw ParseError(tags.mnemonic().place, "Input (scin) is for plain loads only");
}

void parse_load(Tags& tags, Operands& operands, Instruction& out) {
  out.kind = InstructionKind::Load;
  out.operation.kind = OperationKind::Read;
  parse_access_tags(tags, out.operation, MemorySemantics::Acquire, "vis");
  check_input(tags, out.operation);
  out.destination = operands.destination();
  operands.comma();
  out.variable = operands.variable();
}

void parse_store(Tags& tags, Operands& operands, Instruction& out) {
  out.kind = InstructionKind::Store;
  out.operation.kind = OperationKind::Write;
  parse_access_tags(tags, out.operation, MemorySemantics::Release, "av");
  check_input(tags, out.operation);
  out.variable = operands.variable();
  operands.comma();
  out.left = operands.value();
}

void parse_read_modify_write(Tags& tags, Operands& operands, Instruction& out) {
  out.kind = InstructionKind::ReadModifyWrite;
  out.operation.kind = OperationKind::ReadModifyWrite;
  out.operation.atomic = true;
  if (!tags.accept("atom")) tags.fail("'atom' (every rmw is atomic)");
  const MemorySemantics order = tags.accept_order();
  out.operation.scope = tags.expect_scope();
  out.operation.storage_class = tags.expect_storage_class();
  check_input(tags, out.operation);
  out.operation.semantics = tags.expect_semantics_of(order);
  for (const auto& [word, meaning] : kArithmeticWords) {
    if (tags.accept(word)) {
      out.arithmetic = meaning;
      break;
    }
  }
  tags.finish();
  out.destination = operands.destination();
  operands.comma();
  out.variable = operands.variable();
  operands.comma();
  out.left = operands.value();
}

/// The scope of a cooperative matrix access stands before the tags of a load or store, and its name behind
/// the operands.
Scope expect_cooperative_scope(Tags& tags) {
  if (!tags.accept("sg")) {
    if (!tags.accept("wg")) tags.fail("the matrix's scope (sg, wg)");
    return Scope::Workgroup;
  }
  return Scope::Subgroup;
}

void parse_cooperative(Tags& tags, Operands& operands, bool loads, Instruction& out) {
  const Scope scope = expect_cooperative_scope(tags);
  if (loads) {
    parse_load(tags, operands, out);
  } else {
    parse_store(tags, operands, out);
  }
  if (out.operation.atomic) throw ParseError(out.place, "a cooperative matrix access is no atomic");
  operands.comma();
  out.cooperative = CooperativeName{operands.id("the access's id (a word or a number)"), scope};
}

void parse_memory_barrier(Tags& tags, Instruction& out) {
  out.kind = InstructionKind::MemoryBarrier;
  out.operation.kind = OperationKind::MemoryBarrier;
  const MemorySemantics order = tags.accept_order();
  if (order == MemorySemantics::Relaxed) tags.fail("a memory order (acq, rel, acq_rel)");
  out.operation.scope = tags.expect_scope();
  out.operation.semantics = tags.expect_semantics_of(order);
  tags.finish();
}

void parse_control_barrier(Tags& tags, Cursor& cursor, Operands& operands, Instruction& out) {
  out.kind = InstructionKind::ControlBarrier;
  out.operation.kind = OperationKind::ControlBarrier;
  out.operation.execution_scope = Scope::Workgroup;
  const MemorySemantics order = tags.accept_order();
  out.operation.scope = tags.expect_scope();
  out.operation.semantics = tags.expect_semantics_of(order);
  tags.finish(order == MemorySemantics::Relaxed
                  ? "no further tag (a barrier without a memory order orders no storage class)"
                  : "");
  out.barrier.id = operands.id("the barrier's id (a word or a number)");
  if (!cursor.accept(",")) return;
  out.barrier.named = true;
  if (cursor.peek().kind == TokenKind::Word && !is_register(cursor.peek())) {
    out.barrier.resource_word = std::string(cursor.take().text);
  } else {
    out.barrier.resource = operands.value();
  }
  if (cursor.accept(",")) out.barrier.quorum = operands.value();
}

void parse_branch(Comparison comparison, Operands& operands, Instruction& out, Token& label) {
  out.kind = InstructionKind::Branch;
  out.comparison = comparison;
  out.left = operands.value();
  operands.comma();
  out.right = operands.value();
  operands.comma();
  label = operands.label();
}

void parse_compute(Arithmetic arithmetic, Operands& operands, Instruction& out) {
  out.kind = InstructionKind::Compute;
  out.arithmetic = arithmetic;
  out.destination = operands.destination();
  operands.comma();
  out.left = operands.value();
  operands.comma();
  out.right = operands.value();
}

}  // namespace

Instruction parse_instruction(Cursor& cursor, CellContext context, Token& label) {
  if (cursor.peek().kind != TokenKind::Word) cursor.fail("an instruction");
  if (is_call(cursor)) return parse_call(cursor, context, label);
  Tags tags(cursor);
  Operands operands(cursor, context);
  Instruction out;
  out.place = tags.mnemonic().place;
  const std::string_view word = tags.mnemonic().text;
  if (word == "ld") {
    parse_load(tags, operands, out);
  } else if (word == "st") {
    parse_store(tags, operands, out);
  } else if (word == "rmw") {
    parse_read_modify_write(tags, operands, out);
  } else if (word == "membar") {
    parse_memory_barrier(tags, out);
  } else if (word == "cbar") {
    parse_control_barrier(tags, cursor, operands, out);
  } else if (word == "avdevice" || word == "visdevice") {
    tags.finish();
    out.kind = InstructionKind::DeviceOperation;
    out.operation.kind = word == "avdevice" ? OperationKind::DeviceAvailability : OperationKind::DeviceVisibility;
  } else if (word == "beginlock" || word == "endlock") {
    tags.finish();
    out.kind = InstructionKind::Interlock;
    out.operation.kind =
        word == "beginlock" ? OperationKind::BeginInvocationInterlock : OperationKind::EndInvocationInterlock;
  } else if (word == "free") {
    tags.finish();
    out.kind = InstructionKind::Free;
    out.operation.kind = OperationKind::Free;
    out.variable = operands.variable();
  } else if (word == "coopld" || word == "coopst") {
    parse_cooperative(tags, operands, word == "coopld", out);
  } else if (word == "goto") {
    tags.finish();
    out.kind = InstructionKind::Jump;
    label = operands.label();
  } else if (const auto comparison = meaning_of(word, kBranches)) {
    tags.finish();
    parse_branch(*comparison, operands, out, label);
  } else if (const auto arithmetic = meaning_of(word, kArithmeticWords)) {
    tags.finish();
    parse_compute(*arithmetic, operands, out);
  } else {
    throw ParseError(out.place, fmt::format("expected an instruction, found {}", shown(word)));
  }
  return out;
}

std::string text_of_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  // A comment within an instruction may have anything in it.
  return text::readable(out);
}

}  // namespace heddle::litmus
