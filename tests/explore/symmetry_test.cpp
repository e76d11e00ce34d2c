#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/explore/brute_force.h"
#include "tests/explore/script.h"
#include "tests/how_many.h"

using namespace heddle;
using namespace heddle::explore;

namespace {

/// Programs that take more are not compared.
constexpr std::uint64_t kMostGraphs = 1000;

/// By agent: whose place it takes.
using Exchange = std::vector<std::size_t>;

struct WithEquals {
  ScriptedProgram scripts;
  /// So many agents, from the first on, have one script.
  std::size_t equals = 0;
};

/// A random program some of whose agents stand in places that can often be exchanged.
WithEquals with_equals(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random); };
  const std::size_t lines = 2 + below(4);
  ScriptedProgram out = below(3) == 0   ? random_values(seed, lines)
                        : below(3) == 0 ? random_messages(seed, lines)
                                        : random_program(seed, lines);
  out.system_synchronization.clear();
  const std::size_t kept = 1 + below(2);
  out.scripts.resize(kept);
  if (out.scripts[0].size() > 3) out.scripts[0].resize(3);
  const std::size_t equals = (out.scripts[0].size() <= 2 ? 3 : 2) - (kept - 1) + below(2);
  out.scripts.insert(out.scripts.begin(), equals - 1, out.scripts.front());
  out.places.assign(out.scripts.size(), {});
  const std::uint32_t spread = below(4);
  for (std::size_t i = 0; i < out.places.size(); ++i) {
    if (spread == 0) out.places[i].workgroup = static_cast<std::uint32_t>(i);
    if (spread == 1) out.places[i].workgroup = below(2);
    if (spread == 2) out.places[i].subgroup = below(2);
  }
  // All come, or wait for ever: in a script that is cut short the barrier may be missing.
  for (Script& script : out.scripts)
    for (Line& line : script)
      if (!line.participants.empty()) {
        line.participants.clear();
        for (std::size_t a = 0; a < out.scripts.size(); ++a) line.participants.push_back(static_cast<AgentId>(a));
      }
  return {std::move(out), equals};
}

std::string text_of(const Script& script) {
  ScriptedProgram alone;
  alone.scripts = {script};
  alone.places.resize(1);
  return describe(alone);
}

