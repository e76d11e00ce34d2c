#include "tests/litmus/fuzz/check_parse.h"

#include <algorithm>

#include "emulator/litmus/c/test.h"
#include "emulator/litmus/khronos/parser.h"
#include "emulator/litmus/vulkan/liveness.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/spelling.h"

namespace heddle::litmus {
namespace {

std::string check_diagnostic(std::string_view source, const Diagnostic& diagnostic) {
  const auto lines = static_cast<std::uint32_t>(std::count(source.begin(), source.end(), '\n')) + 1;
  if (diagnostic.message.empty()) return "an error without a message";
  if (diagnostic.place.line < 1 || diagnostic.place.line > lines + 1) return "a line that is not there";
  if (diagnostic.place.column < 1 || diagnostic.place.column > source.size() + 1) {
    return "a column that is not there";
  }
  return "";
}

template <typename Parse>
std::string check_result(std::string_view source, const Parse& parse) {
  if (parse.test.has_value() == !parse.errors.empty()) return "a test and an error, or neither";
  for (const auto& diagnostics : {parse.errors, parse.warnings}) {
    for (const Diagnostic& diagnostic : diagnostics) {
      const std::string wrong = check_diagnostic(source, diagnostic);
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

std::string check_thread(const Test& test, const Thread& thread) {
  for (const Instruction& instruction : thread.code) {
    const bool jumps = instruction.kind == InstructionKind::Branch || instruction.kind == InstructionKind::Jump;
    if (jumps &&
        (instruction.target >= thread.code.size() || thread.code[instruction.target].kind != InstructionKind::Label)) {
      return "a jump that leads to no label";
    }
    if (instruction.variable >= std::max<std::size_t>(test.variables.size(), 1)) {
      return "a variable that is not there";
    }
    if (instruction.text.empty()) return "an instruction without a text";
  }
  const auto live = live_registers(thread, std::vector<bool>(thread.registers.size(), true));
  return live.size() == thread.code.size() + 1 ? "" : "liveness of another thread";
}

/// Both spellings, if a test has both, are understood, and mean the same.
std::string check_spelling(const Test& test) {
  if (!fits(test, Spelling::Tags)) return "";
  const std::string tags = spell(test, Spelling::Tags);
  for (const std::string& text : {tags, test.host ? tags : spell(test, Spelling::Calls)}) {
    const VulkanParse again = parse_vulkan(text);
    if (!again.test) return "a spelling that is not understood: " + describe("", again.errors.front()) + '\n' + text;
    if (spell(*again.test, Spelling::Tags) != tags) return "a spelling that means something else:\n" + text;
  }
  return "";
}

std::string check_c_instruction(const mu::Program& program, const mu::ThreadCode& thread, const mu::Instruction& i) {
  switch (i.op) {
    case mu::Op::Push:
      if (i.value.is_address() && static_cast<std::size_t>(i.value.array()) >= program.arrays.size())
        return "an address in no array";
      break;
    case mu::Op::Get:
    case mu::Op::Set:
      if (i.index >= thread.register_count) return "a register that is not there";
      break;
    case mu::Op::JumpBack:
      if (i.index >= thread.loops) return "a loop that is not there";
      [[fallthrough]];
    case mu::Op::Jump:
    case mu::Op::JumpIfFalse:
    case mu::Op::SelectBranch:
    case mu::Op::And:
    case mu::Op::Or:
      if (i.target >= thread.code.size()) return "a jump that leads out of its thread";
      break;
    case mu::Op::NewThread:
      if (i.index >= program.threads.size()) return "a thread that is not there";
      if (!program.threads[i.index].created) return "a creation of a thread that runs from the start";
      break;
    case mu::Op::Bind:
    case mu::Op::Unbind:
      if (i.index >= program.stacks.size()) return "a stack that is not there";
      break;
    default:
      break;
  }
  return "";
}

std::string check_c_thread(const mu::Program& program, const mu::ThreadCode& thread) {
  if (thread.initial.size() != thread.register_count) return "registers without an initial value";
  if (thread.registers.size() > thread.register_count) return "more names than registers";
  if (thread.code.empty() || thread.code.back().op != mu::Op::End) return "a thread without an end";
  for (const mu::Instruction& instruction : thread.code) {
    const std::string wrong = check_c_instruction(program, thread, instruction);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

}  // namespace

std::string check_vulkan(std::string_view source) {
  const VulkanParse parse = parse_vulkan(source);
  std::string wrong = check_result(source, parse);
  if (!wrong.empty() || !parse.test) return wrong;
  for (const Variable& variable : parse.test->variables) {
    if (variable.location >= parse.test->locations) return "a location that is not there";
  }
  for (const Thread& thread : parse.test->threads) {
    wrong = check_thread(*parse.test, thread);
    if (!wrong.empty()) return wrong;
  }
  const Outcome zeros(parse.test->observables.size(), 0);
  if (parse.test->filter) satisfies(zeros, *parse.test->filter);
  if (parse.test->assertion) {
    satisfies(zeros, *parse.test->assertion);
    if (spell(*parse.test->assertion, parse.test->observables).empty()) return "no spelling";
  }
  return check_spelling(*parse.test);
}

std::string check_khronos(std::string_view source) {
  const khronos::ParseResult parse = khronos::parse(source);
  const std::string wrong = check_result(source, parse);
  if (!wrong.empty() || !parse.test) return wrong;
  for (const khronos::Variable& variable : parse.test->variables) {
    if (variable.location >= parse.test->locations) return "a location that is not there";
  }
  for (const khronos::Claim& claim : parse.test->claims) {
    if (claim.conditions.empty()) return "a claim without a condition";
  }
  return "";
}

std::string check_c(std::string_view source) {
  const c::Parse parse = c::parse(source);
  std::string wrong = check_result(source, parse);
  if (!wrong.empty() || !parse.test) return wrong;
  if (!c::begins_as_c(source)) return "a test that does not begin as one";
  const mu::Program& program = parse.test->program;
  std::size_t cells = 0;
  for (const mu::Array& array : program.arrays) {
    if (array.first != cells) return "an array in the place of another";
    cells += array.cells;
  }
  if (cells != program.initial.size()) return "locations without an initial value";
  for (const mu::ThreadCode& thread : program.threads) {
    wrong = check_c_thread(program, thread);
    if (!wrong.empty()) return wrong;
  }
  const c::Outcome zeros(parse.test->observables.size());
  for (const auto* condition : {&parse.test->filter, &parse.test->assertion}) {
    if (!*condition) continue;
    c::satisfies(zeros, **condition);
    if (c::spell(**condition, *parse.test).empty()) return "no spelling";
  }
  return "";
}

}  // namespace heddle::litmus
