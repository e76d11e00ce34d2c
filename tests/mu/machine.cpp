#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulator/litmus/c/answer.h"
#include "emulator/litmus/c/run.h"
#include "tests/how_many.h"
#include "tests/mu/brute_force.h"
#include "tests/mu/litmus_text.h"

using namespace heddle;
using namespace heddle::litmus;

namespace {

const std::string kDirectory = std::string(HEDDLE_SOURCE_DIR) + "/tests/mu/cases/";

std::string read_text(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> cases() {
  std::vector<std::string> out;
  for (const auto& [letter, count] : {std::pair{"c", 200}, {"mu", 100}})
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      out.push_back(std::string(letter) + '-' + std::string(3 - number.size(), '0') + number + ".litmus");
    }
  return out;
}

c::RunRequest request_of(const char* policy, std::uint64_t runs, std::uint64_t judged) {
  c::RunRequest request;
  request.policy = memory_policy(policy);
  request.runs = runs;
  request.judged = judged;
  return request;
}

std::set<c::Outcome> outcomes_of(const c::Answer& answer) {
  std::set<c::Outcome> out;
  for (const c::OutcomeRow& row : answer.outcomes) out.insert(row.values);
  return out;
}

/// A random program of futexes, stacks, bundles, traps, threads that are created, and dependencies of CONSUME loads.
std::string random_extension(std::uint64_t seed) {
  SeededChoice choice(seed);
  const auto below = [&](std::uint32_t bound) { return choice.below(bound, ChoicePoint::Memory); };
  const auto location = [&] { return std::string(below(3) == 0 ? "y" : "x"); };
  std::string out = "Mu extension\n{}\n";
  const std::uint32_t threads = 2 + below(2);
  const bool creates = below(3) == 0;
  for (std::uint32_t t = 0; t < threads; ++t) {
    int registers = 0;
    const auto fresh = [&] { return "int r" + std::to_string(registers++) + " = "; };
    out += "P" + std::to_string(t) + " (int* x, int* y, int* z, int* f, int* g) {\n";
    const std::uint32_t operations = 1 + below(threads == 2 ? 3 : 2);
    if (creates && t == 0) out += "  *z = 1;\n  new_thread(P" + std::to_string(threads - 1) + ");\n";
    for (std::uint32_t i = 0; i < operations; ++i) {
      switch (below(11)) {
        case 0:
          out += "  " + fresh() + "futex_wait(" + location() + ", 0);\n";
          break;
        case 1:
          out += "  " + fresh() + "futex_wait_timeout(" + location() + ", " + std::to_string(below(2)) + ");\n";
          break;
        case 2:
          out += "  " + fresh() + "futex_wake(" + location() + ", " + std::to_string(1 + below(2)) + ");\n";
          break;
        case 3:
          out += "  " + fresh() + "futex_cmp_requeue(x, y, " + std::to_string(below(2)) + ", 1);\n";
          break;
        case 4:
          out += "  atomic_store_explicit(" + location() + ", 1, RELEASE);\n";
          break;
        case 5:
          out += "  atomic_store_explicit(" + location() + ", 2, RELAXED);\n";
          break;
        case 6: {
          const std::string loaded = "r" + std::to_string(registers);
          out += "  " + fresh() + "atomic_load_explicit(" + location() + ", CONSUME);\n";
          out += "  " + fresh() + "*(z + (" + loaded + " - " + loaded + "));\n";
          break;
        }
        case 7:
          out += below(2) == 0 ? "  define(f, 1, g, 1);\n" : "  define(g, 2, f, 2);\n";
          break;
        case 8:
          out += "  " + fresh() + "call(f);\n  " + fresh() + "call(g);\n";
          break;
        case 9:
          out += below(2) == 0 ? "  bind(s);\n  trap { atomic_store_explicit(x, 3, RELEASE); }\n  unbind(s);\n"
                               : "  " + fresh() + "atomic_load_explicit(x, ACQUIRE);\n  swap_stack(s);\n";
          break;
        default:
          out += "  *z = " + std::to_string(2 + below(2)) + ";\n";
      }
    }
    out += "}\n";
  }
  return out + "exists (x=1 /\\ y=0 /\\ f=1 /\\ g=2)\n";
}

/// Fails where a run is not allowed, or judge and detector disagree; returns the outcomes that runs had.
std::set<c::Outcome> check_sound(const c::Test& test, const c::RunRequest& request, const c::Answer& answer) {
  const c::RunTotals totals = c::run(test, request);
  INFO("first inconsistent run " << totals.inconsistent.first.value_or(0) << ", first disagreement "
                                 << totals.disagreements.first.value_or(0));
  CHECK(totals.inconsistent.count == 0);
  CHECK(totals.disagreements.count == 0);
  const std::set<c::Outcome> allowed = outcomes_of(answer);
  std::set<c::Outcome> seen;
  for (const c::HistogramRow& row : totals.histogram) {
    CHECK(allowed.count(row.values) == 1);
    seen.insert(row.values);
  }
  for (std::size_t kind = 0; kind < totals.undefined.size(); ++kind)
    if (totals.undefined[kind].count > 0) CHECK(answer.undefined.count(static_cast<mu::Undefined>(kind)) == 1);
  return seen;
}

}  // namespace

