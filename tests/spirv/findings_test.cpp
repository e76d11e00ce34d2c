#include <heddle/memory_policy.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "emulator/spirv/run/run.h"
#include "tests/spirv/run_module.h"

using namespace heddle::spirv;
using Catch::Contains;
using heddle::FindingKind;

namespace {

/// A kernel of two invocations with a block of four words, `%out`, a word that they share, `%shared`, and this body;
/// `%is_first` says whether it is the first of them that runs it.
std::string kernel(const std::string& body) {
  return "; @Input: %out = {{0, 7, 7, 7}}\n; @Config: 2, 1, 1\n"
         "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %index\n"
         "OpExecutionMode %main LocalSize 2 1 1\nOpDecorate %index BuiltIn LocalInvocationIndex\n"
         "OpDecorate %Box Block\nOpMemberDecorate %Box 0 Offset 0\nOpDecorate %four ArrayStride 4\n"
         "OpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 0\n"
         "%void = OpTypeVoid\n%kernel = OpTypeFunction %void\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n"
         "%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n%c2 = OpConstant %uint 2\n%c4 = OpConstant %uint 4\n"
         "%order = OpConstant %uint 264\n%four = OpTypeArray %uint %c4\n%Box = OpTypeStruct %four\n"
         "%to_Box = OpTypePointer Uniform %Box\n%to_uint = OpTypePointer Uniform %uint\n"
         "%in_uint = OpTypePointer Input %uint\n%of_group = OpTypePointer Workgroup %uint\n"
         "%out = OpVariable %to_Box Uniform\n%index = OpVariable %in_uint Input\n"
         "%shared = OpVariable %of_group Workgroup\n"
         "%main = OpFunction %void None %kernel\n%start = OpLabel\n"
         "%me = OpLoad %uint %index\n%is_first = OpIEqual %bool %me %c0\n"
         "%mine = OpAccessChain %to_uint %out %c0 %me\n%flag = OpAccessChain %to_uint %out %c0 %c0\n" +
         body + "OpReturn\nOpFunctionEnd\n";
}

/// The body is what only the first invocation does.
std::string first_does(const std::string& body) {
  return "OpSelectionMerge %end None\nOpBranchConditional %is_first %yes %end\n%yes = OpLabel\n" + body +
         "OpBranch %end\n%end = OpLabel\n";
}

const std::string kBarrier = "OpControlBarrier %c2 %c2 %order\n";

DispatchOptions named() {
  DispatchOptions options;
  options.file = "kernel.spvasm";
  return options;
}

RunTotals ran(const std::string& body) {
  const Ran module(kernel(body), named());
  RunRequest request;
  request.policy = heddle::memory_policy("random");
  request.runs = 20;
  return run(module.analysis, module.question, request);
}

}  // namespace

TEST_CASE("runs without a mistake have no findings") {
  CHECK(ran("OpStore %mine %c1\n" + kBarrier).findings.empty());
}

TEST_CASE("an access out of bounds is a finding at its line, with the invocation") {
  const RunTotals totals =
      ran(first_does("%at = OpLoad %uint %mine\n%far = OpIAdd %uint %at %c4\n"
                     "%p = OpAccessChain %to_uint %out %c0 %far\nOpStore %p %c1\n"));
  REQUIRE(totals.findings.size() == 1);
  CHECK(totals.findings[0].finding.kind == FindingKind::OutOfBounds);
  CHECK(std::string(totals.findings[0].finding.where.file) == "kernel.spvasm");
  CHECK(totals.findings[0].finding.where.line != 0);
  CHECK(totals.findings[0].finding.invocation.local.x == 0);
  CHECK(totals.findings[0].finding.message ==
        "OpAccessChain takes index 4 of an array of 4 elements in Uniform '%out'.");
  CHECK(totals.findings[0].finding.object == "%out");
  CHECK(totals.findings[0].runs == 20);
}

