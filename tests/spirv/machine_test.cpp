#include <heddle/memory_policy.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "emulator/spirv/run/run.h"
#include "tests/spirv/run_module.h"

using namespace heddle::spirv;

TEST_CASE("what the machine does with a module, the memory model allows, on every policy") {
  for (const char* name : {"mp-right", "mp-scope", "mp-private", "coherent-fence", "plain-fence", "race-shared",
                           "barrier-bulk", "add", "compare-exchange", "spin", "structs"}) {
    const Ran ran(text_of("cases/" + std::string(name) + ".spvasm"));
    const Answer allowed = ran.ask(false);
    for (const heddle::MemoryPolicy& policy : heddle::memory_policies()) {
      INFO(name << " on " << policy.name);
      RunRequest request;
      request.policy = policy;
      request.runs = 100;
      request.judged = 10;
      const RunTotals totals = run(ran.analysis, ran.question, request);
      CHECK(totals.runs == 100);
      CHECK(totals.inconsistent == 0);
      if (!allowed.racy) CHECK(totals.racy_runs == 0);
      for (const HistogramRow& row : totals.histogram)
        CHECK(std::any_of(allowed.rows.begin(), allowed.rows.end(),
                          [&](const Row& each) { return each.values == row.values; }));
    }
  }
}

TEST_CASE("a race of a module is seen on the machine") {
  const Ran ran(text_of("cases/race-shared.spvasm"));
  RunRequest request;
  request.policy = heddle::memory_policy("random");
  request.runs = 50;
  CHECK(run(ran.analysis, ran.question, request).racy_runs == 50);
}
