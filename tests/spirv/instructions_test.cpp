#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "emulator/spirv/grammar.h"
#include "tests/spirv/run_module.h"

using namespace heddle::spirv;

namespace {

constexpr const char* kPage = HEDDLE_SOURCE_DIR "/emulator/spirv/INSTRUCTIONS.md";

std::string name_in(const std::string& line) {
  const std::size_t begin = line.find("Op");
  return line.substr(begin, line.find(' ', begin) - begin);
}

/// Instructions that run, each in a line, by their names.
std::map<std::string, std::string> examples() {
  std::map<std::string, std::string> out;
  std::istringstream lines(text_of("instructions/examples.txt"));
  for (std::string line; std::getline(lines, line);) out[name_in(line)] = line;
  return out;
}

std::string around(const std::string& line) {
  return text_of("instructions/around.spvasm") + line + "\nOpReturn\nOpFunctionEnd\n";
}

/// The instructions of a module that only say something about others, or make its frame.
std::set<std::string> frame() {
  std::set<std::string> out;
  for (const char* name : {"OpBranch",
                           "OpBranchConditional",
                           "OpCapability",
                           "OpConstant",
                           "OpConstantComposite",
                           "OpConstantFalse",
                           "OpConstantNull",
                           "OpConstantTrue",
                           "OpDecorate",
                           "OpDecorateId",
                           "OpDecorateString",
                           "OpDecorationGroup",
                           "OpEntryPoint",
                           "OpExecutionMode",
                           "OpExecutionModeId",
                           "OpExtInstImport",
                           "OpExtension",
                           "OpFunction",
                           "OpFunctionEnd",
                           "OpFunctionParameter",
                           "OpGroupDecorate",
                           "OpGroupMemberDecorate",
                           "OpLabel",
                           "OpLoopMerge",
                           "OpMemberDecorate",
                           "OpMemberDecorateString",
                           "OpMemberName",
                           "OpMemoryModel",
                           "OpModuleProcessed",
                           "OpName",
                           "OpPhi",
                           "OpReturn",
                           "OpReturnValue",
                           "OpSelectionMerge",
                           "OpSource",
                           "OpSourceContinued",
                           "OpSourceExtension",
                           "OpSpecConstant",
                           "OpSpecConstantComposite",
                           "OpSpecConstantFalse",
                           "OpSpecConstantOp",
                           "OpSpecConstantTrue",
                           "OpString",
                           "OpSwitch",
                           "OpTypeArray",
                           "OpTypeBool",
                           "OpTypeFloat",
                           "OpTypeForwardPointer",
                           "OpTypeFunction",
                           "OpTypeImage",
                           "OpTypeInt",
                           "OpTypeMatrix",
                           "OpTypePointer",
                           "OpTypeRuntimeArray",
                           "OpTypeSampledImage",
                           "OpTypeSampler",
                           "OpTypeStruct",
                           "OpTypeVector",
                           "OpTypeVoid",
                           "OpUnreachable"})
    out.insert(name);
  return out;
}

std::string listed(const std::set<std::string>& names) {
  std::string out;
  std::string line;
  for (const std::string& name : names) {
    const std::string next = (line.empty() ? "" : ", ") + name.substr(2);
    if (line.size() + next.size() > 110) {
      out += line + ",\n";
      line = name.substr(2);
    } else {
      line += next;
    }
  }
  return out + line + "\n";
}

std::string page() {
  std::set<std::string> run;
  for (const auto& [name, line] : examples()) run.insert(name);
  return "# Instructions that run\n\nA test makes this page from SPIR-V's grammar and from an example of each "
         "instruction. Names stand without their `Op`.\nAny other instruction is named, with its line, before anything "
         "runs.\n\n## What computes, accesses memory or synchronizes\n\n" +
         listed(run) + "\n## What makes the frame of a module\n\n" + listed(frame()) +
         "\n## Extended sets\n\nGLSL.std.450 without its instructions for fragment shaders. NonSemantic sets are "
         "skipped; of NonSemantic.ClspvReflection\nthe push constants are obeyed.\n";
}

}  // namespace

TEST_CASE("each instruction that is said to run runs") {
  for (const auto& [name, line] : examples()) {
    INFO(line);
    CHECK(find_instruction(name) != nullptr);
    const Answer answer = Ran(around(line)).ask(true);
    CHECK(answer.complete);
    CHECK(answer.faults.empty());
  }
}

TEST_CASE("each instruction that is not said to run is refused by its name") {
  // By number: an instruction may have several names.
  std::set<std::uint32_t> known;
  for (const auto& [name, line] : examples()) known.insert(find_instruction(name)->opcode);
  for (const std::string& name : frame()) known.insert(find_instruction(name)->opcode);
  int refused = 0;
  for (const InstructionInfo& each : tables::instructions) {
    const std::string name(each.name);
    if (known.count(each.opcode) != 0 || name.starts_with("OpType")) continue;
    // Words of any kind: who does not run it does not look at them.
    std::string line = name;
    bool has_literals = false;
    for (const OperandInfo& operand : operands_of(each)) {
      if (operand.category == Category::IdResult) line.insert(0, "%r = ");
      if (operand.category == Category::IdResultType) line += " %uint";
      if (operand.quantifier != Quantifier::One) continue;
      if (operand.category == Category::AnyId) line += " %u";
      if (operand.category == Category::LiteralInteger) line += " 0";
      has_literals =
          has_literals || (operand.category != Category::AnyId && operand.category != Category::IdResult &&
                           operand.category != Category::IdResultType && operand.category != Category::LiteralInteger);
    }
    if (has_literals) continue;
    INFO(line);
    CHECK_THROWS_AS(Ran(around(line)), Error);
    ++refused;
  }
  CHECK(refused > 300);
}

TEST_CASE("the page of instructions is as the grammar and the examples make it") {
  if (std::getenv("HEDDLE_WRITE_PAGES") != nullptr) std::ofstream(kPage) << page();
  std::ifstream in(kPage);
  std::stringstream found;
  found << in.rdbuf();
  CHECK(found.str() == page());
}