/// All ways to exchange agents that leave the program as it is. A script that is no copy may happen to be equal.
std::vector<Exchange> exchanges(const ScriptedProgram& scripts) {
  std::vector<std::string> texts;
  for (const Script& script : scripts.scripts) texts.push_back(text_of(script));
  Exchange exchange(scripts.scripts.size());
  std::iota(exchange.begin(), exchange.end(), 0);
  std::vector<Exchange> out;
  do {
    bool keeps = true;
    for (std::size_t a = 0; a < exchange.size(); ++a) keeps = keeps && texts[exchange[a]] == texts[a];
    for (std::size_t a = 0; a < exchange.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        for (const Scope scope : {Scope::Workgroup, Scope::Subgroup})
          keeps = keeps && same_instance(scripts.places[a], scripts.places[b], scope) ==
                               same_instance(scripts.places[exchange[a]], scripts.places[exchange[b]], scope);
    if (keeps) out.push_back(exchange);
  } while (std::next_permutation(exchange.begin(), exchange.end()));
  return out;
}

/// What all executions that differ in exchanges alone have in common.
std::string common_signature(const model::Execution& execution, const std::vector<AgentEnd>& ends,
                             const std::vector<Exchange>& exchanges) {
  std::string least;
  for (const Exchange& exchange : exchanges) {
    model::Execution other = execution;
    for (Operation& op : other.operations) op.agent = static_cast<AgentId>(exchange[position(op.agent)]);
    std::vector<AgentEnd> others(ends.size());
    for (std::size_t a = 0; a < ends.size(); ++a) others[exchange[a]] = ends[a];
    const std::string text = signature(other, others);
    if (least.empty() || text < least) least = text;
  }
  return least;
}

struct Class {
  bool racy = false;
  double executions = 0;
};
using Classes = std::map<std::string, Class>;

struct Explored {
  Classes classes;
  Statistics statistics;
};

Explored explored_classes(const Program& program, const Options& options, const std::vector<Exchange>& exchanges) {
  Explored out;
  out.statistics = explore::explore(program, options, [&](const Found& found) {
    Class& one = out.classes[common_signature(found.execution, found.ends, exchanges)];
    one.racy = found.judgement.racy();
    one.executions += found.stands_for;
    return true;
  });
  return out;
}

std::string text_of(const Classes& classes) {
  std::string out;
  for (const auto& [text, one] : classes)
    out += std::to_string(std::llround(one.executions * 1000)) + (one.racy ? " racy\n" : "\n") + text;
  return out;
}

/// How many fewer executions were handed over.
std::uint64_t compare(const WithEquals& with_equals, const Program& program, const Options& options) {
  const ScriptedProgram& scripts = with_equals.scripts;
  const std::vector<Exchange> all = exchanges(scripts);
  Options limited = options;
  limited.graph_limit = kMostGraphs;
  const Explored expected = explored_classes(program, limited, all);
  if (expected.statistics.graphs > kMostGraphs) return 0;
  Options up_to_symmetry = options;
  up_to_symmetry.up_to_symmetry = true;
  const Explored found = explored_classes(program, up_to_symmetry, all);
  INFO("all:\n" << text_of(expected.classes) << "up to symmetry:\n" << text_of(found.classes));
  INFO(describe(scripts));
  REQUIRE(text_of(found.classes) == text_of(expected.classes));
  REQUIRE(found.statistics.executions == expected.statistics.executions);
  REQUIRE(found.statistics.blocked == expected.statistics.blocked);
  REQUIRE(found.statistics.complete == expected.statistics.complete);
  REQUIRE(found.statistics.found <= expected.statistics.found);
  return expected.statistics.found - found.statistics.found;
}

/// The program with agents that tell what they may do, and who is alike.
Program telling_program(WithEquals& with_equals) {
  Program out = with_equals.scripts.telling_program();
  for (std::size_t a = 0; a < with_equals.equals; ++a) out.agents[a].alike = 1;
  return out;
}

Line addition() {
  Line line;
  line.operation.kind = OperationKind::ReadModifyWrite;
  line.operation.atomic = true;
  line.operation.scope = Scope::Device;
  line.operation.locations = {AllocationId{0}, 0, 4};
  line.constant = 1;
  return line;
}

}  // namespace

TEST_CASE("up to symmetry each class of executions is found, with its number", "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_RANDOM_PROGRAMS", 600, 200000);
  std::uint64_t fewer = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + programs; ++seed) {
    INFO("seed " << seed);
    const WithEquals program = with_equals(seed);
    fewer += compare(program, program.scripts.program(), {}) > 0 ? 1 : 0;
  }
  CHECK(fewer > programs / 8);
}

TEST_CASE("up to symmetry each class of agents that tell what they may do is found, with its number", "[nightly]") {
  const std::uint64_t programs = how_many("HEDDLE_RANDOM_PROGRAMS", 300, 100000);
  std::uint64_t fewer = 0;
  for (std::uint64_t seed = first_seed() + 1000000; seed < first_seed() + 1000000 + programs; ++seed) {
    INFO("seed " << seed);
    WithEquals program = with_equals(seed);
    fewer += compare(program, telling_program(program), {}) > 0 ? 1 : 0;
  }
  CHECK(fewer > programs / 8);
}

TEST_CASE("of additions of many agents one order stands for all", "[nightly]") {
  WithEquals nine;
  nine.equals = 9;
  nine.scripts.scripts.assign(9, {addition()});
  nine.scripts.places.resize(9);
  const Program program = telling_program(nine);
  Options options;
  options.up_to_symmetry = true;
  std::uint64_t calls = 0;
  const Statistics found = explore::explore(program, options, [&](const Found&) { return ++calls != 0; });
  CHECK(found.executions == 362880);
  CHECK(calls == 1);
  CHECK(found.found == 1);
  CHECK(found.complete);
}
