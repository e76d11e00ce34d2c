#include "tests/clauses.h"

namespace {

// The vocabulary and the judge: what the other engines cite is their affair.
const heddle::test::Clauses kClauses({"tests/model/anchors.txt",
                                      "vk",
                                      {"include", "emulator/model", "emulator/judge", "tests/model"},
                                      "anchor",
                                      "emulator/judge/ANCHORS.md"});

}  // namespace

TEST_CASE("every anchor of the specification has code and a test, or a written exception") {
  kClauses.each_is_cited();
}

TEST_CASE("no citation is of an anchor that the specification does not have") {
  kClauses.no_other_is_cited();
}

TEST_CASE("the table of anchors in emulator/judge/ANCHORS.md is what the sources say") {
  kClauses.table_is_true();
}
