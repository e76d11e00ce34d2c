// Edits of programs, made to litmus tests.
#include <heddle/edit.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/source_edits.h"
#include "emulator/litmus/vulkan/spelling.h"
#include "emulator/litmus/vulkan/test_edits.h"
#include "emulator/litmus/vulkan/test_weakenings.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

const std::string kMessage =
    "Vulkan MP\n{ x = 0; y = 0; }\n"
    " P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
    " st.nonpriv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0.semvis r0, y ;\n"
    " membar.rel.dv.semsc0.semav | LC00: ld.nonpriv.sc0 r1, x ;\n"
    " st.atom.dv.sc0 y, 1 # foo:a | beq r1, 7, LC00 ;\n"
    "filter (P1:r0 = 1)\nexists (P1:r1 = 0)\n";

const std::string kCalls =
    "Vulkan MP\n{ x = 0; y = 0; }\n"
    "P0@subgroup 0, workgroup 0, queueFamily 0 {\n  store(x, 1, NonPrivate);\n"
    "  memoryBarrier(Release, Device, UniformMemory | MakeAvailable);\n  atomicStore(y, 1, Relaxed, Device);\n}\n"
    "P1@subgroup 0, workgroup 1, queueFamily 0 {\n  r0 = atomicLoad(y, Acquire, Device, UniformMemory);\n"
    "  r1 = load(x, NonPrivate);\n}\nexists (P1:r1 = 0)\n";

const std::string kHost =
    "Vulkan upload\n{ x=0; y=0; noncoherent x; }\n"
    " H0@host      | B0@q 0, qf 0 | P0@sg 0, wg 0, qf 0 ;\n"
    " st x, 1      | dispatch P0  | ld.sc0 r0, x        ;\n"
    " submit B0, f |              |                     ;\n"
    "exists (P0:r0 == 0)\n";

EditedSource with(const std::string& source, const std::string& edits) {
  return edited_source(source, "tests/mp.litmus", edits_from_text(edits));
}

/// The text after the edits, of which each was made.
std::string made(const std::string& source, const std::string& edits) {
  const EditedSource out = with(source, edits);
  for (const std::string& reason : out.refused) UNSCOPED_INFO(reason);
  REQUIRE(out.text);
  REQUIRE(out.unmet.empty());
  return *out.text;
}

void check_has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("an edit of a litmus test changes the instruction of its line, its column or ordinal, and its kind") {
  check_has(made(kMessage, "add WorkgroupMemory at memory-barrier in mp.litmus:5"),
            " membar.rel.dv.semsc0.semsc1.semav | LC00: ld.nonpriv");
  check_has(made(kMessage, "give Release|UniformMemory|MakeAvailable at atomic-write in mp.litmus:6"),
            "st.atom.rel.dv.sc0.semsc0.semav y, 1 # foo:a |");
  check_has(made(kMessage, "scope Workgroup at atomic-read in mp.litmus:4"), "ld.atom.acq.wg.sc0.semsc0.semvis r0, y");
  check_has(made(kMessage, "make-atomic Device Relaxed at write in mp.litmus:4"), " st.atom.dv.sc0 x, 1 |");
  check_has(made(kMessage, "drop-operands NonPrivatePointer at read in mp.litmus:5"), "LC00: ld.sc0 r1, x ;");
  check_has(made(kMessage, "drop MakeVisible at atomic-read in mp.litmus:4:24"), "ld.atom.acq.dv.sc0.semsc0 r0, y");
  check_has(made(kMessage, "tags bar:b at write in mp.litmus:4"), "# bar:b");
  check_has(made(kMessage, "take-out at memory-barrier in mp.litmus:5"), "st.nonpriv.sc0 x, 1");
  CHECK(made(kMessage, "take-out at memory-barrier in mp.litmus:5").find("membar") == std::string::npos);
}

TEST_CASE("an edit that meets no instruction of a litmus test is told, and one that it has no words for says why") {
  const auto unmet = [](const std::string& edit) { return with(kMessage, edit).unmet.size(); };
  CHECK(unmet("add MakeAvailable at atomic-write in mp.litmus:5") == 1);
  CHECK(unmet("add MakeAvailable at memory-barrier in mp.litmus:5:9") == 1);
  CHECK(unmet("add MakeAvailable at memory-barrier in mp.litmus:5#2") == 1);
  CHECK(unmet("add MakeAvailable at memory-barrier in mp.litmus:5#1") == 0);
  const auto refused = [](const std::string& edit) {
    const EditedSource out = with(kMessage, edit);
    REQUIRE_FALSE(out.text);
    REQUIRE(out.refused.size() == 1);
    return out.refused.front();
  };
  CHECK(refused("give Release|UniformMemory at atomic-read in mp.litmus:4") ==
        "cannot give the atomic read in P1's `ld.atom.acq.dv.sc0.semsc0.semvis r0, y` (line 4) the semantics Release | "
        "UniformMemory: a load releases nothing");
  check_has(refused("give Acquire at atomic-read in mp.litmus:4"), "an order has a storage class");
  check_has(refused("take-out at write in mp.litmus:4"), "only a barrier can be taken out");
  check_has(refused("give Relaxed at memory-barrier in mp.litmus:5"), "a memory barrier has an order");
}

