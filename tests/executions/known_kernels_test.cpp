#include <heddle/explore_kernel.h>

#include <catch2/catch.hpp>

using namespace heddle;

namespace {

using Row = std::vector<std::uint64_t>;
using Rows = std::set<Row>;

constexpr MemorySemantics kRelaxed = MemorySemantics::Relaxed;

/// The values of these elements in all outcomes.
Rows projected(const KernelExecutions& found, const std::vector<std::string>& names) {
  Rows out;
  for (const Row& row : found.outcomes) {
    Row values;
    for (const std::string& name : names) values.push_back(row.at(found.index_of(name)));
    out.insert(values);
  }
  return out;
}

/// A dispatch of a kernel that takes two buffers of zeros, "x" and "out".
template <typename Kernel>
KernelExecutions explored(const Kernel& kernel, std::uint32_t groups, std::uint32_t local,
                          const KernelBounds& bounds = {}) {
  return explore_kernel(
      [&](KernelExploration& exploration) {
        auto x = exploration.device().buffer(std::vector<std::uint32_t>(8), "x");
        auto out = exploration.device().buffer(std::vector<std::uint32_t>(8), "out");
        return exploration.dispatch(kernel, groups, local, x, out);
      },
      bounds);
}

/// A message from one workgroup to another, which waits for it.
template <typename Release, typename Acquire>
KernelExecutions message(Release release, Acquire acquire) {
  return explored(
      [=](auto& inv, auto x, auto out) {
        if (inv.workgroup_id().x == 0) {
          x.non_private()[0] = 7u;
          inv.atomic_store(x[1], Scope::Device, release(), 1u);
        } else {
          while (inv.atomic_load(x[1], Scope::Device, acquire()) == 0) continue;
          out[0] = x.non_private()[0];
        }
      },
      2, 1);
}

/// Each of two invocations stores to one element, and loads the other before that or after it.
KernelExecutions crossed(bool load_first) {
  return explored(
      [=](auto& inv, auto x, auto out) {
        const std::uint32_t me = inv.workgroup_id().x;
        std::uint32_t seen = 0;
        if (load_first) seen = inv.atomic_load(x[1 - me], Scope::Device, kRelaxed);
        inv.atomic_store(x[me], Scope::Device, kRelaxed, 1u);
        if (!load_first) seen = inv.atomic_load(x[1 - me], Scope::Device, kRelaxed);
        out[me] = seen;
      },
      2, 1);
}

/// The sum of four elements by a tree, whose levels a barrier separates, or not.
KernelExecutions tree(bool barrier) {
  return explored(
      [=](auto& inv, auto, auto out) {
        auto sums = inv.template workgroup<std::uint32_t[4]>("sums");
        const std::uint32_t me = inv.local_invocation_index();
        sums[me] = me + 1;
        for (std::uint32_t width = 2; width > 0; width /= 2) {
          if (barrier) inv.workgroup_barrier();
          if (me < width) sums[me] += sums[me + width];
        }
        if (me == 0) out[0] = sums[0];
      },
      1, 4);
}

}  // namespace

TEST_CASE("a message that is released and acquired arrives in all executions of a kernel, without a race") {
  const KernelExecutions found = message([] { return kReleaseBuffers; }, [] { return kAcquireBuffers; });
  CHECK(found.is_race_free());
  CHECK(found.executions > 0);
  CHECK(projected(found, {"out[0]"}) == Rows{{7}});
}

TEST_CASE("a message by relaxed atomics may come without its data, and the race has both places") {
  const KernelExecutions found = message([] { return kRelaxed; }, [] { return kRelaxed; });
  CHECK(found.complete);
  REQUIRE(found.races.size() == 1);
  CHECK(std::set<std::uint32_t>{found.races[0].first_invocation, found.races[0].second_invocation} ==
        std::set<std::uint32_t>{0, 1});
  CHECK(found.races[0].first.line != found.races[0].second.line);
  CHECK(projected(found, {"out[0]"}) == Rows{{0}, {7}});
}

