// Changes of a test as changes of its text.
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/litmus/vulkan/changes.h"
#include "emulator/litmus/vulkan/edits.h"
#include "emulator/litmus/vulkan/parser.h"
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
  const TestChanges changes =
      changes_without_race(test, {}, *found.race, [](const Operation& operation) { return operation.where.function; });
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
  CHECK(edits_between(kMessage, parsed(kMessage), changed));
}

TEST_CASE("tests that do not differ have no edits between them") {
  const auto edits = edits_between(kMessage, parsed(kMessage), parsed(kMessage));
  REQUIRE(edits);
  CHECK(edits->empty());
}
