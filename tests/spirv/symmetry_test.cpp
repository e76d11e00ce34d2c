#include <catch2/catch.hpp>

#include "tests/spirv/run_module.h"

using namespace heddle::spirv;

namespace {

/// Each invocation adds 1 to the first number, by an instruction whose text is given.
std::string additions(const std::string& invocations, const std::string& instruction) {
  return "; @Input: %data = {{0}}\n; @Output: forall (%data[0][0] == " + invocations + ")\n; @Config: 1, 1, " +
         invocations + R"(
        OpCapability Shader
        OpCapability VulkanMemoryModel
        OpMemoryModel Logical Vulkan
        OpEntryPoint GLCompute %main "main" %data
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %array ArrayStride 4
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %block Block
        OpDecorate %data DescriptorSet 0
        OpDecorate %data Binding 0
%uint = OpTypeInt 32 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%to_block = OpTypePointer StorageBuffer %block
%data = OpVariable %to_block StorageBuffer
%to_uint = OpTypePointer StorageBuffer %uint
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%device = OpConstant %uint 1
%main = OpFunction %void None %function
%begin = OpLabel
%at = OpAccessChain %to_uint %data %zero %zero
)" + instruction +
         R"(
        OpReturn
        OpFunctionEnd
)";
}

const std::string kRelaxed = "%old = OpAtomicIAdd %uint %at %device %zero %one";
const std::string kPlain = "%old = OpLoad %uint %at\n%new = OpIAdd %uint %old %one\nOpStore %at %new";

Answer asked(const std::string& text, bool verdict_only, bool symmetry) {
  const Ran ran(text);
  Inquiry inquiry;
  inquiry.verdict_only = verdict_only;
  inquiry.symmetry = symmetry;
  return answer(ran.analysis, ran.question, inquiry);
}

}  // namespace

TEST_CASE("nine relaxed additions are proven at once, as one execution for all their orders") {
  const Answer all = asked(additions("9", kRelaxed), false, true);
  CHECK(all.complete);
  CHECK(all.executions == 362880);
  CHECK(all.holds);
  CHECK_FALSE(all.racy);
  CHECK(all.graphs < 1000);
  const Answer verdict = asked(additions("9", kRelaxed), true, true);
  CHECK(verdict.complete);
  CHECK(verdict.holds);
  CHECK_FALSE(verdict.racy);
}

TEST_CASE("executions that are more than 64 bits can count are as many as those can count") {
  CHECK(asked(additions("20", kRelaxed), false, true).executions == 2432902008176640000);
  const Answer more = asked(additions("21", kRelaxed), false, true);
  CHECK(more.complete);
  CHECK(more.holds);
  CHECK(more.executions == heddle::explore::Counts::kMost);
  REQUIRE(more.rows.size() == 1);
  CHECK(more.rows[0].executions == heddle::explore::Counts::kMost);
}

TEST_CASE("what is answered of invocations that do the same is answered without their symmetry") {
  for (const std::string& text :
       {additions("4", kRelaxed), additions("3", kPlain), text_of("kernels/lock-tas-3x1x1.spvasm"),
        text_of("kernels/lock-cas-2x1x2-rel2rlx.spvasm"), text_of("kernels/lock-ticket-2x1x2-acq2rlx.spvasm")}) {
    for (const bool verdict_only : {true, false}) {
      if (!verdict_only && text.find("NonSemantic") != std::string::npos) continue;
      const Answer with = asked(text, verdict_only, true);
      const Answer without = asked(text, verdict_only, false);
      INFO(text);
      CHECK(with.holds == without.holds);
      CHECK(with.racy == without.racy);
      CHECK(with.complete == without.complete);
      REQUIRE(with.rows.size() == without.rows.size());
      for (std::size_t i = 0; i < with.rows.size(); ++i) {
        CHECK(with.rows[i].values == without.rows[i].values);
        CHECK(with.rows[i].executions == without.rows[i].executions);
        CHECK(with.rows[i].racy_executions == without.rows[i].racy_executions);
      }
    }
  }
}
