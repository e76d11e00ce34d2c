#include <catch2/catch.hpp>

#include "emulator/spirv/source.h"
#include "tests/spirv/run_module.h"

/// \file
/// What heddle does not run, or not in this size, is refused by its name before anything runs.

using namespace heddle::spirv;

namespace {

std::string refusal(const std::string& text, const DispatchOptions& options = {}) {
  try {
    Ran(text, options).ask(true);
  } catch (const Error& error) {
    return placed("a.spvasm", error);
  }
  return "";
}

/// A module of these types and variables, and of a kernel that does nothing else than this.
std::string module_of(const std::string& local, const std::string& declared, const std::string& body) {
  return "OpCapability Shader\nOpMemoryModel Logical Vulkan\nOpEntryPoint GLCompute %main \"main\"\n"
         "OpExecutionMode %main LocalSize " +
         local + "\n%void = OpTypeVoid\n%kernel = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n" + declared +
         "%main = OpFunction %void None %kernel\n%start = OpLabel\n" + body + "OpReturn\nOpFunctionEnd\n";
}

/// An array of so many numbers, in a variable of a class.
std::string array_of(const std::string& storage, std::uint32_t length) {
  return "%length = OpConstant %uint " + std::to_string(length) +
         "\n%array = OpTypeArray %uint %length\n%to_array = OpTypePointer " + storage +
         " %array\n%memory = OpVariable %to_array " + storage + "\n";
}

}  // namespace

TEST_CASE("a kernel of OpenCL's memory model is refused with what makes a module of Vulkan's from it") {
  const std::string kernel =
      "OpCapability Kernel\nOpMemoryModel Physical64 OpenCL\nOpEntryPoint Kernel %main \"main\"\n";
  CHECK(
      refusal(kernel) ==
      "a.spvasm:2: heddle does not run modules of the OpenCL memory model; compile the kernel for Vulkan instead, with "
      "clspv");
}

TEST_CASE("an image that is sampled is refused by the instruction and its line") {
  const std::string declared =
      "%float = OpTypeFloat 32\n%float2 = OpTypeVector %float 2\n%float4 = OpTypeVector %float 4\n"
      "%half = OpConstant %float 0.5\n%middle = OpConstantComposite %float2 %half %half\n"
      "%image = OpTypeImage %float 2D 0 0 0 1 Unknown\n%sampled = OpTypeSampledImage %image\n"
      "%to_sampled = OpTypePointer UniformConstant %sampled\n%picture = OpVariable %to_sampled UniformConstant\n";
  const std::string body =
      "%from = OpLoad %sampled %picture\n%texel = OpImageSampleExplicitLod %float4 %from %middle Lod %half\n";
  const std::string text = module_of("1 1 1", declared, body);
  CHECK(refusal(text) == "a.spvasm:20: heddle does not run OpImageSampleExplicitLod");
}

TEST_CASE("a line record of a binary module says where the source has what is refused") {
  const std::string text =
      "OpCapability Shader\nOpMemoryModel Logical Vulkan\n"
      "OpEntryPoint GLCompute %main \"main\"\n%file = OpString \"blur.comp\"\n"
      "%void = OpTypeVoid\n%kernel = OpTypeFunction %void\n"
      "%main = OpFunction %void None %kernel\n%start = OpLabel\nOpLine %file 7 0\n"
      "OpEmitVertex\nOpReturn\nOpFunctionEnd\n";
  Module module = assemble(text);
  for (Instruction& each : module.instructions) each.position.line = 0;
  CHECK_THROWS_WITH(Dispatch(module, {}, {}), "heddle does not run OpEmitVertex (blur.comp:7)");
}

TEST_CASE("what a binary module lacks is told by its instruction where no line record says its line") {
  Module module = assemble(module_of("1 1 1",
                                     "%many = OpTypeRuntimeArray %uint\n%Box = OpTypeStruct %many\n"
                                     "%to_Box = OpTypePointer StorageBuffer %Box\n"
                                     "%data = OpVariable %to_Box StorageBuffer\n",
                                     ""));
  for (Instruction& each : module.instructions) each.position.line = 0;
  try {
    const Dispatch dispatch(module, {}, {});
    FAIL("it was not refused");
  } catch (const Error& error) {
    const std::string message = placed("blur.comp", error);
    CHECK_THAT(message, Catch::StartsWith("blur.comp: %") && Catch::Contains("(OpVariable %"));
    CHECK_THAT(message, !Catch::Contains("word"));
  }
}

