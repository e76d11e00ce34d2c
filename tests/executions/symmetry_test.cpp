#include <heddle/explore_kernel.h>

#include <catch2/catch.hpp>

#include "tests/executions/known_kernels.h"

using namespace heddle;

namespace {

template <typename Kernel>
KernelExecutions explored(const Kernel& kernel, std::uint32_t groups, bool symmetry) {
  KernelBounds bounds;
  bounds.symmetry = symmetry;
  return known::explored(kernel, groups, 1, bounds);
}

constexpr auto kCounts = [](auto&, auto x, auto) { x.non_private()[0] = x.non_private()[0] + 1; };
constexpr auto kAdds = [](auto& inv, auto x, auto) { inv.atomic_i_add(x[0], Scope::Device, known::kRelaxed, 1u); };
/// The last one tells who it is.
constexpr auto kAddsAndTells = [](auto& inv, auto x, auto out) {
  if (inv.atomic_i_add(x[0], Scope::Device, known::kRelaxed, 1u) == 2) out[0] = inv.workgroup_id().x;
};

}  // namespace

TEST_CASE("nine invocations that do the same are explored in all their executions") {
  const KernelExecutions added = explored(kAdds, 9, true);
  CHECK(added.complete);
  CHECK(added.executions == 362880);
  CHECK(added.is_race_free());
  CHECK(added.outcomes.size() == 1);
  // Each reads 0 or what another wrote, and nobody what comes of its own: the trees of ten vertices.
  const KernelExecutions counted = explored(kCounts, 9, true);
  CHECK(counted.complete);
  CHECK(counted.executions == 100000000);
  CHECK_FALSE(counted.is_race_free());
  CHECK(counted.outcomes.size() == 9);
}

TEST_CASE("what is found of invocations that do the same is found without their symmetry") {
  const auto compare = [](const auto& kernel, std::uint32_t groups) {
    const KernelExecutions found = explored(kernel, groups, true);
    const KernelExecutions expected = explored(kernel, groups, false);
    CHECK(found.complete);
    CHECK(found.executions == expected.executions);
    CHECK(found.outcomes == expected.outcomes);
    CHECK(found.races.size() == expected.races.size());
    return found.executions;
  };
  CHECK(compare(kAdds, 4) == 24);
  CHECK(compare(kCounts, 4) == 125);
  CHECK(compare(kAddsAndTells, 3) == 6);
  const KernelExecutions locked = explored(known::exchange_lock, 3, true);
  CHECK(locked.complete);
  CHECK(locked.is_race_free());
  CHECK(locked.outcomes == explored(known::exchange_lock, 3, false).outcomes);
}
