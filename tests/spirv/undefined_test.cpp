#include <catch2/catch.hpp>

#include "tests/spirv/run_module.h"

using namespace heddle::spirv;

namespace {

/// A kernel of one invocation with a block of two words, `%out`, and this body.
std::string kernel(const std::string& header, const std::string& body) {
  return header +
         "OpCapability Shader\nOpMemoryModel Logical Vulkan\nOpEntryPoint GLCompute %main \"main\"\n"
         "OpExecutionMode %main LocalSize 1 1 1\n"
         "OpDecorate %Box Block\nOpMemberDecorate %Box 0 Offset 0\nOpDecorate %two ArrayStride 4\n"
         "OpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 0\n"
         "%void = OpTypeVoid\n%kernel = OpTypeFunction %void\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n"
         "%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n%c2 = OpConstant %uint 2\n"
         "%two = OpTypeArray %uint %c2\n%Box = OpTypeStruct %two\n"
         "%to_Box = OpTypePointer StorageBuffer %Box\n%to_uint = OpTypePointer StorageBuffer %uint\n"
         "%out = OpVariable %to_Box StorageBuffer\n"
         "%main = OpFunction %void None %kernel\n%start = OpLabel\n"
         "%first = OpAccessChain %to_uint %out %c0 %c0\n%second = OpAccessChain %to_uint %out %c0 %c1\n" +
         body + "OpReturn\nOpFunctionEnd\n";
}

bool holds(const std::string& condition, const std::string& body) {
  return Ran(kernel("; @Output: " + condition + "\n", body)).ask(false).holds;
}

}  // namespace

TEST_CASE("two variables that nobody wrote may be equal, and need not be") {
  CHECK(holds("exists (%out[0][0] == %out[0][1])", ""));
  CHECK_FALSE(holds("forall (%out[0][0] == %out[0][1])", ""));
  const std::string copy = "%v = OpLoad %uint %first\nOpStore %second %v\n";
  CHECK(holds("forall (%out[0][0] == %out[0][1])", copy));
}

TEST_CASE("a branch on a value that nothing defines goes both ways") {
  const std::string body =
      "%v = OpLoad %uint %first\n%is = OpIEqual %bool %v %c1\nOpSelectionMerge %end None\n"
      "OpBranchConditional %is %yes %no\n%yes = OpLabel\nOpStore %second %c1\nOpBranch %end\n"
      "%no = OpLabel\nOpStore %second %c2\nOpBranch %end\n%end = OpLabel\n";
  CHECK(holds("exists (%out[0][1] == 1)", body));
  CHECK(holds("exists (%out[0][1] == 2)", body));
  CHECK(holds("forall (%out[0][1] == 1 or %out[0][1] == 2)", body));
  CHECK_FALSE(Ran(kernel("", body)).ask(true).racy);
}

TEST_CASE("undefined behaviour is found, and says where") {
  const auto faults = [](const std::string& body) {
    const Ran ran(kernel("; @Input: %out = {{0, 3}}\n", body));
    const Answer answer = ran.ask(true);
    return answer.faults.empty() ? std::string() : describe_fault(ran.dispatch, answer.faults.begin()->second);
  };
  CHECK(faults("%v = OpLoad %uint %first\n%d = OpUDiv %uint %c1 %v\nOpStore %second %d\n")
            .starts_with("OpUDiv has no defined result"));
  CHECK(faults("%v = OpLoad %uint %second\n%p = OpAccessChain %to_uint %out %c0 %v\nOpStore %p %c1\n") ==
        "OpAccessChain takes index 3 of an array of 2 elements in StorageBuffer '%out'");
  CHECK(faults("OpStore %second %c1\n").empty());
}

