#include <heddle/module.h>
#include <heddle/queue.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>

using namespace heddle;
using Catch::Contains;

namespace {

const std::string kShaders = HEDDLE_SOURCE_DIR "/samples/shaders/";

struct Scanned {
  std::vector<std::uint32_t> sums;
  std::size_t races = 0;
};

DeviceOptions weak() {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = memory_policy("random");
  options.races = true;
  return options;
}

ModuleOptions of_size(std::uint32_t size) {
  ModuleOptions out;
  out.specialization[1] = std::to_string(size);
  return out;
}

std::vector<std::uint32_t> numbers(std::uint32_t count) {
  std::vector<std::uint32_t> out(count);
  std::iota(out.begin(), out.end(), 1U);
  return out;
}

Scanned scanned(Device& device, std::uint32_t size, std::uint32_t groups, std::uint32_t factor) {
  auto in = device.buffer(numbers(size * groups), "items");
  auto out = device.buffer<std::uint32_t>(size * groups, "sums");
  Module scan(device, kShaders + "scan.spvasm", of_size(size));
  scan.push_constants(factor);
  const DispatchResult result = scan.dispatch(groups, {bound(0, 0, in), bound(0, 1, out)});
  CHECK(result.invocations == size * groups);
  return {out.read(), scan.races().size()};
}

std::vector<std::uint32_t> reference(std::uint32_t size, std::uint32_t groups, std::uint32_t factor) {
  std::vector<std::uint32_t> out;
  std::uint32_t sum = 0;
  for (const std::uint32_t item : numbers(size * groups)) {
    if (out.size() % size == 0) sum = 0;
    out.push_back(sum += factor * item);
  }
  return out;
}

}  // namespace

TEST_CASE("a module computes on a device what its reference in C++ computes, natively and on weak memory") {
  Device native(Mode::Native);
  CHECK(scanned(native, 8, 3, 2).sums == reference(8, 3, 2));
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    DeviceOptions options = weak();
    options.seed = seed;
    Device device(options);
    const Scanned found = scanned(device, 16, 2, 5);
    CHECK(found.sums == reference(16, 2, 5));
    CHECK(found.races == 0);
  }
}

TEST_CASE("a race of a module on a device is told with its reason and a change in the words of GLSL") {
  Device device(weak());
  Module look_back(device, kShaders + "look_back.spvasm");
  auto items = device.buffer<std::uint32_t>({3, 4, 5});
  auto before = device.buffer<std::uint32_t>(3);
  for (int i = 0; i < 50 && look_back.races().empty(); ++i) {
    auto flags = device.buffer<std::uint32_t>({0, 0, 0});
    auto sums = device.buffer<std::uint32_t>({0, 0, 0});
    look_back.dispatch(3, {bound(0, 0, items), bound(0, 1, flags), bound(0, 2, sums), bound(0, 3, before)});
  }
  REQUIRE_FALSE(look_back.races().empty());
  const DataRace& race = look_back.races().front();
  CHECK_THAT(race.reason, Contains("private"));
  REQUIRE_FALSE(race.changes.empty());
  CHECK_THAT(race.changes.front(), Contains("coherent"));
  CHECK_THROWS_AS(look_back.require_no_races(), KernelError);
}

TEST_CASE("what a module is not given is named") {
  Device device(Mode::Emulated);
  auto in = device.buffer(numbers(64));
  Module scan(device, kShaders + "scan.spvasm");
  CHECK_THROWS_WITH(scan.dispatch(1, {bound(0, 0, in)}),
                    Catch::EndsWith("scan.spvasm: nothing is bound to set 0, binding 1 (%sums)"));
  auto third = device.buffer(numbers(64));
  CHECK_THROWS_WITH(scan.dispatch(1, {bound(0, 0, in), bound(0, 1, third), bound(0, 2, third)}),
                    Contains("bound(0, 2, ...): the module has no set 0, binding 2; it has set 0, binding 0 (%items)"));
  CHECK_THROWS_WITH(scan.dispatch(1, {bound(0, 0, in), bound(0, 0, third)}),
                    Contains("set 0, binding 0 is bound twice"));
  CHECK_THROWS_WITH(Module(device, kShaders + "no_such.spvasm"), Contains("no_such.spvasm"));
  CHECK_THROWS_WITH(Module(device, kShaders + "README.md"), Contains("README.md:"));
}