TEST_CASE("barriers are put in before and behind instructions, in both spellings, and jumps lead where they led") {
  const std::string behind =
      made(kMessage, "put-memory-barrier Device Acquire|UniformMemory|MakeVisible behind read in mp.litmus:5");
  check_has(behind, " | membar.acq.dv.semsc0.semvis ;");
  const std::string before =
      made(kMessage, "put-memory-barrier Device Acquire|UniformMemory|MakeVisible before read in mp.litmus:5");
  const VulkanParse parse = parse_vulkan(before);
  REQUIRE(parse.test);
  const std::vector<Instruction>& code = parse.test->threads[1].code;
  CHECK(code[1].kind == InstructionKind::Label);
  CHECK(code[2].kind == InstructionKind::MemoryBarrier);
  CHECK(code[4].target == 1);
  check_has(made(kMessage, "put-control-barrier Workgroup Workgroup kBufferBarrier before first in mp.litmus:4:2"),
            "cbar.acq_rel.wg.semsc0.semav.semvis 0 |");
  const std::string calls =
      "put-memory-barrier Device Acquire|UniformMemory|MakeVisible before read in mp.litmus:10\n"
      "add MakeVisible at atomic-read in mp.litmus:9\ntake-out at memory-barrier in mp.litmus:5\n";
  const std::string text = made(kCalls, calls);
  check_has(text, "  memoryBarrier(Acquire, Device, UniformMemory | MakeVisible);\n  r1 = load(x, NonPrivate);");
  check_has(text, "r0 = atomicLoad(y, Acquire, Device, UniformMemory | MakeVisible);");
  CHECK(text.find("Release") == std::string::npos);
}

TEST_CASE("calls and commands of a host test are put in, changed and taken out") {
  check_has(made(kHost, "put-call 'flush x' behind call in mp.litmus:4#1"), "\n flush x | | ;\n submit B0, f");
  check_has(made(kHost, "put-call 'flush x' before call in mp.litmus:4#1"), " ;\n flush x | | ;\n st x, 1");
  check_has(made(kHost, "call 'submit B0' at call in mp.litmus:5"), " submit B0 |");
  check_has(made(kHost, "put-call 'fill y, 3' before call in mp.litmus:4#2"), "\n | fill y, 3 | ;\n");
  CHECK(made(kHost, "take-out at call in mp.litmus:4#1").find("st x") == std::string::npos);
  CHECK(with(kHost, "put-call 'flush x' behind call in mp.litmus:6").unmet.size() == 1);
  const EditedSource wrong = with(kHost, "call 'submit B7' at call in mp.litmus:5");
  CHECK_FALSE(wrong.text);
  REQUIRE(wrong.refused.size() == 1);
  check_has(wrong.refused.front(), "what the edits make is no test: line 5: there is no batch 'B7'");
}

TEST_CASE("each ordering of a message is noticed when it is weakened, and one that nothing needs is equivalent") {
  const std::string source =
      "Vulkan MP\n{ x = 0; y = 0; }\n"
      " P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
      " st.nonpriv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0.semvis r0, y ;\n"
      " st.atom.rel.dv.sc0.semsc0.semav y, 1 | beq r0, 0, LC00 ;\n"
      "  | ld.nonpriv.sc0 r1, x ;\n  | LC00: membar.acq.dv.semsc0 ;\n~exists (P1:r0 = 1 /\\ P1:r1 = 0)\n";
  const VulkanParse parse = parse_vulkan(source);
  REQUIRE(parse.test);
  std::vector<WeakenedTest> all;
  weaken_each(*parse.test, {}, answer(*parse.test, {}), [&](const WeakenedTest& one) {
    all.push_back(one);
    return true;
  });
  CHECK(all.size() == weakenings_of(*parse.test).size());
  std::size_t noticed = 0;
  for (const WeakenedTest& one : all) {
    INFO(to_text(one.edit) << ": " << one.shown_by);
    const bool is_needed = one.edit.of != EditedKind::MemoryBarrier;
    CHECK(one.outcome == (is_needed ? WeakenedTest::Outcome::Noticed : WeakenedTest::Outcome::Equivalent));
    noticed += is_needed ? 1 : 0;
  }
  CHECK(noticed >= 8);
}

TEST_CASE("an ordering whose weaker form allows more than the assertion asks about is missed") {
  const std::string source =
      "Vulkan SB\n{ x = 0; y = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
      " st.atom.dv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0.semvis r0, y ;\n"
      " st.atom.rel.dv.sc0.semsc0.semav y, 1 | ld.atom.dv.sc0 r1, x ;\nexists (P1:r0 = 0 /\\ P1:r1 = 1)\n";
  const VulkanParse parse = parse_vulkan(source);
  REQUIRE(parse.test);
  std::size_t missed = 0;
  weaken_each(*parse.test, {}, answer(*parse.test, {}), [&](const WeakenedTest& one) {
    if (one.outcome != WeakenedTest::Outcome::Missed) return true;
    ++missed;
    CHECK(one.shown_by == "allowed now: P1:r0 = 1, P1:r1 = 0");
    return true;
  });
  CHECK(missed >= 2);
}
