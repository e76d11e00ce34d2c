#include "emulator/litmus/vulkan/host_parser.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "emulator/litmus/vulkan/host_plan.h"
#include "emulator/litmus/vulkan/host_words.h"
#include "emulator/litmus/vulkan/names.h"
#include "emulator/litmus/vulkan/operands.h"
#include "emulator/litmus/vulkan/tags.h"
#include "emulator/litmus/vulkan/thread.h"
#include "emulator/litmus/vulkan/words.h"

namespace heddle::litmus {
namespace {

/// A range that no memory has: a call that flushes nothing is still an operation, which orders.
constexpr Locations kNoMemory{static_cast<AllocationId>(~std::uint32_t{0}), 0, kVariableBytes};

constexpr std::string_view kOtherOrders[] = {"seq_cst", "sc", "con", "consume"};

void refuse_other_orders(Tags& tags) {
  for (const std::string_view order : kOtherOrders)
    if (tags.accept(order))
      throw ParseError(
          tags.mnemonic().place,
          fmt::format("a host column has no order '{}' (acq, rel, acq_rel, or none): tests of Mu have it", order));
}

Instruction instruction_at(Place place, InstructionKind kind, OperationKind operation) {
  Instruction out;
  out.place = place;
  out.kind = kind;
  out.operation.kind = operation;
  return out;
}

Instruction memory_call(Place place, OperationKind operation, const Locations& range) {
  Instruction out = instruction_at(place, InstructionKind::HostCall, operation);
  out.operation.locations = range;
  return out;
}

/// The order of a host atomic: it is of the host's language, and of all memory.
void parse_order(Tags& tags, Operation& operation) {
  refuse_other_orders(tags);
  const MemorySemantics order = tags.accept_order();
  const bool fits = operation.kind == OperationKind::ReadModifyWrite || order == MemorySemantics::Relaxed ||
                    order == (operation.reads() ? MemorySemantics::Acquire : MemorySemantics::Release);
  if (!fits) tags.fail(operation.reads() ? "no order but 'acq'" : "no order but 'rel'");
  operation.atomic = true;
  operation.scope = Scope::CrossDevice;
  operation.semantics = order == MemorySemantics::Relaxed ? order : order | MemorySemantics::UniformMemory;
}

bool calls(const Instruction& instruction) {
  return instruction.kind == InstructionKind::HostCall || instruction.kind == InstructionKind::Free;
}

}  // namespace

std::vector<std::uint32_t> take_variables(Cursor& cursor, Variables& variables) {
  std::vector<std::uint32_t> out;
  while (is_variable(cursor.peek())) {
    out.push_back(variables.use(cursor.take()));
    if (cursor.accept(",") && !is_variable(cursor.peek())) cursor.fail("a variable after ','");
  }
  return out;
}

bool HostParser::take_declaration() {
  const Token& word = cursor_.peek();
  const auto* const known = std::find(std::begin(kMemoryWords), std::end(kMemoryWords), word.text);
  if (known == std::end(kMemoryWords) || cursor_.peek(1).kind != TokenKind::Word || cursor_.sees("aliases", 1))
    return false;
  Declaration declaration{*known, cursor_.take(), {}};
  while (is_variable(cursor_.peek())) {
    declaration.names.push_back(cursor_.take());
    if (cursor_.accept(",") && !is_variable(cursor_.peek())) cursor_.fail("a variable after ','");
  }
  if (declaration.names.empty()) cursor_.fail("a variable");
  declarations_.push_back(std::move(declaration));
  return true;
}

std::uint64_t HostParser::unsigned_number() {
  const Token& token = cursor_.peek();
  if (token.kind != TokenKind::Number) cursor_.fail("a number");
  const Integer value = number(cursor_.take());
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
    throw ParseError(token.place, "expected a number from 0 to 2147483647");
  return static_cast<std::uint64_t>(value);
}

void HostParser::parse_head(Thread& thread) {
  is_host_test_ = true;
  if (thread.kind == ThreadKind::Host) {
    cursor_.expect("host", "in the place of a host's thread");
    return;
  }
  cursor_.expect("q", "in the place of a batch (B0@q 0, qf 0)");
  thread.queue = unsigned_number();
  cursor_.expect(",");
  cursor_.expect("qf", "in the place of a batch (B0@q 0, qf 0)");
  thread.queue_family = unsigned_number();
}

void HostParser::begin(std::vector<Thread>& threads) {
  threads_ = &threads;
  named_.assign(threads.size(), 0);
  if (!is_host_test_) {
    if (!declarations_.empty())
      throw ParseError(
          declarations_.front().first.place,
          fmt::format("only a host test has memory that is '{}': one with a column H0@host or B0@q 0, qf 0",
                      declarations_.front().word));
    return;
  }
  for (std::uint32_t i = 0; i < threads.size(); ++i) {
    const Thread& thread = threads[i];
    if (thread.kind == ThreadKind::Batch)
      host_.batches.push_back({i, thread.queue, thread.queue_family, thread.place, {}});
  }
  declare();
}

void HostParser::declare() {
  std::map<std::uint32_t, Token> in_atoms;
  for (const Declaration& declaration : declarations_) {
    std::vector<std::uint32_t> variables;
    for (const Token& name : declaration.names) {
      variables.push_back(variables_.use(name));
      const std::uint32_t location = variables_[variables.back()].location;
      if (declaration.word == "atom" && !in_atoms.emplace(location, name).second)
        throw ParseError(name.place, fmt::format("variable {} is in an atom already", shown(name)));
    }
    std::vector<std::uint32_t>& list = declaration.word == "uniform"     ? host_.uniform
                                       : declaration.word == "exclusive" ? host_.exclusive
                                                                         : host_.noncoherent;
    list.insert(list.end(), variables.begin(), variables.end());
    if (declaration.word == "atom") host_.atoms.push_back(variables);
  }
}

Token HostParser::parse_cell(std::uint32_t thread, CellContext context) {
  thread_ = thread;
  begin_ = (*threads_)[thread].code.size();
  if ((*threads_)[thread].kind == ThreadKind::Host) return parse_host_cell(thread, context);
  const auto batch = std::find_if(host_.batches.begin(), host_.batches.end(),
                                  [&](const Batch& other) { return other.thread == thread; });
  std::vector<Token> dispatched;
  batch->commands.push_back(parse_batch_command(cursor_, context, dispatched));
  if (!dispatched.empty())
    dispatched_.push_back(
        {static_cast<std::size_t>(batch - host_.batches.begin()), batch->commands.size() - 1, std::move(dispatched)});
  return {};
}

Token HostParser::parse_host_cell(std::uint32_t thread, CellContext context) {
  std::vector<Instruction>& code = (*threads_)[thread].code;
  if (cursor_.peek().kind != TokenKind::Word) cursor_.fail("an instruction");
  const std::string_view word = cursor_.peek().text;
  if (word == "membar" || word == "fence")
    throw ParseError(cursor_.peek().place, "a host column has no fences: tests of Mu have them");
  if (parse_access(word, context, code) || parse_memory_call(word, context, code) || parse_call(word, thread, code))
    return {};
  constexpr std::array<std::string_view, 7> kJumps = {"beq", "bne", "blt", "ble", "bgt", "bge", "goto"};
  const bool computes = meaning_of(word, kArithmeticWords).has_value();
  if (!computes && std::find(kJumps.begin(), kJumps.end(), word) == kJumps.end())
    cursor_.fail(
        "an instruction of the host (ld, st, rmw, arithmetic, a branch, or a call: flush, invalidate, free, "
        "submit, wait, signal, idle, set)");
  Token label;
  code.push_back(parse_instruction(cursor_, context, label));
  return label;
}

bool HostParser::parse_access(std::string_view word, CellContext context, std::vector<Instruction>& code) {
  const bool loads = word == "ld";
  const bool updates = word == "rmw";
  if (!loads && !updates && word != "st") return false;
  Tags tags(cursor_);
  Operands operands(cursor_, context);
  Instruction out = instruction_at(tags.mnemonic().place,
                                   loads     ? InstructionKind::Load
                                   : updates ? InstructionKind::ReadModifyWrite
                                             : InstructionKind::Store,
                                   loads     ? OperationKind::Read
                                   : updates ? OperationKind::ReadModifyWrite
                                             : OperationKind::Write);
  if (tags.accept("atom")) {
    parse_order(tags, out.operation);
  } else if (updates) {
    tags.fail("'atom' (every rmw is atomic)");
  }
  for (const auto& [arithmetic_word, meaning] : kArithmeticWords) {
    if (!updates || !tags.accept(arithmetic_word)) continue;
    out.arithmetic = meaning;
    break;
  }
  tags.finish("no further tag (the host has neither scopes nor storage classes)");
  if (loads || updates) {
    out.destination = operands.destination();
    operands.comma();
  }
  out.variable = operands.variable();
  if (!loads) {
    operands.comma();
    out.left = operands.value();
  }
  code.push_back(std::move(out));
  return true;
}

std::vector<std::uint32_t> HostParser::whole_atoms(const std::vector<std::uint32_t>& variables) const {
  std::vector<std::uint32_t> out = variables;
  const auto location = [&](std::uint32_t variable) { return variables_[variable].location; };
  const auto has = [&](std::uint32_t variable) {
    return std::any_of(out.begin(), out.end(), [&](std::uint32_t one) { return location(one) == location(variable); });
  };
  for (const std::vector<std::uint32_t>& atom : host_.atoms) {
    if (std::none_of(atom.begin(), atom.end(), has)) continue;
    for (const std::uint32_t variable : atom)
      if (!has(variable)) out.push_back(variable);
  }
  return out;
}

/// A flush writes whole atoms back: what was not named is read and written by the host first.
//= sync:memory-device-hostaccess
void HostParser::flush(const std::vector<std::uint32_t>& variables, CellContext context,
                       std::vector<Instruction>& code) const {
  const Place place = code.back().place;
  code.pop_back();
  const std::vector<std::uint32_t> all = whole_atoms(variables);
  for (std::size_t i = variables.size(); i < all.size(); ++i) {
    Instruction load = instruction_at(place, InstructionKind::Load, OperationKind::Read);
    load.variable = all[i];
    load.destination = context.registers.use("flushed " + variables_[all[i]].name);
    Instruction store = instruction_at(place, InstructionKind::Store, OperationKind::Write);
    store.variable = all[i];
    store.left = {true, load.destination, 0};
    code.push_back(std::move(load));
    code.push_back(std::move(store));
  }
  for (const std::uint32_t variable : all)
    code.push_back(memory_call(place, OperationKind::HostAvailability, locations_of(variables_[variable])));
}

bool HostParser::parse_memory_call(std::string_view word, CellContext context, std::vector<Instruction>& code) {
  if (word != "flush" && word != "invalidate" && word != "free") return false;
  const Place place = cursor_.take().place;
  const std::vector<std::uint32_t> variables = take_variables(cursor_, variables_);
  if (variables.empty()) cursor_.fail("a variable");
  if (word == "flush") {
    code.push_back(memory_call(place, OperationKind::HostAvailability, kNoMemory));
    flush(variables, context, code);
  } else if (word == "invalidate") {
    for (const std::uint32_t variable : whole_atoms(variables))
      code.push_back(memory_call(place, OperationKind::HostVisibility, locations_of(variables_[variable])));
  } else {
    for (const std::uint32_t variable : variables) {
      code.push_back(instruction_at(place, InstructionKind::Free, OperationKind::Free));
      code.back().variable = variable;
    }
  }
  return true;
}

std::string HostParser::name(std::string_view what) {
  if (!is_variable(cursor_.peek())) cursor_.fail(what);
  return std::string(cursor_.take().text);
}

void HostParser::parse_submission(HostCall& call) {
  std::vector<Token> batches;
  const auto at_batch = [&] {
    const auto found = thread_name(cursor_.peek());
    return found && found->first == ThreadKind::Batch;
  };
  if (!at_batch()) cursor_.fail("a batch (B0, B1, ...)");
  while (at_batch()) {
    batches.push_back(cursor_.take());
    if (!cursor_.accept(",")) continue;
    if (at_batch()) continue;
    call.object = name("a fence after ','");
    break;
  }
  submitted_.emplace_back(host_.calls.size(), std::move(batches));
}

void HostParser::parse_wait(HostCall& call) {
  call.object = name("a fence or a semaphore");
  call.kind = CallKind::WaitFence;
  if (!cursor_.accept(",")) return;
  call.kind = CallKind::WaitSemaphore;
  call.value = unsigned_number();
}

bool HostParser::parse_call(std::string_view word, std::uint32_t thread, std::vector<Instruction>& code) {
  constexpr std::array<std::string_view, 5> kCalls = {"submit", "wait", "signal", "idle", "set"};
  if (std::find(kCalls.begin(), kCalls.end(), word) == kCalls.end()) return false;
  HostCall call;
  call.thread = thread;
  call.place = cursor_.take().place;
  if (word == "submit") {
    parse_submission(call);
  } else if (word == "wait") {
    parse_wait(call);
  } else if (word == "signal") {
    call.kind = CallKind::SignalSemaphore;
    call.object = name("a timeline semaphore");
    cursor_.expect(",", "and the value that the semaphore is signaled with");
    call.value = unsigned_number();
  } else if (word == "idle") {
    call.kind = CallKind::Idle;
    if (cursor_.peek().kind == TokenKind::Number) call.queue = unsigned_number();
  } else {
    call.kind = CallKind::SetEvent;
    call.object = name("an event");
  }
  code.push_back(memory_call(call.place, OperationKind::HostAvailability, kNoMemory));
  code.back().call = static_cast<std::uint32_t>(host_.calls.size());
  host_.calls.push_back(std::move(call));
  return true;
}

void HostParser::name_cell(const std::string& text) {
  Thread& thread = (*threads_)[thread_];
  std::string cell;
  for (std::size_t i = named_[thread_]; i < begin_; ++i) cell += thread.code[i].text + ' ';
  for (std::size_t i = begin_; i < thread.code.size(); ++i) thread.code[i].text = text;
  named_[thread_] = thread.code.size();
  thread.cells.push_back(cell + text);
  if (thread.kind != ThreadKind::Batch) return;
  for (Batch& batch : host_.batches)
    if (batch.thread == thread_) batch.commands.back().text = text;
}

void HostParser::resolve_names(const Test& test) {
  const auto index_of = [&](const Token& token, ThreadKind kind) -> std::uint32_t {
    for (std::uint32_t i = 0; i < test.threads.size(); ++i)
      if (ThreadName{test.threads[i].kind, test.threads[i].id} == ThreadName{kind, thread_name(token)->second})
        return i;
    throw ParseError(token.place,
                     fmt::format("there is no {} {}", kind == ThreadKind::Batch ? "batch" : "thread", shown(token)));
  };
  for (const auto& [call, batches] : submitted_) {
    for (const Token& token : batches) {
      const std::uint32_t thread = index_of(token, ThreadKind::Batch);
      const auto batch = std::find_if(host_.batches.begin(), host_.batches.end(),
                                      [&](const Batch& other) { return other.thread == thread; });
      host_.calls[call].batches.push_back(static_cast<std::uint32_t>(batch - host_.batches.begin()));
    }
  }
  for (const Dispatched& one : dispatched_)
    for (const Token& token : one.threads)
      host_.batches[one.batch].commands[one.command].threads.push_back(index_of(token, ThreadKind::Shader));
}

/// A call is made once, or never.
void HostParser::check_jumps(const Test& test) const {
  for (const Thread& thread : test.threads) {
    for (std::size_t at = 0; at < thread.code.size(); ++at) {
      const Instruction& jump = thread.code[at];
      if (thread.kind == ThreadKind::Batch)
        throw ParseError(jump.place, fmt::format("batch {} has a label: no command jumps to it", thread.name()));
      if (thread.kind != ThreadKind::Host || !jump.traits().jumps) continue;
      const auto begin = thread.code.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(at, jump.target));
      const auto end = thread.code.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(at, jump.target));
      const auto call = std::find_if(begin, end, calls);
      if (call == end) continue;
      throw ParseError(jump.place, fmt::format("this jump {} the call in line {}: a call of the host is made once",
                                               jump.target > at ? "skips" : "repeats", call->place.line));
    }
  }
}

void HostParser::finish(Test& test) {
  if (!is_host_test_) return;
  resolve_names(test);
  for (std::uint32_t i = 0; i < test.threads.size(); ++i) {
    Thread& thread = test.threads[i];
    std::string labels;
    for (std::size_t at = named_[i]; at < thread.code.size(); ++at)
      labels += (labels.empty() ? "" : " ") + thread.code[at].text;
    if (thread.kind == ThreadKind::Host && !labels.empty()) thread.cells.push_back(labels);
  }
  test.host = std::make_shared<HostTest>(std::move(host_));
  check_jumps(test);
  check_host_test(test);
}

}  // namespace heddle::litmus