TEST_CASE("an access out of bounds is told with the variable, the index or the bytes, and what the variable has") {
  const auto message = [](const std::string& array, const std::string& index, std::vector<std::uint8_t> bytes) {
    const std::string text =
        "OpCapability Shader\nOpMemoryModel Logical Vulkan\nOpEntryPoint GLCompute %main \"main\"\n"
        "OpExecutionMode %main LocalSize 1 1 1\nOpDecorate %other DescriptorSet 0\nOpDecorate %other Binding 0\n"
        "OpDecorate %data DescriptorSet 0\nOpDecorate %data Binding 1\nOpMemberDecorate %Box 0 Offset 0\n"
        "OpMemberDecorate %Box 1 Offset 4\nOpDecorate %many ArrayStride 4\n%void = OpTypeVoid\n"
        "%kernel = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n%c0 = OpConstant %uint 0\n%c1 = OpConstant %uint 1\n"
        "%index = OpConstant %uint " +
        index + "\n%c2 = OpConstant %uint 2\n%many = " + array +
        "\n%Box = OpTypeStruct %uint %many\n%to_Box = OpTypePointer StorageBuffer %Box\n"
        "%to_uint = OpTypePointer StorageBuffer %uint\n%other = OpVariable %to_Box StorageBuffer\n"
        "%data = OpVariable %to_Box StorageBuffer\n%main = OpFunction %void None %kernel\n%start = OpLabel\n"
        "%first = OpAccessChain %to_uint %data %c0\n%zero = OpLoad %uint %first\n%at = OpIAdd %uint %zero %index\n"
        "%known = OpAccessChain %to_uint %other %c1 %c1\nOpStore %known %c1\n"
        "%element = OpAccessChain %to_uint %data %c1 %at\nOpStore %element %c1\nOpReturn\nOpFunctionEnd\n";
    DispatchOptions options = named();
    options.buffers[{0, 0}] = std::vector<std::uint8_t>(16, 0);
    options.buffers[{0, 1}] = std::move(bytes);
    const Ran module(text, options);
    RunRequest request;
    request.policy = heddle::memory_policy("sequential");
    const RunTotals totals = run(module.analysis, module.question, request);
    const Answer answer = module.ask(false);
    REQUIRE(totals.findings.size() == 1);
    REQUIRE(answer.faults.size() == 1);
    CHECK(describe_fault(module.dispatch, answer.faults.begin()->second) + '.' == totals.findings[0].finding.message);
    CHECK(totals.findings[0].finding.object == "%data");
    return totals.findings[0].finding.message;
  };
  const std::vector<std::uint8_t> twelve(12, 0);
  CHECK(message("OpTypeRuntimeArray %uint", "2", twelve) ==
        "OpStore writes bytes 12 to 15 of StorageBuffer '%data', which has 12 bytes.");
  CHECK(message("OpTypeRuntimeArray %uint", "4294967295", twelve) ==
        "OpAccessChain takes index -1 (4294967295 without a sign) of a run-time array in StorageBuffer '%data'.");
  CHECK(message("OpTypeRuntimeArray %uint", "4294967294", twelve) ==
        "OpAccessChain takes index -2 (4294967294 without a sign) of a run-time array in StorageBuffer '%data'.");
  CHECK(message("OpTypeArray %uint %c2", "2", twelve) ==
        "OpAccessChain takes index 2 of an array of 2 elements in StorageBuffer '%data'.");
}

TEST_CASE("a constant index out of bounds is told where it is used, and an address that nothing defines as such") {
  const RunTotals constant = ran(first_does("%p = OpAccessChain %to_uint %out %c0 %c4\nOpStore %p %c1\n"));
  REQUIRE(constant.findings.size() == 1);
  CHECK(constant.findings[0].finding.message == "OpStore takes index 4 of an array of 4 elements in Uniform '%out'.");
  const RunTotals open =
      ran(first_does("%v = OpUndef %uint\n%p = OpAccessChain %to_uint %out %c0 %v\nOpStore %p %c1\n"));
  REQUIRE(open.findings.size() == 1);
  CHECK(open.findings[0].finding.message == "OpAccessChain takes an index that nothing defines.");
}

TEST_CASE("a division by zero is a finding") {
  const RunTotals totals = ran(first_does("%v = OpLoad %uint %mine\n%d = OpUDiv %uint %c1 %v\nOpStore %mine %d\n"));
  REQUIRE(totals.findings.size() == 1);
  CHECK(totals.findings[0].finding.kind == FindingKind::DivisionByZero);
}

TEST_CASE("a read of shared memory that nobody wrote is a finding, and names it") {
  const RunTotals totals = ran("%v = OpLoad %uint %shared\nOpStore %mine %v\n");
  REQUIRE_FALSE(totals.findings.empty());
  CHECK(totals.findings[0].finding.kind == FindingKind::UninitializedRead);
  CHECK(totals.findings[0].finding.object == "%shared");
}

