#include <heddle/memory_policy.h>

#include <catch2/catch.hpp>

#include "emulator/spirv/run/run.h"
#include "tests/how_many.h"
#include "tests/spirv/message_passing.h"
#include "tests/spirv/run_module.h"

using namespace heddle::spirv;

namespace {

/// The step from one program to the next that takes about `wanted` of them.
std::size_t stride(std::size_t programs, std::uint64_t wanted) {
  if (wanted >= programs) return 1;
  std::size_t out = programs / wanted;
  // No multiple of 2, 3 or 5, which are the numbers of choices that programs are made of: each choice is met.
  while (out % 2 == 0 || out % 3 == 0 || out % 5 == 0) ++out;
  return out;
}

}  // namespace

TEST_CASE("values are handed on through every kind of memory, and by no weaker handshake", "[nightly]") {
  const std::vector<MessageProgram> programs = message_programs();
  const std::uint64_t wanted = heddle::how_many("HEDDLE_MESSAGE_PROGRAMS", 100, programs.size());
  for (std::size_t i = 0; i < programs.size(); i += stride(programs.size(), wanted)) {
    INFO(name_of(programs[i]) << '\n' << text_of(programs[i]));
    const Answer right = Ran(text_of(programs[i])).ask(true);
    CHECK(right.holds);
    CHECK_FALSE(right.racy);
    CHECK(right.complete);
    for (const MessageProgram& twin : weak_twins(programs[i])) {
      INFO(name_of(twin) << '\n' << text_of(twin));
      const Answer weak = Ran(text_of(twin)).ask(true);
      CHECK(weak.racy);
      // An overwritten value is not read early by what happens-before the write.
      if (twin.handing == Handing::Message) CHECK_FALSE(weak.holds);
    }
  }
}

TEST_CASE("values that are handed on arrive on every policy", "[nightly]") {
  const std::vector<MessageProgram> programs = message_programs();
  const std::uint64_t wanted = heddle::how_many("HEDDLE_MESSAGE_RUNS", 40, programs.size());
  for (std::size_t i = 0; i < programs.size(); i += stride(programs.size(), wanted)) {
    INFO(name_of(programs[i]));
    const Ran ran(text_of(programs[i]));
    for (const heddle::MemoryPolicy& policy : heddle::memory_policies()) {
      INFO("on " << policy.name);
      RunRequest request;
      request.policy = policy;
      request.runs = 20;
      request.judged = 2;
      const RunTotals totals = run(ran.analysis, ran.question, request);
      CHECK(totals.racy_runs == 0);
      CHECK(totals.inconsistent == 0);
      for (const HistogramRow& row : totals.histogram) CHECK(satisfies(*ran.question.condition, row.values));
    }
  }
}
