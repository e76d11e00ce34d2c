#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/termination.h"
#include "emulator/spirv/termination.h"
#include "tests/how_many.h"
#include "tests/litmus/progress/brute_force.h"
#include "tests/spirv/run_module.h"

using namespace heddle::spirv;
using heddle::first_seed;
using heddle::how_many;
using heddle::litmus::SmallInstruction;
using heddle::litmus::SmallProgram;
using heddle::progress::EndlessPart;
using heddle::progress::ProgressModel;
using heddle::progress::ProgressModels;

namespace {

constexpr std::array kModels{ProgressModel::Unfair, ProgressModel::Hsa,  ProgressModel::Obe,
                             ProgressModel::HsaObe, ProgressModel::Lobe, ProgressModel::Fair};

Termination ask(const Ran& ran, const ProgressModels& models, std::size_t most_states = 1000000) {
  return termination(ran.analysis, ran.question, models, nullptr, most_states);
}
Termination ask(const std::string& text, const std::string& models) {
  return ask(Ran(text), heddle::progress::parse_progress_models(models));
}

/// The models under which all invocations end.
std::string enough(const std::string& text) {
  const Ran ran(text);
  std::string out;
  for (const ProgressModel model : kModels) {
    ProgressModels models;
    models.fill(model);
    const Termination found = ask(ran, models);
    REQUIRE(found.terminates);
    CHECK(*found.terminates != found.schedule.has_value());
    if (*found.terminates) out += (out.empty() ? "" : " ") + heddle::progress::spell(models);
  }
  return out;
}

/// A kernel of invocations in one row, with two variables in memory, its body without the last OpReturn's block.
std::string kernel(const std::string& configuration, const std::string& body) {
  std::string out = "; @Input: %x0 = {0}, %x1 = {0}\n; @Config: " + configuration + R"(
OpCapability Shader
OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %x0 %x1 %gid
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %x0 DescriptorSet 0
OpDecorate %x0 Binding 0
OpDecorate %x1 DescriptorSet 0
OpDecorate %x1 Binding 1
OpDecorate %gid BuiltIn GlobalInvocationId
%void = OpTypeVoid
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%v3uint = OpTypeVector %uint 3
%block = OpTypeStruct %uint
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%to_input = OpTypePointer Input %v3uint
%to_own = OpTypePointer Function %uint
%function = OpTypeFunction %void
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%device = OpConstant %uint 1
%workgroup = OpConstant %uint 2
%order = OpConstant %uint 72
%undef = OpUndef %bool
%x0 = OpVariable %to_block StorageBuffer
%x1 = OpVariable %to_block StorageBuffer
%gid = OpVariable %to_input Input
%main = OpFunction %void None %function
%begin = OpLabel
%r = OpVariable %to_own Function %c0
%p0 = OpAccessChain %to_uint %x0 %c0
%p1 = OpAccessChain %to_uint %x1 %c0
%all = OpLoad %v3uint %gid
%id = OpCompositeExtract %uint %all 0
)";
  return out + body + "%end = OpLabel\nOpReturn\nOpFunctionEnd\n";
}

const std::string kBarrier = "OpControlBarrier %workgroup %workgroup %order\n";

/// A small program's instructions, a block each.
std::string spirv_of(const SmallProgram& program) {
  std::string body = "OpSwitch %id %end";
  const auto label = [&](std::size_t thread, std::size_t at) {
    return at == program[thread].code.size() ? std::string("%end")
                                             : "%t" + std::to_string(thread) + "_" + std::to_string(at);
  };
  for (std::size_t t = 0; t < program.size(); ++t) body += " " + std::to_string(t) + " " + label(t, 0);
  body += "\n";
  for (std::size_t t = 0; t < program.size(); ++t) {
    for (std::size_t i = 0; i < program[t].code.size(); ++i) {
      const SmallInstruction& instruction = program[t].code[i];
      const std::string at = label(t, i);
      const std::string pointer = "%p" + std::to_string(instruction.variable);
      const std::string value = "%c" + std::to_string(instruction.value);
      const std::string result = at + "_v";
      body += at + " = OpLabel\n";
      using Kind = SmallInstruction::Kind;
      if (instruction.kind == Kind::BranchIfEqual || instruction.kind == Kind::BranchIfNot) {
        const std::string op = instruction.kind == Kind::BranchIfEqual ? "OpIEqual" : "OpINotEqual";
        body += result + " = OpLoad %uint %r\n" + at + "_b = " + op + " %bool " + result + " " + value +
                "\nOpBranchConditional " + at + "_b " + label(t, instruction.target) + " " + label(t, i + 1) + "\n";
        continue;
      }
      if (instruction.kind == Kind::Load) body += result + " = OpAtomicLoad %uint " + pointer + " %device %c0\n";
      if (instruction.kind == Kind::Exchange)
        body += result + " = OpAtomicExchange %uint " + pointer + " %device %c0 " + value + "\n";
      if (instruction.kind == Kind::CompareExchange)
        body += result + " = OpAtomicCompareExchange %uint " + pointer + " %device %c0 %c0 " + value + " %c" +
                std::to_string(instruction.expected) + "\n";
      if (instruction.kind == Kind::Xor)
        body += result + " = OpAtomicXor %uint " + pointer + " %device %c0 " + value + "\n";
      if (instruction.kind == Kind::Store)
        body += "OpAtomicStore " + pointer + " %device %c0 " + value + "\n";
      else
        body += "OpStore %r " + result + "\n";
      body += "OpBranch " + label(t, i + 1) + "\n";
    }
  }
  return body;
}

}  // namespace