TEST_CASE("what a module is given and has not is named in the words of the program") {
  Device device(Mode::Emulated);
  auto in = device.buffer(numbers(64));
  auto out = device.buffer<std::uint32_t>(64);
  const auto message = [&](const ModuleOptions& options, bool pushes) -> std::string {
    Module module(device, kShaders + "look_back.spvasm", options);
    if (pushes) module.push_constants(std::uint32_t{1});
    try {
      module.dispatch(1, {bound(0, 0, in), bound(0, 1, out), bound(0, 2, out), bound(0, 3, out)});
    } catch (const ModuleError& error) {
      return error.what();
    }
    return "";
  };
  ModuleOptions options;
  options.specialization[7] = "8";
  CHECK_THAT(message(options, false), Contains("ModuleOptions::specialization[7]: the module has no"));
  CHECK_THAT(message({}, true), Contains("Module::push_constants: the module has no push"));
  options.specialization = {{1, "eight"}};
  Module scan(device, kShaders + "scan.spvasm", options);
  CHECK_THROWS_WITH(scan.dispatch(1, {bound(0, 0, in), bound(0, 1, out)}),
                    Contains("ModuleOptions::specialization[1]: \"eight\" is no value of %SIZE"));
}

TEST_CASE("a buffer that a module declares and its entry point does not use need not be bound") {
  std::ifstream in(kShaders + "scan.spvasm");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string file = "module_unused_binding.spvasm";
  const std::string types = "%unused_array = OpTypeRuntimeArray %uint";
  REQUIRE(text.find("%uint = OpTypeInt 32 0") != std::string::npos);
  text.replace(
      text.find("%uint = OpTypeInt 32 0"), 22,
      "%uint = OpTypeInt 32 0\n" + types +
          "\n%unused_block = OpTypeStruct %unused_array\n"
          "%to_unused = OpTypePointer StorageBuffer %unused_block\n%unused = OpVariable %to_unused StorageBuffer");
  text.replace(
      text.find("OpDecorate"), 0,
      "OpDecorate %unused DescriptorSet 3\nOpDecorate %unused Binding 3\nOpDecorate %unused_array ArrayStride 4\n"
      "OpDecorate %unused_block Block\nOpMemberDecorate %unused_block 0 Offset 0\n");
  std::ofstream(file) << text;
  Device device(Mode::Emulated);
  auto items = device.buffer(numbers(8));
  auto sums = device.buffer<std::uint32_t>(8);
  Module scan(device, file, of_size(8));
  scan.push_constants(std::uint32_t{1});
  scan.dispatch(1, {bound(0, 0, items), bound(0, 1, sums)});
  CHECK(sums.read() == reference(8, 1, 1));
  std::remove(file.c_str());
}

TEST_CASE("a module that goes out of bounds on a device is a kernel that is wrong") {
  Device device(Mode::Emulated);
  auto in = device.buffer(numbers(63));
  auto out = device.buffer<std::uint32_t>(64);
  Module scan(device, kShaders + "scan.spvasm", of_size(64));
  scan.push_constants(std::uint32_t{1});
  try {
    scan.dispatch(1, {bound(0, 0, in), bound(0, 1, out)});
    FAIL("the dispatch went well");
  } catch (const KernelError& error) {
    CHECK(error.finding().kind == FindingKind::OutOfBounds);
    CHECK(error.finding().invocation.global.x == 63);
    CHECK_THAT(error.finding().message, Contains("bytes 252 to 255 of StorageBuffer '%items', which has 252 bytes"));
  }
}

