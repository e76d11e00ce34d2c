// Which instructions the random programs have that memories are tested with.

#include <heddle/semantics.h>

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "emulator/litmus/vulkan/parser.h"
#include "tests/explore/script.h"
#include "tests/litmus/expectation.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

/// An operation as the litmus format writes it, but for scopes, storage classes, and bulk operations of semantics:
/// "ld.atom.acq".
std::string kind_of(const Operation& op) {
  static const std::pair<OperationKind, const char*> kWords[] = {
      {OperationKind::Read, "ld"},
      {OperationKind::Write, "st"},
      {OperationKind::ReadModifyWrite, "rmw"},
      {OperationKind::MemoryBarrier, "membar"},
      {OperationKind::ControlBarrier, "cbar"},
      {OperationKind::DeviceAvailability, "avdevice"},
      {OperationKind::DeviceVisibility, "visdevice"},
  };
  std::string text = "unknown";
  for (const auto& [kind, word] : kWords)
    if (kind == op.kind) text = word;
  if (op.atomic) text += ".atom";
  if (op.is_access() && !op.atomic && op.is_non_private()) {
    text += has(op.operands, MemoryOperands::MakePointerAvailable) ? ".av"
            : has(op.operands, MemoryOperands::MakePointerVisible) ? ".vis"
                                                                   : ".nonpriv";
  }
  const bool acquire = acquires(op.semantics);
  const bool release = releases(op.semantics);
  return text + (acquire && release ? ".acq_rel" : acquire ? ".acq" : release ? ".rel" : "");
}

using Kinds = std::set<std::string>;

void add_kinds_of(const std::string& source, Kinds& kinds) {
  const VulkanParse parse = parse_vulkan(source);
  REQUIRE(parse.test);
  for (const Thread& thread : parse.test->threads) {
    for (const Instruction& instruction : thread.code) {
      // The others are no operation of memory, or cannot run.
      if (instruction.kind <= InstructionKind::DeviceOperation) kinds.insert(kind_of(instruction.operation));
    }
  }
}

/// What the instructions of all litmus tests that are here say.
Kinds kinds_of_litmus_tests() {
  Kinds kinds;
  for (const LibraryFile& file : read_library()) add_kinds_of(file.source, kinds);
  for (const char* const directory : {"random", "chains", "corpus", "mmra"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/" + directory))
      if (entry.path().extension() == ".litmus") add_kinds_of(read_text(entry.path().string()), kinds);
  }
  return kinds;
}

}  // namespace

TEST_CASE("random mixtures have each kind of instruction that a litmus test has, each right behind each other one") {
  std::set<std::pair<std::string, std::string>> drawn;
  for (std::uint64_t seed = 0; seed < explore::kMixtures; ++seed) {
    for (const explore::Script& script : explore::random_mixtures(seed).scripts)
      for (std::size_t i = 1; i < script.size(); ++i)
        drawn.emplace(kind_of(script[i - 1].operation), kind_of(script[i].operation));
  }
  Kinds kinds = kinds_of_litmus_tests();
  CHECK(kinds.size() > 15);
  for (const auto& [first, second] : drawn) kinds.insert(first);
  for (const std::string& first : kinds)
    for (const std::string& second : kinds) {
      INFO(first << ", and then " << second);
      CHECK(drawn.count({first, second}) == 1);
    }
}

// What control barriers release and acquire for others they do so by relaxed atomics around them, and a message is
// nothing without its private or non-private data.
TEST_CASE("random mixtures have messages that are passed by each sort of release, and taken by each sort of acquire") {
  std::set<std::pair<std::string, std::string>> ways;
  for (std::uint64_t seed = 0; seed < explore::kMixtures; ++seed) {
    const explore::ScriptedProgram program = explore::random_mixtures(seed);
    const auto way = [&](const explore::Script& script, bool (*orders)(MemorySemantics)) {
      Kinds kinds;
      for (const explore::Line& line : script)
        if (orders(line.operation.semantics)) kinds.insert(kind_of(line.operation).substr(0, 3));
      return kinds;
    };
    for (const std::string& release : way(program.scripts[0], [](MemorySemantics s) { return releases(s); }))
      for (const std::string& acquire : way(program.scripts[1], [](MemorySemantics s) { return acquires(s); }))
        ways.emplace(release, acquire);
  }
  for (const char* const release : {"st.", "rmw", "mem", "cba"})
    for (const char* const acquire : {"ld.", "rmw", "mem", "cba"}) {
      INFO(release << " to " << acquire);
      CHECK(ways.count({release, acquire}) == 1);
    }
}
