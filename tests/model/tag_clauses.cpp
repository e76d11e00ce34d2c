#include "tests/clauses.h"

namespace {

// Every engine has rules of its own.
const heddle::test::Clauses kClauses(
    {"tests/model/tag_clauses.txt", "mmra", {"include", "emulator", "tests"}, "clause", "emulator/model/CLAUSES.md"});

}  // namespace

TEST_CASE("every clause on relaxation tags has code and a test, or a written exception") {
  kClauses.each_is_cited();
}

TEST_CASE("no citation of the document on relaxation tags is of a clause that it does not have") {
  kClauses.no_other_is_cited();
}

TEST_CASE("the table of clauses in emulator/model/CLAUSES.md is what the sources say") {
  kClauses.table_is_true();
}
