#include "tests/clauses.h"

namespace {

// Vocabulary, judge and explorer.
const heddle::test::Clauses kClauses(
    {"tests/mu/anchors.txt", "mu", {"include", "emulator/mu", "tests/mu"}, "clause", "emulator/mu/CLAUSES.md"});

}  // namespace

TEST_CASE("every clause of Mu's memory model has code and a test, or a written exception") {
  kClauses.each_is_cited();
}

TEST_CASE("no citation of Mu's memory model is of a clause that it does not have") {
  kClauses.no_other_is_cited();
}

TEST_CASE("the table of clauses in emulator/mu/CLAUSES.md is what the sources say") {
  kClauses.table_is_true();
}