TEST_CASE("a cooperative matrix is refused by the name of its type") {
  const std::string declared =
      "%eight = OpConstant %uint 8\n%three = OpConstant %uint 3\n"
      "%matrix = OpTypeCooperativeMatrixNV %uint %three %eight %eight\n";
  CHECK(refusal(module_of("1 1 1", declared, "%none = OpUndef %matrix\n")) ==
        "a.spvasm:13: OpTypeCooperativeMatrixNV has no values that heddle computes with");
}

TEST_CASE("what is no pointer and has the type of one is refused") {
  const std::string declared =
      "%to_uint = OpTypePointer Private %uint\n%Empty = OpTypeStruct\n%nothing = OpConstantNull %Empty\n";
  CHECK(refusal(module_of("1 1 1", declared, "%copy = OpCopyObject %to_uint %nothing\n")) ==
        "a.spvasm:13: this is no pointer");
}

TEST_CASE("an array of buffers that shares its binding with one buffer is refused") {
  const std::string declared =
      "OpDecorate %one DescriptorSet 0\nOpDecorate %one Binding 0\nOpDecorate %both DescriptorSet 0\n"
      "OpDecorate %both Binding 0\nOpMemberDecorate %Box 0 Offset 0\n%two = OpConstant %uint 2\n"
      "%Box = OpTypeStruct %uint\n%Boxes = OpTypeArray %Box %two\n%to_Box = OpTypePointer StorageBuffer %Box\n"
      "%to_Boxes = OpTypePointer StorageBuffer %Boxes\n%one = OpVariable %to_Box StorageBuffer\n"
      "%both = OpVariable %to_Boxes StorageBuffer\n";
  CHECK(refusal(module_of("1 1 1", declared, "")) ==
        "a.spvasm:19: %both shares its binding with a variable that has fewer descriptors");
}

TEST_CASE("an image in a struct in memory is refused") {
  const std::string declared =
      "%float = OpTypeFloat 32\n%image = OpTypeImage %float 2D 0 0 0 2 R32f\n%Box = OpTypeStruct %image\n"
      "%to_Box = OpTypePointer StorageBuffer %Box\n%box = OpVariable %to_Box StorageBuffer\n";
  CHECK(refusal(module_of("1 1 1", declared, "")) == "a.spvasm:10: an image is no member of a struct in memory");
}

TEST_CASE("memory that a few words ask very much of is refused, with how much there may be") {
  CHECK(refusal(module_of("1 1 1", array_of("Workgroup", 1U << 20), "")) == "");
  DispatchOptions two_groups;
  two_groups.groups = {2, 1, 1};
  CHECK(refusal(module_of("1 1 1", array_of("Workgroup", 1U << 20), ""), two_groups) ==
        "a.spvasm:11: %memory is too large: memory whose contents are not given has at most 1048576 scalars in "
        "67108864 bytes, those of all workgroups together");
  const std::string far_behind =
      refusal(module_of("1 1 1",
                        "OpMemberDecorate %Box 0 Offset 0\nOpMemberDecorate %Box 1 Offset 4026531840\n"
                        "%Box = OpTypeStruct %uint %uint\n%to_Box = OpTypePointer StorageBuffer %Box\n"
                        "%memory = OpVariable %to_Box StorageBuffer\n",
                        ""));
  CHECK(far_behind.find("%memory is too large") != std::string::npos);
  CHECK(refusal(module_of("64 64 4", array_of("Private", 1U << 12), "")) ==
        "a.spvasm:3: 16384 invocations with 4096 values each are too large; all together have at most 33554432 values");
}

TEST_CASE("more steps of all invocations than can be looked at are refused") {
  std::string body;
  for (int i = 0; i < 4200; ++i) body += "OpMemoryBarrier %one %one\n";
  const std::string message = refusal(module_of("64 16 1", "%one = OpConstant %uint 1\n", body));
  CHECK(message.find("1024 invocations of 4202 steps are too many") != std::string::npos);
}

TEST_CASE("more invocations than an execution may have are refused") {
  const std::string message = refusal(module_of("1025 1 1", "", ""));
  CHECK(message.find("1025 invocations are too many to list all executions: there are at most 1024") !=
        std::string::npos);
}
