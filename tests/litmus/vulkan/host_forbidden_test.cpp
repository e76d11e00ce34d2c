// Outcomes that no execution of a host test has, and what forbids them.
#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

#include "emulator/litmus/vulkan/forbidden.h"
#include "emulator/litmus/vulkan/parser.h"
#include "tests/how_many.h"
#include "tests/litmus/expectation.h"
#include "tests/litmus/vulkan/random_host.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

/// Something is uploaded, copied by a kernel, and read back.
const std::string kUpload = R"(Vulkan upload
{ x=0; y=0; noncoherent x; }
 H0@host      | B0@q 0, qf 0                            | P0@sg 0, wg 0, qf 0 ;
 st x, 1      | dispatch P0                             | ld.sc0 r0, x        ;
 flush x      | dep compute.shader_write host.host_read | st.sc0 y, r0        ;
 submit B0, f |                                         |                     ;
 wait f       |                                         |                     ;
 ld r0, y     |                                         |                     ;
)";

struct Counts {
  int by_axioms = 0;
  int complete = 0;
};

/// No candidate is consistent that ends as no execution does, unless a value comes out of thin air.
void check_forbidden(const std::string& source, Counts& counts) {
  INFO(source);
  const VulkanParse parse = parse_vulkan(source);
  if (!parse.test) return;
  Question question;
  question.limit = 2000;
  const Answer found = answer(*parse.test, question);
  if (!found.complete) return;
  const ForbiddenOutcomes forbidden = find_forbidden_outcomes(*parse.test, question, found);
  counts.complete += forbidden.complete ? 1 : 0;
  for (const ForbiddenOutcome& outcome : forbidden.outcomes) {
    // Copies may make a value its own source; and of an outcome that the test asks about there may be no candidate.
    CHECK((!outcome.closest || !outcome.violations.empty() || outcome.obstacle == Obstacle::ThinAir));
    counts.by_axioms += outcome.obstacle == Obstacle::Axioms ? 1 : 0;
  }
}

}  // namespace

TEST_CASE("an old value that a flush, a submission and a wait forbid has a candidate that breaks acyclicity alone") {
  const VulkanParse parse = parse_vulkan(kUpload + "exists (H0:r0 == 0)\n");
  REQUIRE(parse.test);
  const ForbiddenOutcomes found = find_forbidden_outcomes(*parse.test, {}, answer(*parse.test, {}));
  CHECK(found.complete);
  REQUIRE_FALSE(found.outcomes.empty());
  const ForbiddenOutcome& old = found.outcomes.front();
  CHECK(is_asked(*parse.test, old.values));
  REQUIRE(old.violations.size() == 1);
  CHECK(old.violations[0].axiom == judge::Axiom::Acyclicity);
}

TEST_CASE("of host tests no candidate that ends as no execution does is consistent") {
  Counts counts;
  for (const auto& file : std::filesystem::directory_iterator(std::string(HEDDLE_SOURCE_DIR) + "/tests/litmus/host"))
    if (file.path().extension() == ".litmus") check_forbidden(read_text(file.path().string()), counts);
  CHECK(counts.complete > 100);
  CHECK(counts.by_axioms > 50);
}

TEST_CASE("of random host tests no candidate that ends as no execution does is consistent") {
  Counts counts;
  const std::uint64_t tests = how_many("HEDDLE_HOST_TESTS", 100, 2000);
  for (std::uint64_t seed = 1; seed <= tests; ++seed) check_forbidden(random_host_test(seed), counts);
  CHECK(counts.by_axioms > 20);
}
