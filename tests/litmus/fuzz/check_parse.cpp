#include "tests/litmus/fuzz/check_parse.h"

#include <algorithm>

#include "emulator/litmus/khronos_parser.h"
#include "emulator/litmus/liveness.h"
#include "emulator/litmus/vulkan_parser.h"

namespace heddle::litmus {
namespace {

std::string check_diagnostic(std::string_view source, const Diagnostic& diagnostic) {
  const auto lines = static_cast<std::uint32_t>(std::count(source.begin(), source.end(), '\n')) + 1;
  if (diagnostic.message.empty()) return "an error without a message";
  if (diagnostic.place.line < 1 || diagnostic.place.line > lines + 1)
    return "a line that is not there";
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
    const bool jumps =
        instruction.kind == InstructionKind::Branch || instruction.kind == InstructionKind::Jump;
    if (jumps && (instruction.target >= thread.code.size() ||
                  thread.code[instruction.target].kind != InstructionKind::Label)) {
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
  return "";
}

std::string check_khronos(std::string_view source) {
  const KhronosParse parse = parse_khronos(source);
  const std::string wrong = check_result(source, parse);
  if (!wrong.empty() || !parse.test) return wrong;
  for (const KhronosVariable& variable : parse.test->variables) {
    if (variable.location >= parse.test->locations) return "a location that is not there";
  }
  for (const KhronosClaim& claim : parse.test->claims) {
    if (claim.conditions.empty()) return "a claim without a condition";
  }
  return "";
}

}  // namespace heddle::litmus
