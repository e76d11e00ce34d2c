// `heddle litmus --edits`, and `heddle mutate` of litmus tests.
#include <catch2/catch.hpp>

#include <string>

#include "tests/cli/run_heddle.h"

using namespace heddle::cli;

namespace {

const std::string kRacy =
    "Vulkan MP\n{ x = 0; y = 0; }\n P0@sg 0, wg 0, qf 0 | P1@sg 0, wg 1, qf 0 ;\n"
    " st.nonpriv.sc0 x, 1 | ld.atom.acq.dv.sc0.semsc0.semvis r0, y ;\n"
    " st.atom.rel.dv.sc0.semsc0 y, 1 | ld.nonpriv.sc0 r1, x ;\nfilter (P1:r0 == 1)\n~exists (P1:r1 == 0)\n";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A test, and edits of it.
struct Files {
  explicit Files(const std::string& edits)
      : test(directory.write("mp.litmus", kRacy)), list(directory.write("mend.txt", edits)) {}

  TemporaryDirectory directory;
  std::string test;
  std::string list;
};

}  // namespace

TEST_CASE("a racy litmus test has no race with the edits that mend it, and is printed with them in both spellings") {
  const Files files("# what --why says\nadd MakeAvailable at atomic-write in mp.litmus:5\n");
  CHECK(run_heddle({"litmus", "--verdict", files.test}).exit_code == 1);
  const Run mended = run_heddle({"litmus", "--edits", files.list, files.test});
  CHECK(mended.exit_code == 0);
  CHECK(has(mended.out, "There is no data race."));
  CHECK(has(mended.out, "st.atom.rel.dv.sc0.semsc0.semav y, 1"));
  const Run printed = run_heddle({"litmus", "--edits", files.list, "--print-changed", files.test});
  CHECK(printed.exit_code == 0);
  std::string expected = kRacy;
  expected.replace(expected.find("semsc0 y"), 8, "semsc0.semav y");
  CHECK(printed.out == expected);
  const Run calls = run_heddle({"litmus", "--edits", files.list, "--spelling", "calls", files.test});
  CHECK(has(calls.out, "atomicStore(y, 1, Release, Device, UniformMemory | MakeAvailable);"));
}

TEST_CASE("an edit that meets no instruction of the files, or that none can have, is bad input that names it") {
  const Files unmet("add MakeAvailable at atomic-write in mp.litmus:4\n");
  const Run first = run_heddle({"litmus", "--edits", unmet.list, unmet.test});
  CHECK(first.exit_code == 2);
  CHECK(has(first.err, "the edit 'add MakeAvailable at atomic-write in mp.litmus:4' meets no instruction"));
  const Files refused("give Release|UniformMemory at atomic-read in mp.litmus:4\n");
  const Run second = run_heddle({"litmus", "--edits", refused.list, refused.test});
  CHECK(second.exit_code == 2);
  CHECK(has(second.err, "a load releases nothing"));
  const Files wrong("\ngiv Release at atomic-read in mp.litmus:4\n");
  const Run third = run_heddle({"litmus", "--edits", wrong.list, wrong.test});
  CHECK(third.exit_code == 2);
  CHECK(has(third.err, "line 2: 'giv' is no verb of an edit"));
}

TEST_CASE("mutation of a litmus test prints each ordering by its line, and whether the test notices it") {
  const TemporaryDirectory directory;
  std::string right = kRacy;
  right.replace(right.find("semsc0 y"), 8, "semsc0.semav y");
  const Run run = run_heddle({"mutate", directory.write("mp.litmus", right)});
  CHECK(run.exit_code == 0);
  CHECK(has(run.out, "mp.litmus:5\n      5 |  st.atom.rel.dv.sc0.semsc0.semav y, 1 |"));
  CHECK(has(run.out,
            "  noticed     drop MakeAvailable from the atomic write in P0's `st.atom.rel.dv.sc0.semsc0.semav y, "
            "1` (line 5) (P0's `st.nonpriv.sc0 x, 1` (line 4) races with P1's"));
  CHECK(has(run.out, "weakened orderings that matter are noticed; 0 more are equivalent"));
  const Run none = run_heddle({"mutate", directory.write("c.litmus", "C t\n{ }\nP0 () { }\n")});
  CHECK(none.exit_code == 2);
  CHECK(has(none.err, "c.litmus:1"));
}