TEST_CASE("locks end where those go on that have begun, and a global barrier only where all begin") {
  CHECK(enough(text_of("programs/ticket.spvasm")) == "obe hsa+obe lobe fair");
  CHECK(enough(text_of("programs/cas.spvasm")) == "obe hsa+obe lobe fair");
  // What does not end under lobe does not under models that guarantee less.
  CHECK(ask(text_of("programs/xf.spvasm"), "lobe").terminates == false);
  CHECK(ask(text_of("programs/xf.spvasm"), "fair").terminates == true);
}

TEST_CASE("a message arrives where its sender is run: one of lower number, or any") {
  const auto message = [](const std::string& sender) {
    return kernel("1, 1, 2", "%sends = OpIEqual %bool %id " + sender + R"(
OpBranchConditional %sends %send %wait
%send = OpLabel
OpAtomicStore %p0 %device %c0 %c1
OpBranch %end
%wait = OpLabel
%seen = OpAtomicLoad %uint %p0 %device %c0
%not_yet = OpIEqual %bool %seen %c0
OpBranchConditional %not_yet %wait %end
)");
  };
  CHECK(enough(message("%c0")) == "hsa hsa+obe lobe fair");
  CHECK(enough(message("%c1")) == "fair");
  const Termination found = ask(message("%c1"), "lobe");
  REQUIRE(found.schedule);
  CHECK(found.schedule->parts == std::vector<EndlessPart>{EndlessPart::GoesOn, EndlessPart::NeverBegins});
  REQUIRE(found.schedule->again.size() == 1);
  CHECK(found.schedule->again[0].read == 0U);
}

TEST_CASE("who waits at a control barrier cannot run, and the barrier opens when all have come") {
  CHECK(enough(kernel("2, 1, 1", kBarrier + "OpBranch %end\n")) == "unfair hsa obe hsa+obe lobe fair");
  const Termination found = ask(kernel("2, 1, 1",
                                       "%first = OpIEqual %bool %id %c0\n"
                                       "OpBranchConditional %first %meet %end\n%meet = OpLabel\n" +
                                           kBarrier + "OpBranch %end\n"),
                                "fair");
  REQUIRE(found.schedule);
  CHECK(found.schedule->parts == std::vector<EndlessPart>{EndlessPart::Waits, EndlessPart::Ended});
  CHECK(found.schedule->again.empty());
}

TEST_CASE("a barrier in a loop meets the barrier of the same iteration, and iterations may be without end") {
  const auto loop = [](const std::string& last) {
    return kernel("2, 1, 1", "OpBranch %head\n%head = OpLabel\n" + kBarrier +
                                 "%n = OpLoad %uint %r\n%m = OpIAdd %uint %n %c1\nOpStore %r %m\n" + last);
  };
  CHECK(enough(loop("%more = OpULessThan %bool %m %c3\nOpBranchConditional %more %head %end\n")) ==
        "unfair hsa obe hsa+obe lobe fair");
  // Each invocation makes as many iterations as its number says, and one.
  const Termination uneven =
      ask(loop("%more = OpULessThanEqual %bool %m %id\nOpBranchConditional %more %head %end\n"), "fair");
  REQUIRE(uneven.schedule);
  CHECK(uneven.schedule->parts == std::vector<EndlessPart>{EndlessPart::Ended, EndlessPart::Waits});
  // States that differ in the number of iterations alone are one.
  const Ran endless(kernel("2, 1, 1", "OpBranch %head\n%head = OpLabel\n" + kBarrier + "OpBranch %head\n"));
  ProgressModels fair;
  fair.fill(ProgressModel::Fair);
  const Termination found = ask(endless, fair, 1000);
  CHECK(found.terminates == false);
  CHECK(found.states < 20);
}