TEST_CASE("natively a module that goes out of bounds is told with the variable and its bytes, too") {
  Device device(Mode::Native);
  auto in = device.buffer(numbers(63));
  auto out = device.buffer<std::uint32_t>(64);
  Module scan(device, kShaders + "scan.spvasm", of_size(64));
  scan.push_constants(std::uint32_t{1});
  try {
    scan.dispatch(1, {bound(0, 0, in), bound(0, 1, out)});
    FAIL("the dispatch went well");
  } catch (const KernelError& error) {
    CHECK(error.finding().message == "OpLoad reads bytes 252 to 255 of StorageBuffer '%items', which has 252 bytes.");
  }
}

TEST_CASE("a queue runs a module between copies and barriers as it runs a kernel") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    const LogicalDevice device(mode);
    auto items = device.allocate_memory<std::uint32_t>(8, MemoryProperty::HostCoherent, "items");
    auto sums = device.allocate_memory<std::uint32_t>(8, MemoryProperty::HostCoherent, "sums");
    {
      auto map = items.map();
      for (std::uint64_t i = 0; i < 8; ++i) map.write(i, 1);
    }
    Module scan(device.device(), kShaders + "scan.spvasm", of_size(8));
    scan.push_constants(std::uint32_t{3});
    CommandBuffer commands = device.command_buffer("scan");
    commands.begin();
    commands.dispatch(scan.recorded(1, {bound(0, 0, items.buffer()), bound(0, 1, sums.buffer())}));
    commands.pipeline_barrier2(MemoryBarrier2{PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                                              PipelineStage2::Host, Access2::HostRead});
    commands.end();
    const Fence fence = device.fence("done");
    device.queue().submit2(commands, fence);
    fence.wait();
    auto map = sums.map();
    for (std::uint64_t i = 0; i < 8; ++i) CHECK(map.read(i) == 3 * (i + 1));
    CHECK(device.races().empty());
  }
}

TEST_CASE("a module that a queue dispatches with a base has the workgroup and global ids from there on") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    const LogicalDevice device(mode);
    const auto numbers_in = [&](std::initializer_list<std::uint32_t> values, const char* name) {
      auto memory = device.allocate_memory<std::uint32_t>(values.size(), MemoryProperty::HostCoherent, name);
      auto map = memory.map();
      std::uint64_t i = 0;
      for (const std::uint32_t value : values) map.write(i++, value);
      memory.unmap();
      return memory;
    };
    // Global ids: the second half is scanned.
    auto items = numbers_in({1, 1, 1, 1, 2, 2, 2, 2}, "items");
    auto sums = numbers_in({9, 9, 9, 9, 9, 9, 9, 9}, "sums");
    Module scan(device.device(), kShaders + "scan.spvasm", of_size(4));
    scan.push_constants(std::uint32_t{3});
    // Workgroup ids: the first workgroup of three is one that has been before.
    auto parts = numbers_in({3, 4, 5}, "parts");
    auto flags = numbers_in({1, 0, 0}, "flags");
    auto totals = numbers_in({3, 0, 0}, "totals");
    auto before = numbers_in({9, 9, 9}, "before");
    Module look_back(device.device(), kShaders + "look_back_coherent.spvasm");
    CommandBuffer commands = device.command_buffer("scan");
    commands.begin();
    commands.dispatch_base(scan.recorded(1, {bound(0, 0, items.buffer()), bound(0, 1, sums.buffer())}), {1, 0, 0});
    commands.dispatch_base(look_back.recorded(2, {bound(0, 0, parts.buffer()), bound(0, 1, flags.buffer()),
                                                  bound(0, 2, totals.buffer()), bound(0, 3, before.buffer())}),
                           {1, 0, 0});
    commands.pipeline_barrier2(MemoryBarrier2{PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                                              PipelineStage2::Host, Access2::HostRead});
    commands.end();
    device.queue().submit2(commands);
    device.wait_idle();
    const auto found = sums.map();
    for (std::uint32_t i = 0; i < 8; ++i) CHECK(found.read(i) == (i < 4 ? 9 : 6 * (i - 3)));
    const auto seen = before.map();
    CHECK(seen.read(0) == 9);
    CHECK(seen.read(1) == 3);
    CHECK(seen.read(2) == 7);
  }
}

