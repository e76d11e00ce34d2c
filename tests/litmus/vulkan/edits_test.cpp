// Changes of a test as changes of its text.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/changes.h"
#include "emulator/litmus/vulkan/edits.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/spelling.h"
#include "tests/litmus/expectation.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

Test parsed(const std::string& source) {
  VulkanParse parse = parse_vulkan(source);
  REQUIRE(parse.test);
  return std::move(*parse.test);
}

Answer answered(const Test& test) {
  Question question;
  question.keep_examples = true;
  return answer(test, question);
}

const std::string kMessage =
    "Vulkan MP\r\n{ x = 0; y = 0; }\r\n"
    " P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\r\n"
    " st.nonpriv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0.semvis r0, y ;\r\n"
    " st.atom.rel.dv.sc0.semsc0 y, 1 | ld.nonpriv.sc0 r1, x ;\r\n"
    "filter (P1:r0 = 1)\r\nexists (P1:r1 = 0)\r\n";

}  // namespace

TEST_CASE("an instruction of the library is spelled as it was written") {
  std::size_t spelled = 0;
  for (const LibraryFile& file : read_library()) {
    CAPTURE(file.path);
    for (const Thread& thread : parsed(file.source).threads) {
      for (const Instruction& instruction : thread.code) {
        const auto tags = spell_tags(instruction);
        if (!tags) continue;
        ++spelled;
        CHECK(instruction.text.substr(0, std::min(instruction.text.find(' '), instruction.text.size())) == *tags);
      }
    }
  }
  CHECK(spelled > 2000);
}

TEST_CASE("the best change of a racy test is an edit of its text, and with it there is no race") {
  const Test test = parsed(kMessage);
  const Answer found = answered(test);
  REQUIRE(found.race);
  const TestChanges changes = changes_without_race(test, {}, *found.race);
  REQUIRE_FALSE(changes.changes.empty());
  const auto edits = edits_between(kMessage, test, changes.changes.front().changed);
  REQUIRE(edits);
  REQUIRE(edits->size() == 1);
  CHECK(edits->front().place == Place{5, 2});
  CHECK(edits->front().old_text == "st.atom.rel.dv.sc0.semsc0");
  CHECK(edits->front().new_text == "st.atom.rel.dv.sc0.semsc0.semav");
  CHECK_FALSE(answered(parsed(edited(kMessage, *edits))).racy);
}

TEST_CASE("a change that is written with blanks between the tags has no edits") {
  std::string spaced = kMessage;
  spaced.replace(spaced.find("st.atom.rel"), 11, "st . atom.rel");
  const Test test = parsed(spaced);
  Test changed = test;
  changed.threads[0].code[1].operation.semantics |= MemorySemantics::MakeAvailable;
  CHECK_FALSE(edits_between(spaced, test, changed));
  Test straight = parsed(kMessage);
  straight.threads[0].code[1].operation.semantics |= MemorySemantics::MakeAvailable;
  CHECK(edits_between(kMessage, parsed(kMessage), straight));
}

TEST_CASE("tests that do not differ have no edits between them") {
  const auto edits = edits_between(kMessage, parsed(kMessage), parsed(kMessage));
  REQUIRE(edits);
  CHECK(edits->empty());
}

TEST_CASE("a memory barrier that a change puts in is a row of its own, and with it there is no race") {
  // The relay loops until it has seen the flag: its jump goes on to lead where it led. The barrier has tags of both
  // kinds.
  for (const std::string ending : {" ;", "; (* the last row *)"}) {
    const std::string relay =
        "Vulkan Relay\n{ x=0; f=0; g=0; }\n"
        " P0@sg 0, wg 0, qf 0 | P1@sg 1, wg 0, qf 0 | P2@sg 0, wg 1, qf 0 ;\n"
        " st.nonpriv.sc0 x, 1 | LC00: | ld.atom.acq.dv.sc0.semsc0.semvis r0, g ;\n"
        " st.atom.rel.wg.sc0.semsc0.semav f, 1 | ld.atom.wg.sc0 r0, f | beq r0, 0, LC01 ;\n"
        "  | membar.acq_rel.dv.semsc0.semav # foo:a | ld.nonpriv.sc0 r1, x" +
        ending +
        "\n"
        "  | beq r0, 0, LC00 | LC01: ;\n"
        "  | st.atom.dv.sc0 g, 1 | ;\nexists (P2:r1 == 0)\n";
    const Test test = parsed(relay);
    const Answer found = answered(test);
    REQUIRE(found.race);
    const TestChanges changes = changes_without_race(test, {}, *found.race);
    REQUIRE_FALSE(changes.changes.empty());
    const auto second = std::find_if(changes.changes.begin(), changes.changes.end(), [](const TestChange& change) {
      return change.text.find(
                 "put a memory barrier, (Scope::Device, AcquireRelease | UniformMemory | MakeAvailable), behind") == 0;
    });
    REQUIRE(second != changes.changes.end());
    const auto edits = edits_between(relay, test, second->changed);
    REQUIRE(edits);
    REQUIRE(edits->size() == 1);
    CHECK(edits->front().old_text == "");
    CHECK(edits->front().new_text == "\n | membar.acq_rel.dv.semsc0.semav | ;");
    const Test mended = parsed(edited(relay, *edits));
    CHECK(mended.threads[1].code[4].kind == InstructionKind::Branch);
    CHECK(mended.threads[1].code[4].target == 0);
    CHECK_FALSE(answered(mended).racy);
  }
}
