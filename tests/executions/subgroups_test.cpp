#include <catch2/catch.hpp>

#include "tests/executions/known_kernels.h"

using namespace heddle;

namespace {

using known::kRelaxed;
using Row = std::vector<std::uint64_t>;
using Rows = std::set<Row>;

/// One workgroup after the other of so many lanes in subgroups of two.
template <typename Kernel>
KernelExecutions in_pairs(const Kernel& kernel, std::uint32_t groups = 1, std::uint32_t local = 2) {
  KernelBounds bounds;
  bounds.subgroup_size = 2;
  return known::explored(kernel, groups, local, bounds);
}

/// What the elements of `out` that are written hold in all outcomes.
Rows results(const KernelExecutions& found) {
  Rows out;
  for (const Row& row : found.outcomes) {
    Row values;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (found.names[i].starts_with("out[")) values.push_back(row[i]);
    out.insert(values);
  }
  return out;
}

}  // namespace

TEST_CASE("lanes of a subgroup get each other's values, in one execution, and lanes of another one do not") {
  const KernelExecutions found = in_pairs(
      [](auto& inv, auto, auto out) {
        const std::uint32_t me = inv.local_invocation_index();
        out[me] = inv.group_non_uniform_i_add(GroupOperation::Reduce, me + 1);
      },
      1, 3);
  CHECK(found.is_race_free());
  CHECK(found.executions == 1);
  CHECK(found.outcomes == Rows{{3, 3, 3}});
}

TEST_CASE("lanes in the two branches of a condition act apart, and together behind it") {
  const KernelExecutions found = in_pairs([](auto& inv, auto, auto out) {
    const std::uint32_t me = inv.local_invocation_index();
    std::uint32_t lanes = 0;
    if (me == 0)
      lanes = inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
    else
      lanes = 10 + inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
    out[me] = lanes + 100 * inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
  });
  CHECK(found.outcomes == Rows{{201, 211}});
}

TEST_CASE("what a lane read decides who takes part in what a subgroup does") {
  const KernelExecutions found = in_pairs(
      [](auto& inv, auto x, auto out) {
        if (inv.workgroup_id().x == 1) {
          if (inv.local_invocation_index() == 0) inv.atomic_store(x[0], Scope::Device, kRelaxed, 1u);
          return;
        }
        const std::uint32_t me = inv.local_invocation_index();
        if (inv.atomic_load(x[0], Scope::Device, kRelaxed) == 1)
          out[me] = inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
      },
      2);
  CHECK(found.complete);
  CHECK(found.executions == 4);
  CHECK(results(found) == Rows{{0, 0}, {0, 1}, {1, 0}, {2, 2}});
}

TEST_CASE("lanes whose increments one of them makes get different numbers in all executions") {
  const KernelExecutions found = in_pairs(
      [](auto& inv, auto x, auto out) {
        const uvec4 lanes = inv.group_non_uniform_ballot(true);
        std::uint32_t first = 0;
        if (inv.group_non_uniform_elect())
          first = inv.atomic_i_add(x[0], Scope::Device, kRelaxed,
                                   inv.group_non_uniform_ballot_bit_count(GroupOperation::Reduce, lanes));
        first = inv.group_non_uniform_broadcast_first(first);
        const std::uint32_t mine = first + inv.group_non_uniform_ballot_bit_count(GroupOperation::ExclusiveScan, lanes);
        out[mine] = inv.workgroup_id().x + 1;
      },
      2);
  CHECK(found.is_race_free());
  CHECK(found.executions == 2);
  CHECK(results(found) == Rows{{1, 1, 2, 2}, {2, 2, 1, 1}});
}

TEST_CASE("a barrier of the subgroup orders what its lanes wrote, and one without semantics does not") {
  const auto by = [](auto semantics) {
    return in_pairs([semantics](auto& inv, auto x, auto out) {
      const std::uint32_t me = inv.local_invocation_index();
      x.non_private()[me] = me + 1;
      inv.control_barrier(Scope::Subgroup, Scope::Subgroup, semantics());
      out[me] = x.non_private()[1 - me];
    });
  };
  const KernelExecutions ordered = by([] { return kBufferBarrier; });
  CHECK(ordered.is_race_free());
  CHECK(results(ordered) == Rows{{2, 1}});
  CHECK_FALSE(by([] { return MemorySemantics::None; }).races.empty());
}