TEST_CASE("the weak machine reaches nine tenths of the outcomes of the cases, and none that is forbidden") {
  std::size_t allowed = 0;
  std::size_t reached = 0;
  for (const std::string& file : cases()) {
    INFO(file);
    const c::Parse parse = c::parse(read_text(kDirectory + file));
    REQUIRE(parse.test);
    const c::Answer answer = c::answer(*parse.test, {});
    const std::set<c::Outcome> seen =
        check_sound(*parse.test, request_of("random", how_many("HEDDLE_MU_RUNS", 2000, 50000), 100), answer);
    allowed += answer.outcomes.size();
    reached += seen.size();
  }
  INFO(reached << " of " << allowed << " outcomes");
  CHECK(reached * 10 >= allowed * 9);
}

TEST_CASE("every run of random programs of host threads is one that the judge allows, under every policy",
          "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_MU_MACHINE_PROGRAMS", 300, 5000);
  for (std::uint64_t i = 0; i < programs; ++i) {
    const std::string source = random_test(first_seed() + i);
    INFO(source);
    const c::Parse parse = c::parse(source);
    REQUIRE(parse.test);
    const c::Answer answer = c::answer(*parse.test, {});
    for (const MemoryPolicy& policy : memory_policies()) {
      INFO(policy.name);
      check_sound(*parse.test, request_of(policy.name.data(), 20, 20), answer);
    }
  }
}

TEST_CASE("every run of random programs of futexes, stacks, bundles and threads is one that the judge allows",
          "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_MU_EXTENSION_PROGRAMS", 200, 5000);
  for (std::uint64_t i = 0; i < programs; ++i) {
    const std::string source = random_extension(first_seed() + i);
    INFO(source);
    const c::Parse parse = c::parse(source);
    REQUIRE(parse.test);
    const c::Answer answer = c::answer(*parse.test, {});
    for (const char* policy : {"random", "adversarial", "sequential"})
      check_sound(*parse.test, request_of(policy, 20, 20), answer);
  }
}

TEST_CASE("the machine reorders loads and stores as far as the model does, and no policy that is sequential does") {
  const std::pair<const char*, const char*> shapes[] = {
      {"P0 (int* x, int* y) { int r0 = atomic_load_explicit(x, RELAXED); atomic_store_explicit(y, 1, RELAXED); }\n"
       "P1 (int* x, int* y) { int r0 = atomic_load_explicit(y, RELAXED); atomic_store_explicit(x, 1, RELAXED); }\n",
       "0:r0=1 /\\ 1:r0=1"},
      {"P0 (int* x, int* y) { atomic_store_explicit(x, 1, RELAXED); atomic_store_explicit(y, 2, RELAXED); }\n"
       "P1 (int* x, int* y) { atomic_store_explicit(y, 1, RELAXED); atomic_store_explicit(x, 2, RELAXED); }\n",
       "x=1 /\\ y=1"},
      {"P0 (int* x, int* y) { atomic_store_explicit(x, 1, RELAXED); atomic_store_explicit(y, 1, RELAXED); }\n"
       "P1 (int* x, int* y) { int r0 = atomic_load_explicit(y, RELAXED); int r1 = atomic_load_explicit(x, RELAXED); "
       "}\n",
       "1:r0=1 /\\ 1:r1=0"}};
  for (const auto& [threads, condition] : shapes) {
    const c::Parse parse = c::parse("Mu shape\n{}\n" + std::string(threads) + "exists (" + condition + ")\n");
    REQUIRE(parse.test);
    for (const char* policy : {"random", "sequential"}) {
      INFO(threads << policy);
      bool reached = false;
      for (const c::HistogramRow& row : c::run(*parse.test, request_of(policy, 3000, 0)).histogram)
        reached = reached || satisfies(row.values, *parse.test->assertion);
      CHECK(reached == (policy == std::string("random")));
    }
  }
}
