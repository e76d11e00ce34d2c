// What is right is proven by all executions of its smallest size; what is planted is refuted by one of them.
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/executions/on_machine.h"
#include "tests/field/field.h"
#include "tests/how_many.h"

namespace heddle::field {
namespace {

/// Eight invocations with four rounds each have more executions than 10 s are enough for.
bool is_too_large(const Case& one) {
  return one.name.rfind("persistent", 0) == 0;
}

/// A refutation needs few executions.
constexpr std::uint64_t kRefuting = 500;

KernelExecutions executions_of(const Case& one) {
  KernelBounds bounds;
  bounds.time = Milliseconds(10000);
  bounds.operations = 60;
  if (!one.right) bounds.executions = kRefuting;
  return explore_kernel(one.dispatched.explored, bounds);
}

bool is_right(const KernelExecutions& found) {
  return found.races.empty() && std::all_of(found.outcomes.begin(), found.outcomes.end(), [&](const auto& row) {
           const std::size_t at = found.index_of("out[0]");
           return at != row.size() && row[at] == 1;
         });
}

/// With HEDDLE_FIELD_PRINT=1 in the environment.
void tell(const Case& one, const KernelExecutions& found) {
  if (std::getenv("HEDDLE_FIELD_PRINT") != nullptr)
    std::printf("%s: %s %s\n", one.name.c_str(), is_right(found) ? "right." : "wrong.", found.proof().c_str());
}

}  // namespace

TEST_CASE("kernels of the field are proven right by all their executions") {
  for (const Case& one : cases(true)) {
    if (is_too_large(one)) continue;
    const KernelExecutions found = executions_of(one);
    tell(one, found);
    INFO(one.name << ": " << found.proof());
    CHECK(found.complete);
    CHECK(found.executions > 0);
    CHECK(is_right(found));
  }
}

TEST_CASE("kernels of the field in which something is planted are refuted by one of their executions") {
  for (const Case& one : cases(false)) {
    if (is_too_large(one)) continue;
    const KernelExecutions found = executions_of(one);
    tell(one, found);
    INFO(one.name << ": " << found.proof());
    CHECK_FALSE(is_right(found));
  }
}

TEST_CASE("what refutes a kernel of the field comes about on the machine as well, and replays") {
  const std::vector<Case> all = cases(false);
  const std::size_t wanted = how_many("HEDDLE_FIELD_REPLAYED", 8, all.size());
  for (std::size_t i = 0; i < all.size(); i += std::max<std::size_t>(1, all.size() / wanted)) {
    const Case& one = all[i];
    if (is_too_large(one)) continue;
    const KernelExecutions found = executions_of(one);
    INFO(one.name << ": " << found.proof());
    const auto refutes = [&](const KernelExecutions& run) {
      if (found.races.empty()) return !is_right(run);
      return std::any_of(found.races.begin(), found.races.end(),
                         [&](const KernelRace& race) { return shows_race(race)(run); });
    };
    const OnMachine seen = on_machine(one.dispatched.explored, refutes);
    CHECK(seen.first == kSeen);
    CHECK(seen.again == kSeen);
  }
}

}  // namespace heddle::field
