#include <heddle/edit.h>

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

TEST_CASE("a file of edits may begin with a byte order mark") {
  const std::string text = "put-dependency memory before dispatch 1\n";
  CHECK(edits_from_text("\xef\xbb\xbf" + text).size() == 1);
}

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

TEST_CASE("an update in one line is typed as the atomic of its operator, and of no other object") {
  const std::string source =
      "  bins[key] += 2u;\n"
      "  mask |= 1u << me;\n"
      "  y[0] = y[0] * 3u;\n";
  const auto typed = [&](int line) {
    const std::string at = " in k.cpp:" + std::to_string(line) + "\n";
    return patch_of(edits_from_text("join Workgroup Relaxed at read" + at + "join Workgroup Relaxed at write" + at),
                    [&](const std::string&) { return std::optional(source); });
  };
  REQUIRE(typed(1).to_type.size() == 1);
  CHECK(typed(1).diff.empty());
  CHECK(typed(1).to_type[0] ==
        "in line 1 of k.cpp in place of `bins[key] += 2u;`: "
        "`inv.atomic_i_add(bins[key], Scope::Workgroup, MemorySemantics::Relaxed, 2u);` "
        "(of floats: atomic_f_add_ext)");
  REQUIRE(typed(2).to_type.size() == 1);
  CHECK_THAT(typed(2).to_type[0], Catch::Contains("`inv.atomic_or(mask, Scope::Workgroup, "
                                                  "MemorySemantics::Relaxed, 1u << me);`"));
  REQUIRE(typed(3).to_type.size() == 2);
  CHECK_THAT(typed(3).to_type[0], Catch::Contains("make the read in line 3 that of one atomic read-modify-write"));
}