TEST_CASE("a subgroup operation orders no memory: a read before it may see what comes of a write behind it") {
  const KernelExecutions found = in_pairs(
      [](auto& inv, auto x, auto out) {
        const std::uint32_t me = inv.local_invocation_index();
        if (inv.workgroup_id().x == 1) {
          if (me == 1) return;
          out[2] = inv.atomic_load(x[1], Scope::Device, kRelaxed);
          inv.atomic_store(x[0], Scope::Device, kRelaxed, 1u);
          return;
        }
        std::uint32_t seen = 0;
        if (me == 0) seen = inv.atomic_load(x[0], Scope::Device, kRelaxed);
        out[me] = inv.group_non_uniform_i_add(GroupOperation::Reduce, seen);
        if (me == 1) inv.atomic_store(x[1], Scope::Device, kRelaxed, 1u);
      },
      2);
  CHECK(found.is_race_free());
  CHECK(results(found) == Rows{{0, 0, 0}, {0, 0, 1}, {1, 1, 0}, {1, 1, 1}});
}

TEST_CASE("lanes that ask each other until one has seen a value end, and go round for ever where nobody writes it") {
  for (const bool is_written : {true, false}) {
    const KernelExecutions found = in_pairs(
        [is_written](auto& inv, auto x, auto out) {
          const std::uint32_t me = inv.local_invocation_index();
          if (inv.workgroup_id().x == 1) {
            if (is_written && me == 0) inv.atomic_store(x[0], Scope::Device, kRelaxed, 1u);
            return;
          }
          bool seen = false;
          while (!inv.group_non_uniform_any(seen))
            if (me == 0) seen = inv.atomic_load(x[0], Scope::Device, kRelaxed) == 1;
          out[me] = 1u;
        },
        2);
    CHECK(found.complete);
    CHECK((found.executions > 0) == is_written);
    CHECK(found.blocked > 0);
    CHECK(results(found) == (is_written ? Rows{{1, 1}} : Rows{}));
  }
}

TEST_CASE("a subgroup operation waits for ever for a lane that waits for another one of its lanes") {
  const KernelExecutions found = in_pairs([](auto& inv, auto x, auto out) {
    const std::uint32_t me = inv.local_invocation_index();
    if (me == 0)
      while (inv.atomic_load(x[0], Scope::Device, kRelaxed) == 0) continue;
    out[me] = inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
    if (me == 1) inv.atomic_store(x[0], Scope::Device, kRelaxed, 1u);
  });
  CHECK(found.complete);
  CHECK(found.executions == 0);
  CHECK(found.blocked > 0);
}

TEST_CASE("a lane that waits at a barrier of the workgroup, or has ended, takes no part in what its subgroup does") {
  const KernelExecutions found = in_pairs(
      [](auto& inv, auto, auto out) {
        const std::uint32_t me = inv.local_invocation_index();
        if (me == 3) return;
        if (me != 1) out[me] = inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
        if (inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u) == 2) out[me + 4] = 1u;
      },
      1, 4);
  CHECK(found.outcomes.size() == 1);
  CHECK(results(found) == Rows{{1, 1, 1, 1}});
  CHECK(found.names == std::vector<std::string>{"out[0]", "out[2]", "out[4]", "out[5]"});
  const KernelExecutions at_barrier = in_pairs([](auto& inv, auto, auto out) {
    const std::uint32_t me = inv.local_invocation_index();
    if (me == 0) out[0] = inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
    inv.workgroup_barrier();
    out[1 + me] = inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
  });
  CHECK(results(at_barrier) == Rows{{1, 2, 2}});
}

TEST_CASE("a value of a lane that takes no part is a finding of the exploration") {
  const auto wrong = [] {
    in_pairs([](auto& inv, auto, auto out) {
      const std::uint32_t me = inv.local_invocation_index();
      if (me == 0) out[0] = inv.group_non_uniform_shuffle(me, 1u);
    });
  };
  CHECK_THROWS_AS(wrong(), KernelError);
}