TEST_CASE("a barrier that one invocation does not come to is a finding that counts who waits") {
  const RunTotals totals = ran(first_does(kBarrier));
  REQUIRE(totals.findings.size() == 1);
  CHECK(totals.findings[0].finding.kind == FindingKind::BarrierDivergence);
  CHECK_THAT(totals.findings[0].finding.message, Contains("1 invocation waits") && Contains("1 invocation finished"));
  CHECK(totals.blocked == 20);
}

TEST_CASE("a wait for what nobody writes is a finding of no progress") {
  const RunTotals totals =
      ran("OpBranch %head\n%head = OpLabel\nOpLoopMerge %behind %again None\n"
          "%v = OpAtomicLoad %uint %flag %c1 %c0\n%go = OpIEqual %bool %v %c1\nOpBranchConditional %go %behind %again\n"
          "%again = OpLabel\nOpBranch %head\n%behind = OpLabel\n");
  REQUIRE(totals.findings.size() == 1);
  CHECK(totals.findings[0].finding.kind == FindingKind::NoProgress);
}

TEST_CASE("a branch on what nothing defines goes both ways on the machine, and is a finding") {
  const RunTotals totals =
      ran("%open = OpUndef %bool\nOpSelectionMerge %end None\nOpBranchConditional %open %yes %end\n%yes = OpLabel\n"
          "OpStore %mine %c2\nOpBranch %end\n%end = OpLabel\n");
  REQUIRE(totals.findings.size() == 1);
  CHECK(totals.findings[0].finding.kind == FindingKind::UndefinedValue);
}

TEST_CASE("a run that is replayed is the run of that number, with its races") {
  const Ran module(kernel("%v = OpLoad %uint %flag\nOpStore %flag %me\n"));
  RunRequest request;
  request.policy = heddle::memory_policy("random");
  request.runs = 50;
  const RunTotals all = run(module.analysis, module.question, request);
  REQUIRE(all.first_racy_run);
  REQUIRE_FALSE(all.races.empty());
  request.replay = *all.first_racy_run;
  const RunTotals one = run(module.analysis, module.question, request);
  CHECK(one.runs == 1);
  CHECK(one.racy_runs == 1);
}

TEST_CASE("a race has the words of both its instructions when the runs are over") {
  const RunTotals totals = ran(first_does("OpStore %flag %c1\n") + "%v = OpLoad %uint %flag\nOpStore %shared %v\n");
  REQUIRE_FALSE(totals.races.empty());
  for (const heddle::DataRace& race : totals.races) {
    for (const heddle::RacingAccess* access : {&race.first, &race.second})
      CHECK_THAT(access->where.function,
                 Contains("OpStore %flag") || Contains("OpLoad %flag") || Contains("OpStore %shared"));
  }
}

TEST_CASE("changes of a race are in the words of GLSL, and each is one that the model has") {
  const RunTotals totals = ran(first_does("OpStore %flag %c1\n") + "%v = OpLoad %uint %flag\nOpStore %shared %v\n");
  REQUIRE_FALSE(totals.races.empty());
  for (const heddle::DataRace& race : totals.races)
    for (const std::string& change : race.changes) {
      CHECK_THAT(change, !Contains("NonPrivatePointer"));
      CHECK_THAT(change, Contains("coherent") || Contains("atomic") || Contains("arrier()"));
    }
}

TEST_CASE("of two barriers runs say in GLSL's words which one they did not need") {
  const std::string text = kernel(first_does("OpStore %shared %c1\n") + kBarrier +
                                  "%seen = OpLoad %uint %shared\nOpStore %mine %seen\n" + kBarrier);
  const Ran module(text, named());
  RunRequest request;
  request.policy = heddle::memory_policy("random");
  request.runs = 20;
  request.advised = 10;
  const RunTotals totals = run(module.analysis, module.question, request);
  CHECK(totals.advised == 10);
  const auto lines_before = [&](std::size_t at) {
    return static_cast<std::uint32_t>(1 +
                                      std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  };
  std::size_t needless = 0;
  for (const heddle::OrderingAdvice& each : totals.advice) {
    CHECK(each.operation == "barrier()");
    CHECK_THAT(each.where.file, Contains("kernel") || Catch::Equals(""));
    if (each.enough != "nothing would do in its place") continue;
    ++needless;
    CHECK(each.where.line == lines_before(text.rfind("OpControlBarrier")));
  }
  CHECK(needless == 1);
}
