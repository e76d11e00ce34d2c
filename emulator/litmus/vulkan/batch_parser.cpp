#include <algorithm>

#include "emulator/litmus/vulkan/host_parser.h"
#include "emulator/litmus/vulkan/host_words.h"
#include "emulator/litmus/vulkan/names.h"
#include "emulator/litmus/vulkan/operands.h"
#include "emulator/litmus/vulkan/words.h"

namespace heddle::litmus {
namespace {

/// One command of a batch.
class CommandParser {
 public:
  CommandParser(Cursor& cursor, CellContext context, std::vector<Token>& dispatched)
      : cursor_(cursor), context_(context), operands_(cursor, context), dispatched_(dispatched) {}

  BatchCommand parse();

 private:
  void semaphore(CommandKind kind);
  void dispatch();
  void copy();
  void fill();
  void masks(bool needed);
  void event(CommandKind kind);
  void transfer(CommandKind kind);
  Mask mask();
  model::Stages stages();
  model::Accesses access(const Mask& mask);
  std::string object(std::string_view what);
  std::uint64_t value(std::string_view what);
  bool at_stage() const { return meaning_of(cursor_.peek().text, kPipelineStageWords).has_value(); }

  Cursor& cursor_;
  CellContext context_;
  Operands operands_;
  std::vector<Token>& dispatched_;
  BatchCommand out_;
};

std::string CommandParser::object(std::string_view what) {
  if (!is_variable(cursor_.peek())) cursor_.fail(what);
  return std::string(cursor_.take().text);
}

std::uint64_t CommandParser::value(std::string_view what) {
  const Token token = cursor_.peek();
  if (token.kind != TokenKind::Number) cursor_.fail(what);
  const Integer value = number(cursor_.take());
  if (value < 0 || value > 2147483647) throw ParseError(token.place, "expected a number from 0 to 2147483647");
  return static_cast<std::uint64_t>(value);
}

model::Stages CommandParser::stages() {
  model::Stages all = model::Stages::None;
  do {
    const auto stage = meaning_of(cursor_.peek().text, kPipelineStageWords);
    if (!stage) cursor_.fail("a stage (none, indirect, compute, copy, clear, transfer, host, all)");
    cursor_.take();
    all = all | *stage;
  } while (cursor_.accept("+"));
  return all;
}

/// An access that none of the stages has is a mistake; the accesses of all memory are those that the stages have.
model::Accesses CommandParser::access(const Mask& mask) {
  const auto access = meaning_of(cursor_.peek().text, kAccessWords);
  if (!access)
    cursor_.fail(
        "an access (storage_read, storage_write, uniform_read, shader_read, shader_write, transfer_read, "
        "transfer_write, indirect_read, host_read, host_write, memory_read, memory_write)");
  const Token& word = cursor_.take();
  const model::Accesses valid = *access & accesses_of(mask.stages);
  const bool of_memory = *access == model::Accesses::MemoryRead || *access == model::Accesses::MemoryWrite;
  if (valid == model::Accesses::None && !of_memory)
    throw ParseError(word.place, fmt::format("no stage of this mask has the access {}", shown(word)));
  return valid;
}

Mask CommandParser::mask() {
  Mask mask;
  mask.stages = stages();
  if (!cursor_.accept(".")) return mask;
  do {
    mask.accesses = mask.accesses | access(mask);
  } while (cursor_.accept("+"));
  return mask;
}

/// Both masks, and the buffers that the dependency is of.
void CommandParser::masks(bool needed) {
  if (!needed && !at_stage()) return;
  out_.first = mask();
  out_.second = mask();
  out_.variables = take_variables(cursor_, context_.variables);
}

void CommandParser::semaphore(CommandKind kind) {
  out_.kind = kind;
  out_.object = object("a semaphore");
  if (cursor_.accept(",")) out_.timeline = value("the semaphore's value");
  // A semaphore of all commands leaves nothing out.
  out_.stages = at_stage() ? stages() : model::Stages::Everything;
  if (out_.stages == model::Stages::AllCommands) out_.stages = model::Stages::Everything;
}

void CommandParser::dispatch() {
  out_.kind = CommandKind::Dispatch;
  const auto at_thread = [&] { return cursor_.peek().kind == TokenKind::Word && thread_id(cursor_.peek()); };
  if (!at_thread()) cursor_.fail("a thread (P0, P1, ...)");
  bool comma = false;
  while (at_thread()) {
    dispatched_.push_back(cursor_.take());
    comma = cursor_.accept(",");
  }
  if (!comma) return;
  out_.destination = operands_.destination();
  operands_.comma();
  out_.variable = operands_.variable();
}

void CommandParser::copy() {
  out_.kind = CommandKind::Copy;
  out_.variable = operands_.variable();
  operands_.comma();
  out_.source = operands_.variable();
}

void CommandParser::fill() {
  out_.kind = CommandKind::Fill;
  out_.variable = operands_.variable();
  operands_.comma();
  const Token& token = cursor_.peek();
  const Operand written = operands_.value();
  if (written.is_register) throw ParseError(token.place, "a fill writes a number: a batch computes nothing");
  out_.value = written.constant;
}

void CommandParser::event(CommandKind kind) {
  out_.kind = kind;
  out_.object = object("an event");
  masks(kind == CommandKind::SetEvent);
}

void CommandParser::transfer(CommandKind kind) {
  out_.kind = kind;
  out_.variable = operands_.variable();
  operands_.comma();
  out_.family = value("a queue family");
  (kind == CommandKind::Release ? out_.first : out_.second) = mask();
}

BatchCommand CommandParser::parse() {
  const Token word = cursor_.take();
  out_.place = word.place;
  if (word.is("wait")) {
    semaphore(CommandKind::WaitSemaphore);
  } else if (word.is("signal")) {
    semaphore(CommandKind::SignalSemaphore);
  } else if (word.is("dispatch")) {
    dispatch();
  } else if (word.is("copy")) {
    copy();
  } else if (word.is("fill") || word.is("update")) {
    fill();
  } else if (word.is("dep")) {
    masks(true);
  } else if (word.is("set")) {
    event(CommandKind::SetEvent);
  } else if (word.is("await")) {
    event(CommandKind::AwaitEvent);
  } else if (word.is("release")) {
    transfer(CommandKind::Release);
  } else if (word.is("acquire")) {
    transfer(CommandKind::Acquire);
  } else {
    throw ParseError(word.place,
                     fmt::format("expected a command (wait, dispatch, copy, fill, update, dep, set, await, release, "
                                 "acquire, signal), found {}",
                                 shown(word)));
  }
  return std::move(out_);
}

}  // namespace

BatchCommand parse_batch_command(Cursor& cursor, CellContext context, std::vector<Token>& dispatched) {
  return CommandParser(cursor, context, dispatched).parse();
}

}  // namespace heddle::litmus
