#include "tests/clauses.h"

namespace {

// Judge, machine and detector have rules of their own.
const heddle::test::Clauses kClauses({"tests/model/host_clauses.txt",
                                      "sync",
                                      {"include", "emulator", "tests"},
                                      "clause",
                                      "emulator/model/HOST_CLAUSES.md"});

}  // namespace

TEST_CASE("every clause on the host's side has code and a test, or a written exception") {
  kClauses.each_is_cited();
}

TEST_CASE("no citation of the chapters on the host's side is of a clause that is not listed") {
  kClauses.no_other_is_cited();
}

TEST_CASE("the table of clauses in emulator/model/HOST_CLAUSES.md is what the sources say") {
  kClauses.table_is_true();
}
