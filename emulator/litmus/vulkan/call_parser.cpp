#include "emulator/litmus/vulkan/call_parser.h"

#include <fmt/format.h>

#include "emulator/litmus/vulkan/calls.h"
#include "emulator/litmus/vulkan/operands.h"
#include "emulator/litmus/vulkan/words.h"

namespace heddle::litmus {
namespace {

/// The parser of one call. What it does not find it throws as a ParseError that says what was expected.
class Call {
 public:
  Call(Cursor& cursor, CellContext context) : cursor_(cursor), operands_(cursor, context) {}

  Instruction parse(Token& label);

 private:
  void parse_branch(Token& label);
  void parse_value(std::uint32_t destination);
  void parse_compute();
  void parse_statement();
  bool parse_store(std::string_view name);
  bool parse_barrier(std::string_view name);
  bool parse_device(std::string_view name);
  void parse_cooperative_name();
  void parse_plain(std::string_view own_operation, MemoryOperands own, Scope& scope);
  void parse_ordered(MemorySemantics allowed);
  void variable();
  Scope scope();
  MemorySemantics order(MemorySemantics allowed);
  MemorySemantics semantics(MemorySemantics order);

  /// Takes a word of a table.
  template <typename Table>
  auto word(const Table& table, std::string_view what) {
    const auto found = meaning_of(cursor_.peek().text, table);
    if (!found) cursor_.fail(what);
    cursor_.take();
    return *found;
  }
  void comma() { cursor_.expect(",", "between arguments"); }
  void open() { cursor_.expect("(", "behind the name of a call"); }
  void close() { cursor_.expect(")", "behind the arguments"); }
  Operation& operation() { return out_.operation; }