TEST_CASE("a loop that nobody sees does not end, and a branch on what nothing defines goes both ways") {
  CHECK(enough(kernel("1, 1, 1", "OpBranch %head\n%head = OpLabel\nOpBranch %head\n")).empty());
  const Termination found =
      ask(kernel("1, 1, 1", "OpBranch %head\n%head = OpLabel\nOpBranchConditional %undef %head %end\n"), "fair");
  REQUIRE(found.schedule);
  REQUIRE_FALSE(found.schedule->again.empty());
  CHECK(found.schedule->again[0].chosen == true);
  CHECK(enough(kernel("1, 1, 1", "OpBranchConditional %undef %other %end\n%other = OpLabel\nOpBranch %end\n")) ==
        "unfair hsa obe hsa+obe lobe fair");
}

TEST_CASE("a run that stays where the filter forbids does not count") {
  const std::string text = kernel("1, 1, 1", R"(OpAtomicStore %p0 %device %c0 %c1
OpBranch %head
%head = OpLabel
%seen = OpAtomicLoad %uint %p0 %device %c0
%there = OpIEqual %bool %seen %c1
OpBranchConditional %there %head %end
)");
  CHECK(ask(text, "fair").terminates == false);
  CHECK(ask("; @Filter: %x0[0] != 1\n" + text, "fair").terminates == true);
}

TEST_CASE("undefined behaviour and too many states leave open whether a dispatch ends") {
  const std::string divides = kernel("1, 1, 1", R"(%d = OpAtomicLoad %uint %p0 %device %c0
%q = OpUDiv %uint %c1 %d
OpAtomicStore %p1 %device %c0 %q
OpBranch %end
)");
  const Termination found = ask(divides, "fair");
  CHECK_FALSE(found.terminates);
  CHECK(found.faults.size() == 1);
  const Ran ticket(text_of("programs/ticket.spvasm"));
  CHECK_FALSE(ask(ticket, heddle::progress::parse_progress_models("fair"), 10).terminates);
}

TEST_CASE("random programs end as modules under the models under which they end as litmus tests", "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_PROGRESS_PROGRAMS", 600, 100000);
  const std::vector<std::vector<unsigned>> kSizes{{1, 1}, {2, 1}, {2, 2}, {3, 2}, {1, 1, 1}, {2, 1, 1}, {1, 2, 2}};
  constexpr std::array<const char*, 3> kShapes[] = {{"2, 1, 1", "1, 2, 1", "1, 1, 2"},
                                                    {"3, 1, 1", "1, 3, 1", "1, 1, 3"}};
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    std::mt19937_64 random(seed);
    const bool branching = seed % 2 == 1;
    SmallProgram program =
        !branching ? heddle::litmus::random_small_program(random)
                   : heddle::litmus::random_branching_program(random, kSizes[seed / 2 % kSizes.size()], true);
    const std::size_t shape = random() % 3;
    for (std::size_t t = 0; t < program.size(); ++t) program[t].place = {0, shape == 2 ? t : 0, shape == 1 ? t : 0, t};
    ProgressModels models;
    for (ProgressModel& model : models) model = kModels[random() % kModels.size()];
    const std::string module = kernel(kShapes[program.size() - 2][shape], spirv_of(program));
    INFO("seed " << seed << "\n" << module << heddle::progress::spell(models));
    const Ran ran(module);
    const Termination found = ask(ran, models);
    REQUIRE(found.terminates);
    CHECK(*found.terminates == heddle::litmus::ends(program, models));
    // The dialect of litmus tests has no compare-exchange.
    if (branching) continue;
    const auto parse = heddle::litmus::parse_vulkan(heddle::litmus::text_of(program));
    REQUIRE(parse.test);
    heddle::litmus::Question question;
    question.progress = models;
    CHECK(found.terminates == heddle::litmus::termination(*parse.test, question).terminates);
  }
}
