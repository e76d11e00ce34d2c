#include <catch2/catch.hpp>

#include "emulator/edits/source_patch.h"

#include <optional>
#include <string>

using namespace heddle;
using edits::patch_of;

namespace {

const std::string kSource =
    "constexpr auto kernel = [](auto& invocation, StorageBuffer<std::uint32_t> auto y) {\n"
    "  auto last = workgroup<std::uint32_t>(invocation, \"last\", kZeroed);\n"
    "  if (invocation.local_invocation_index() == 0)\n"
    "    last = 1u;\n"
    "  y[0] = last;\n"
    "  invocation.atomic_store(y[1], Scope::Device, MemorySemantics::Relaxed, 1u);\n"
    "  invocation.control_barrier(Scope::Subgroup, Scope::Subgroup, kWorkgroupBarrier);\n"
    "  invocation.memory_barrier(kScope, semantics);\n"
    "};\n";

edits::SourcePatch patched(const std::string& edits) {
  return patch_of(edits_from_text(edits),
                  [](const std::string& file) { return file == "k.cpp" ? std::optional(kSource) : std::nullopt; });
}

}  // namespace

TEST_CASE("a barrier is put on a line of its own, with the name and the indentation of the kernel") {
  const edits::SourcePatch patch =
      patched("put-control-barrier Workgroup Workgroup kWorkgroupBarrier before first in k.cpp:5");
  CHECK(patch.to_type.empty());
  CHECK(patch.diff ==
        "--- k.cpp\n+++ k.cpp\n@@ -2,7 +2,8 @@\n"
        "   auto last = workgroup<std::uint32_t>(invocation, \"last\", kZeroed);\n"
        "   if (invocation.local_invocation_index() == 0)\n"
        "     last = 1u;\n"
        "+  invocation.workgroup_barrier();\n"
        "   y[0] = last;\n"
        "   invocation.atomic_store(y[1], Scope::Device, MemorySemantics::Relaxed, 1u);\n"
        "   invocation.control_barrier(Scope::Subgroup, Scope::Subgroup, kWorkgroupBarrier);\n"
        "   invocation.memory_barrier(kScope, semantics);\n");
}

TEST_CASE("literal semantics and scopes are replaced, two edits of one line together") {
  const edits::SourcePatch patch = patched(
      "give kReleaseBuffers at atomic-write in k.cpp:6\nscope QueueFamily at atomic-write in k.cpp:6\n"
      "execution-scope Workgroup at control-barrier in k.cpp:7\nscope Workgroup at control-barrier in k.cpp:7\n");
  CHECK(patch.to_type.empty());
  CHECK_THAT(patch.diff,
             Catch::Contains("+  invocation.atomic_store(y[1], Scope::QueueFamily, kReleaseBuffers, 1u);\n"));
  CHECK_THAT(patch.diff, Catch::Contains("+  invocation.control_barrier(Scope::Workgroup, Scope::Workgroup, "
                                         "kWorkgroupBarrier);\n"));
}

TEST_CASE("what the words of the source do not say is to be typed, and so is a barrier in the middle of a statement") {
  for (const char* edit :
       {"give kReleaseBuffers at memory-barrier in k.cpp:8", "scope Device at memory-barrier in k.cpp:8",
        "put-control-barrier Workgroup Workgroup kWorkgroupBarrier behind write in k.cpp:4",
        "make-atomic Device Relaxed at write in k.cpp:5", "take-out at control-barrier in other.cpp:7",
        "take-out at control-barrier in k.cpp:70"}) {
    INFO(edit);
    const edits::SourcePatch patch = patched(edit);
    CHECK(patch.diff.empty());
    REQUIRE(patch.to_type.size() == 1);
    CHECK(patch.to_type[0] == sentence_of(edit_from_text(edit)));
  }
}