  Cursor& cursor_;
  Operands operands_;
  Instruction out_;
};

void Call::variable() {
  const bool names_class = meaning_of(cursor_.peek().text, kVariableWords) && is_variable(cursor_.peek(1));
  operation().storage_class = names_class ? word(kVariableWords, "where the variable is") : StorageClass::StorageBuffer;
  out_.variable = operands_.variable();
}

Scope Call::scope() {
  return word(kCallScopes, "a scope (Subgroup, Workgroup, QueueFamily, Device)");
}

MemorySemantics Call::order(MemorySemantics allowed) {
  const Token& token = cursor_.peek();
  const MemorySemantics order = word(kCallOrders, "a memory order (Relaxed, Acquire, Release, AcquireRelease)");
  if ((acquires(order) && !acquires(allowed)) || (releases(order) && !releases(allowed)))
    throw ParseError(token.place, fmt::format("a {} has no memory order {}",
                                              out_.kind == InstructionKind::Load ? "load" : "store", token.text));
  return order;
}

// What stands behind the scope: nothing for a relaxed order.
MemorySemantics Call::semantics(MemorySemantics order) {
  if (order == MemorySemantics::Relaxed) {
    if (cursor_.sees(",")) cursor_.fail("no semantics (a relaxed order orders no storage class)");
    return order;
  }
  comma();
  MemorySemantics all = order;
  const Token first = cursor_.peek();
  do {
    const Token& token = cursor_.peek();
    if (token.is(kMakeAvailable)) {
      if (!releases(order)) cursor_.fail("no 'MakeAvailable' (it needs a release)");
      all |= MemorySemantics::MakeAvailable;
      cursor_.take();
    } else if (token.is(kMakeVisible)) {
      if (!acquires(order)) cursor_.fail("no 'MakeVisible' (it needs an acquire)");
      all |= MemorySemantics::MakeVisible;
      cursor_.take();
    } else {
      all |= word(kCallClasses, "storage-class semantics (UniformMemory, WorkgroupMemory, ImageMemory, OutputMemory)");
    }
  } while (cursor_.accept("|"));
  if ((all & kStorageClassBits) == MemorySemantics::None)
    throw ParseError(first.place, "the semantics name no storage class (UniformMemory, WorkgroupMemory, ...)");
  return all;
}

// An atomic's order, scope and semantics.
void Call::parse_ordered(MemorySemantics allowed) {
  operation().atomic = true;
  comma();
  const MemorySemantics order = this->order(allowed);
  comma();
  operation().scope = scope();
  operation().semantics = semantics(order);
}

// What a plain access may have behind its operands: `own_operation` is its own availability or visibility operation.
void Call::parse_plain(std::string_view own_operation, MemoryOperands own, Scope& scope) {
  if (!cursor_.accept(",")) return;
  operation().operands = MemoryOperands::NonPrivatePointer;
  if (cursor_.accept(kNonPrivate)) return;
  if (!cursor_.accept(own_operation)) cursor_.fail(fmt::format("'NonPrivate' or '{}'", own_operation));
  operation().operands |= own;
  comma();
  scope = this->scope();
}

void Call::parse_cooperative_name() {
  comma();
  const Token& token = cursor_.peek();
  const Scope scope = this->scope();
  if (scope != Scope::Subgroup && scope != Scope::Workgroup)
    throw ParseError(token.place, "the matrix's scope is Subgroup or Workgroup");
  comma();
  out_.cooperative = CooperativeName{operands_.id("the access's id (a word or a number)"), scope};
}

bool Call::parse_store(std::string_view name) {
  if (name != "store" && name != "atomicStore" && name != "coopStore") return false;
  out_.kind = InstructionKind::Store;
  operation().kind = OperationKind::Write;
  variable();
  comma();
  out_.left = operands_.value();
  if (name == "coopStore") parse_cooperative_name();
  if (name == "atomicStore") {
    parse_ordered(MemorySemantics::Release);
  } else {
    parse_plain(kMakeAvailable, MemoryOperands::MakePointerAvailable, operation().available_scope);
  }
  return true;
}

bool Call::parse_barrier(std::string_view name) {
  const bool controls = name == "controlBarrier";
  if (!controls && name != "memoryBarrier") return false;
  out_.kind = controls ? InstructionKind::ControlBarrier : InstructionKind::MemoryBarrier;
  operation().kind = controls ? OperationKind::ControlBarrier : OperationKind::MemoryBarrier;
  if (controls) {
    operation().execution_scope = Scope::Workgroup;
    out_.barrier.id = operands_.id("the barrier's id (a word or a number)");
    comma();
    if (cursor_.accept("resource")) {
      out_.barrier.named = true;
      if (cursor_.peek().kind == TokenKind::Word && !is_register(cursor_.peek())) {
        out_.barrier.resource_word = operands_.id("a word, a register or a number");
      } else {
        out_.barrier.resource = operands_.value();
      }
      comma();
      if (cursor_.accept("quorum")) {
        out_.barrier.quorum = operands_.value();
        comma();
      }
    }
  }
  MemorySemantics order = MemorySemantics::Relaxed;
  if (!controls || !meaning_of(cursor_.peek().text, kCallScopes)) {
    const Token& token = cursor_.peek();
    order = this->order(MemorySemantics::AcquireRelease);
    if (order == MemorySemantics::Relaxed)
      throw ParseError(token.place, "a barrier has a memory order that is not Relaxed, or a control barrier none");
    comma();
  }
  operation().scope = scope();
  operation().semantics = semantics(order);
  return true;
}

bool Call::parse_device(std::string_view name) {
  static constexpr std::pair<std::string_view, OperationKind> kNames[] = {
      {"makeAvailableToDevice", OperationKind::DeviceAvailability},
      {"makeVisibleFromDevice", OperationKind::DeviceVisibility},
      {"beginInvocationInterlock", OperationKind::BeginInvocationInterlock},
      {"endInvocationInterlock", OperationKind::EndInvocationInterlock},
      {"free", OperationKind::Free}};
  const auto kind = meaning_of(name, kNames);
  if (!kind) return false;
  operation().kind = *kind;
  if (*kind == OperationKind::Free) {
    out_.kind = InstructionKind::Free;
    out_.variable = operands_.variable();
  } else {
    const bool of_device = *kind == OperationKind::DeviceAvailability || *kind == OperationKind::DeviceVisibility;
    out_.kind = of_device ? InstructionKind::DeviceOperation : InstructionKind::Interlock;
  }
  return true;
}

void Call::parse_statement() {
  const Token name = cursor_.take();
  open();
  if (!parse_store(name.text) && !parse_barrier(name.text) && !parse_device(name.text))
    throw ParseError(name.place, fmt::format("expected an instruction, found {}", shown(name)));
  close();
}

void Call::parse_compute() {
  out_.kind = InstructionKind::Compute;
  out_.left = operands_.value();
  out_.arithmetic = word(kArithmeticSigns, "an arithmetic sign (+, -, *, /, &, |, ^)");
  out_.right = operands_.value();
}

// What is behind `r0 =`.
void Call::parse_value(std::uint32_t destination) {
  out_.destination = destination;
  if (is_register(cursor_.peek()) || !cursor_.sees("(", 1)) return parse_compute();
  const Token name = cursor_.take();
  open();
  variable();
  if (name.is("load") || name.is("atomicLoad") || name.is("coopLoad")) {
    out_.kind = InstructionKind::Load;
    operation().kind = OperationKind::Read;
    if (name.is("coopLoad")) parse_cooperative_name();
    if (name.is("atomicLoad")) {
      parse_ordered(MemorySemantics::Acquire);
    } else {
      parse_plain(kMakeVisible, MemoryOperands::MakePointerVisible, operation().visible_scope);
    }
  } else {
    out_.arithmetic = meaning_of(name.text, kUpdateWords);
    if (!out_.arithmetic && !name.is("atomicExchange"))
      throw ParseError(name.place,
                       fmt::format("expected a load or an atomic that returns a value, found {}", shown(name)));
    out_.kind = InstructionKind::ReadModifyWrite;
    operation().kind = OperationKind::ReadModifyWrite;
    comma();
    out_.left = operands_.value();
    parse_ordered(MemorySemantics::AcquireRelease);
  }
  close();
}

void Call::parse_branch(Token& label) {
  out_.kind = InstructionKind::Branch;
  cursor_.take();
  open();
  out_.left = operands_.value();
  static constexpr std::pair<std::string_view, Comparison> kSigns[] = {
      {"==", Comparison::Equal},     {"!=", Comparison::NotEqual}, {"<", Comparison::Less},
      {"<=", Comparison::LessEqual}, {">", Comparison::Greater},   {">=", Comparison::GreaterEqual}};
  out_.comparison = word(kSigns, "a comparison (==, !=, <, <=, >, >=)");
  out_.right = operands_.value();
  cursor_.expect(")", "behind the comparison");
  cursor_.expect("goto", "behind the comparison");
  label = operands_.label();
}

Instruction Call::parse(Token& label) {
  const Token first = cursor_.peek();
  if (first.is("if")) {
    parse_branch(label);
  } else if (is_register(first)) {
    const std::uint32_t destination = operands_.destination();
    cursor_.expect("=", "behind a register");
    parse_value(destination);
  } else {
    parse_statement();
  }
  out_.place = first.place;
  out_.is_call = true;
  if (operation().storage_class == StorageClass::Input && operation().is_access() &&
      (operation().kind != OperationKind::Read || operation().atomic))
    throw ParseError(first.place, "Input (in) is for plain loads only");
  return std::move(out_);
}

}  // namespace

bool is_call(const Cursor& cursor) {
  const Token& first = cursor.peek();
  return is_register(first) ? cursor.sees("=", 1) : first.kind == TokenKind::Word && cursor.sees("(", 1);
}

Instruction parse_call(Cursor& cursor, CellContext context, Token& label) {
  return Call(cursor, context).parse(label);
}

}  // namespace heddle::litmus