TEST_CASE("store buffering and load buffering of kernels have all four outcomes") {
  for (const bool load_first : {false, true}) {
    const KernelExecutions found = crossed(load_first);
    CHECK(found.is_race_free());
    CHECK(found.always_ends());
    CHECK(found.executions == 4);
    CHECK(projected(found, {"out[0]", "out[1]"}) == Rows{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
  }
}

TEST_CASE("a ticket lock of two workgroups counts to two in all executions, without a race") {
  const KernelExecutions found = explored(
      [](auto& inv, auto x, auto out) {
        const std::uint32_t ticket = inv.atomic_i_add(x[0], Scope::Device, kRelaxed, 1u);
        while (inv.atomic_load(x[1], Scope::Device, kAcquireBuffers) != ticket) continue;
        out.non_private()[0] = out.non_private()[0] + 1;
        inv.atomic_store(x[1], Scope::Device, kReleaseBuffers, ticket + 1);
      },
      2, 1);
  CHECK(found.is_race_free());
  CHECK(projected(found, {"out[0]"}) == Rows{{2}});
}

TEST_CASE("a tree reduction with barriers has one sum, and without them it races") {
  const KernelExecutions right = tree(true);
  CHECK(right.is_race_free());
  CHECK(right.always_ends());
  CHECK(projected(right, {"out[0]"}) == Rows{{10}});
  const KernelExecutions wrong = tree(false);
  CHECK_FALSE(wrong.races.empty());
}

TEST_CASE("the last of two workgroups of two sees the sums of both") {
  const KernelExecutions found = explored(
      [](auto& inv, auto x, auto out) {
        auto sum = inv.template workgroup<std::uint32_t>("sum");
        inv.atomic_i_add(sum, Scope::Workgroup, kRelaxed, 1u);
        inv.workgroup_barrier();
        if (inv.local_invocation_index() != 0) return;
        out.non_private()[inv.workgroup_id().x] = inv.atomic_load(sum, Scope::Workgroup, kRelaxed);
        const std::uint32_t done = inv.atomic_i_add(x[0], Scope::Device, kBufferBarrier, 1u);
        if (done == 1) out[2] = out.non_private()[0] + out.non_private()[1];
      },
      2, 2);
  CHECK(found.is_race_free());
  CHECK(found.always_ends());
  CHECK(projected(found, {"out[2]"}) == Rows{{4}});
}

TEST_CASE("an invocation that waits for what nobody writes blocks, and that is known without a bound") {
  const KernelExecutions found = explored(
      [](auto& inv, auto x, auto) {
        while (inv.atomic_load(x[0], Scope::Device, kRelaxed) == 0) continue;
      },
      1, 1);
  CHECK(found.complete);
  CHECK(found.executions == 0);
  CHECK(found.blocked == 1);
  CHECK_FALSE(found.always_ends());
}

TEST_CASE("an invocation that writes without end is cut, and the exploration is not complete") {
  KernelBounds bounds;
  bounds.operations = 6;
  const KernelExecutions found = explored(
      [](auto& inv, auto x, auto) {
        while (inv.atomic_exchange(x[0], Scope::Device, kRelaxed, 1u) != 2) continue;
      },
      1, 1, bounds);
  CHECK_FALSE(found.complete);
  CHECK(found.cut == 1);
  bounds.executions = 2;
  CHECK_FALSE(
      explored([](auto& inv, auto x, auto) { inv.atomic_i_add(x[0], Scope::Device, kRelaxed, 1u); }, 3, 1, bounds)
          .complete);
}

TEST_CASE("a compare-exchange that fails is a read, and one that succeeds writes") {
  const KernelExecutions found = explored(
      [](auto& inv, auto x, auto out) {
        const std::uint32_t me = inv.workgroup_id().x;
        out[me] = inv.atomic_compare_exchange(x[0], Scope::Device, kRelaxed, kRelaxed, me + 1, 0u);
      },
      2, 1);
  CHECK(found.executions == 2);
  CHECK(projected(found, {"x[0]", "out[0]", "out[1]"}) == Rows{{1, 0, 1}, {2, 2, 0}});
}

TEST_CASE("what is wrong in one execution is a finding of the exploration") {
  const auto wrong = [] {
    explored(
        [](auto& inv, auto x, auto out) {
          if (inv.workgroup_id().x == 0)
            inv.atomic_store(x[0], Scope::Device, kRelaxed, 100u);
          else
            out[inv.atomic_load(x[0], Scope::Device, kRelaxed)] = 1u;
        },
        2, 1);
  };
  CHECK_THROWS_AS(wrong(), KernelError);
}

TEST_CASE("buffers hold after an exploration what they held before") {
  KernelExploration exploration;
  auto x = exploration.device().buffer<std::uint32_t>({5}, "x");
  const auto kernel = [](auto& inv, auto to) { inv.atomic_i_add(to[0], Scope::Device, kRelaxed, 1u); };
  for (int i = 0; i < 2; ++i) {
    const KernelExecutions found = exploration.dispatch(kernel, 2, 1, x);
    CHECK(found.outcomes == Rows{{7}});
    CHECK(found.names == std::vector<std::string>{"x[0]"});
  }
  CHECK(x.read() == std::vector<std::uint32_t>{5});
}

TEST_CASE("waiting for others by a named barrier is refused by name") {
  const auto named = [] {
    explored(
        [](auto& inv, auto, auto) {
          auto barrier = inv.named_barrier_initialize(2);
          inv.memory_named_barrier(barrier, Scope::Workgroup, MemorySemantics::None);
        },
        1, 2);
  };
  CHECK_THROWS_AS(named(), std::invalid_argument);
}