TEST_CASE("a condition over twenty values that six invocations write unordered is decided part by part") {
  std::string condition;
  std::string body;
  std::string input;
  for (int i = 0; i < 20; ++i) {
    const std::string cell = "%x[0][" + std::to_string(i) + "]";
    condition += (i == 0 ? "" : " and ") + cell + " != 0";
    input += i == 0 ? "0" : ", 0";
    body += "%i" + std::to_string(i) + " = OpConstant %uint " + std::to_string(i) + "\n%p" + std::to_string(i) +
            " = OpAccessChain %to_uint %x %c0 %i" + std::to_string(i) + "\nOpStore %p" + std::to_string(i) + " %mine\n";
  }
  const std::string text =
      "; @Input: %x = {{" + input + "}}\n; @Output: forall (" + condition + ")\n; @Config: 2, 1, 3\n" +
      "OpCapability Shader\nOpMemoryModel Logical Vulkan\nOpEntryPoint GLCompute %main \"main\"\n"
      "OpDecorate %id BuiltIn GlobalInvocationId\nOpMemberDecorate %Box 0 Offset 0\nOpDecorate %many ArrayStride 4\n"
      "%void = OpTypeVoid\n%kernel = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%uint3 = OpTypeVector %uint 3\n"
      "%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n%c20 = OpConstant %uint 20\n%many = OpTypeArray %uint %c20\n"
      "%Box = OpTypeStruct %many\n%to_Box = OpTypePointer StorageBuffer %Box\n"
      "%to_uint = OpTypePointer StorageBuffer %uint\n%to_uint3 = OpTypePointer Input %uint3\n"
      "%x = OpVariable %to_Box StorageBuffer\n%id = OpVariable %to_uint3 Input\n"
      "%main = OpFunction %void None %kernel\n%start = OpLabel\n%at = OpLoad %uint3 %id\n"
      "%n = OpCompositeExtract %uint %at 0\n%mine = OpIAdd %uint %n %c1\n" +
      body + "OpReturn\nOpFunctionEnd\n";
  const Answer answer = Ran(text).ask(true);
  CHECK(answer.holds);
  CHECK(answer.racy);
  CHECK(answer.complete);
  CHECK_FALSE(Ran(replaced(text, "%x[0][7] != 0", "%x[0][7] != 3")).ask(true).holds);
}

TEST_CASE("a word whose bytes are written one by one has the bytes that were written") {
  const std::string text =
      "; @Input: %word = {0x44332211}\n; @Output: forall (%word[0] == 0x44ff2211)\n; @Config: 1, 1, 1\n"
      "OpCapability Shader\nOpCapability Int8\nOpMemoryModel Logical Vulkan\nOpEntryPoint GLCompute %main \"main\"\n"
      "OpMemberDecorate %Word 0 Offset 0\nOpMemberDecorate %Bytes 0 Offset 0\nOpDecorate %four ArrayStride 1\n"
      "OpDecorate %word DescriptorSet 0\nOpDecorate %word Binding 0\nOpDecorate %word Aliased\n"
      "OpDecorate %bytes DescriptorSet 0\nOpDecorate %bytes Binding 0\nOpDecorate %bytes Aliased\n"
      "%void = OpTypeVoid\n%kernel = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%byte = OpTypeInt 8 0\n"
      "%c0 = OpConstant %uint 0\n%c2 = OpConstant %uint 2\n%c4 = OpConstant %uint 4\n%ff = OpConstant %byte 255\n"
      "%Word = OpTypeStruct %uint\n%four = OpTypeArray %byte %c4\n%Bytes = OpTypeStruct %four\n"
      "%to_Word = OpTypePointer StorageBuffer %Word\n%to_Bytes = OpTypePointer StorageBuffer %Bytes\n"
      "%to_byte = OpTypePointer StorageBuffer %byte\n"
      "%word = OpVariable %to_Word StorageBuffer\n%bytes = OpVariable %to_Bytes StorageBuffer\n"
      "%main = OpFunction %void None %kernel\n%start = OpLabel\n%at = OpAccessChain %to_byte %bytes %c0 %c2\n"
      "OpStore %at %ff\nOpReturn\nOpFunctionEnd\n";
  const Answer answer = Ran(text).ask(false);
  CHECK(answer.holds);
  CHECK(answer.rows.size() == 1);
}