TEST_CASE("a module as a command of a queue races with a host access that no dependency orders") {
  const LogicalDevice device(Mode::Emulated);
  auto items = device.allocate_memory<std::uint32_t>(8, MemoryProperty::HostCoherent, "items");
  auto sums = device.allocate_memory<std::uint32_t>(8, MemoryProperty::HostCoherent, "sums");
  {
    auto map = items.map();
    for (std::uint64_t i = 0; i < 8; ++i) map.write(i, 1);
  }
  Module scan(device.device(), kShaders + "scan.spvasm", of_size(8));
  scan.push_constants(std::uint32_t{3});
  CommandBuffer commands = device.command_buffer("scan");
  commands.begin();
  commands.dispatch(scan.recorded(1, {bound(0, 0, items.buffer()), bound(0, 1, sums.buffer())}));
  commands.end();
  const Fence fence = device.fence("done");
  device.queue().submit2(commands, fence);
  fence.wait();
  (void)sums.map().read(0);
  CHECK_FALSE(device.races().empty());
}

TEST_CASE("a device takes a compute shader in GLSL, and says which line of it is wrong") {
  if (std::system("glslangValidator --version > /dev/null 2>&1") != 0 &&
      std::system("glslc --version > /dev/null 2>&1") != 0) {
    WARN("skipped: there is no compiler of GLSL here (Debian: glslang-tools)");
    return;
  }
  Device device(weak());
  auto in = device.buffer(numbers(16), "items");
  auto out = device.buffer<std::uint32_t>(8, "sums");
  Module scan(device, kShaders + "scan.comp", of_size(8));
  scan.push_constants(std::uint32_t{2});
  scan.dispatch(1, {bound(0, 0, in), bound(0, 1, out)});
  CHECK(out.read() == reference(8, 1, 2));
  try {
    scan.dispatch(2, {bound(0, 0, in), bound(0, 1, out)});
    FAIL("the dispatch went well");
  } catch (const KernelError& error) {
    CHECK(error.finding().kind == FindingKind::OutOfBounds);
    CHECK_THAT(error.finding().where.file, Catch::EndsWith("scan.comp"));
    CHECK(error.finding().where.line > 10);
  }
}

TEST_CASE("a module that nothing defines the way of is told of its branch, in either mode") {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    Device device(mode);
    auto out = device.buffer<std::uint32_t>({0}, "out");
    Module module(device, HEDDLE_SOURCE_DIR "/tests/spirv/programs/undefined_branch.spvasm");
    try {
      module.dispatch(1, {bound(0, 0, out)});
      FAIL("the dispatch went well");
    } catch (const KernelError& error) {
      CHECK(error.finding().kind == FindingKind::UndefinedValue);
    }
  }
}

TEST_CASE("a trace of a device has what a module on it does") {
  const std::string file = "module_kernel_test.trace";
  {
    DeviceOptions options = weak();
    options.races = false;
    options.trace = file;
    Device device(options);
    scanned(device, 8, 1, 2);
  }
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  CHECK(bytes.find("scan.spvasm") != std::string::npos);
  CHECK(bytes.find("OpStore") != std::string::npos);
  std::remove(file.c_str());
}

TEST_CASE("a device with edits, which a module does not take, is refused by the option's name") {
  DeviceOptions options = weak();
  options.edits.push_back({});
  options.races = false;
  CHECK_THROWS_WITH(
      [&] {
        Device device(options);
        Module(device, kShaders + "scan.spvasm");
      }(),
      Contains("DeviceOptions::edits"));
}
