#include "tests/executions/larger_kernels.h"

#include <heddle/explore.h>
#include <catch2/catch.hpp>
#include <functional>

using namespace heddle;

namespace {

using Row = std::vector<std::uint64_t>;
using Rows = std::set<Row>;

using known::explored;
using known::kRelaxed;

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

TEST_CASE("a tree reduction with barriers has one sum, and without them it races") {
  const KernelExecutions right = tree(true);
  CHECK(right.is_race_free());
  CHECK(right.always_ends());
  CHECK(projected(right, {"out[0]"}) == Rows{{10}});
  const KernelExecutions wrong = tree(false);
  CHECK_FALSE(wrong.races.empty());
}

TEST_CASE(
    "all executions of locks, look-backs, reductions and a deque are found: right outcomes alone, without a race") {
  struct Known {
    std::string name;
    std::function<KernelExecutions()> run;
    std::map<std::string, std::set<std::uint64_t>> values;
  };
  const std::vector<Known> all = {
      {"message", [] { return explored(known::message, 2, 1); }, {{"out[0]", {7}}}},
      {"ticket lock of 2", [] { return explored(known::ticket_lock, 2, 1); }, {{"out[0]", {2}}}},
      {"ticket lock of 3", [] { return explored(known::ticket_lock, 3, 1); }, {{"out[0]", {3}}}},
      {"exchange lock of 3", [] { return explored(known::exchange_lock, 3, 1); }, {{"out[0]", {3}}}},
      {"compare lock of 3", [] { return explored(known::compare_lock, 3, 1); }, {{"out[0]", {3}}}},
      {"look-back of 4x1", [] { return explored(known::look_back, 4, 1); }, {{"out[3]", {6}}, {"out[2]", {3}}}},
      {"look-back of 3x2", [] { return explored(known::look_back, 3, 2); }, {{"out[4]", {3}}, {"out[5]", {3}}}},
      {"tree of 8", [] { return explored(known::tree, 1, 8); }, {{"out[0]", {36}}}},
      {"last block of 2x4", [] { return explored(known::last_block, 2, 4); }, {{"out[2]", {8}}}},
      {"sequence lock", [] { return explored(larger::sequence_lock, 3, 1); }, {{"out[1]", {0, 1, 12}}}},
      {"read-copy-update", [] { return explored(larger::read_copy_update, 2, 1); }, {{"out[1]", {1, 6}}}},
      {"dissemination barrier", [] { return explored(larger::dissemination_barrier, 4, 1); }, {{"out[0]", {4}}}},
      {"deque of 3", [] { return explored(known::deque, 3, 1); }, {{"out[0]", {0, 5}}, {"out[1]", {0, 5}}}},
  };
  for (const Known& one : all) {
    const KernelExecutions found = one.run();
    INFO(one.name << ": " << found.proof());
    CHECK(found.complete);
    CHECK(found.is_race_free());
    CHECK(found.executions > 0);
    for (const auto& [name, values] : one.values) {
      std::set<std::uint64_t> seen;
      for (const Row& row : projected(found, {name})) seen.insert(row[0]);
      CHECK(seen == values);
    }
  }
}

TEST_CASE("one of the three gets the task of a deque, and never two") {
  const KernelExecutions found = explored(known::deque, 3, 1);
  CHECK(projected(found, {"out[0]", "out[1]", "out[2]"}) == Rows{{0, 0, 5}, {0, 5, 0}, {5, 0, 0}});
  CHECK(found.why_impossible({{"out[0]", 5}}).empty());
  CHECK(found.why_impossible({{"out[0]", 5}, {"out[1]", 5}}) ==
        "in all executions that end and in which out[0] is 5, out[1] is 0");
}

TEST_CASE("an outcome that was explored comes about on the machine, in a run that replays") {
  const auto program = [](KernelExploration& exploration) {
    auto x = exploration.device().buffer(std::vector<std::uint32_t>(8), "x");
    auto out = exploration.device().buffer(std::vector<std::uint32_t>(8), "out");
    return exploration.dispatch(
        [](auto& inv, auto data, auto seen) {
          if (inv.workgroup_id().x == 0) {
            data.non_private()[0] = 7u;
            inv.atomic_store(data[1], Scope::Device, kRelaxed, 1u);
          } else if (inv.atomic_load(data[1], Scope::Device, kRelaxed) == 1) {
            seen[0] = 1 + data.non_private()[0];
          }
        },
        2, 1, x, out);
  };
  const KernelExecutions found = explore_kernel(program);
  REQUIRE(found.is_possible({{"out[0]", 1}}));
  REQUIRE(found.races.size() == 1);
  const std::string example = to_string(found.races[0].example);
  INFO(example);
  CHECK(example.find("atomically reads 1 from x[1], as step ") != std::string::npos);
  SeedOptions options;
  options.print_to = nullptr;
  options.jobs = 1;
  options.device.subgroup_size = 1;
  options.device.races = true;
  const auto looked_for = [&](std::uint64_t value, std::uint64_t seeds) {
    const auto is_seen = [value](const KernelExecutions& run) { return run.is_possible({{"out[0]", value}}); };
    return explore_seeds(machine_test(program, is_seen), seeds, options);
  };
  const SeedReport seen = looked_for(1, 1000);
  REQUIRE(seen.failed());
  REQUIRE(seen.failures[0].shrunk);
  CHECK_FALSE(seen.failures[0].shrunk->file.empty());
  CHECK_FALSE(seen.races.races.empty());
  CHECK_FALSE(found.is_possible({{"out[0]", 3}}));
  CHECK_FALSE(looked_for(3, 20).failed());
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
        while (inv.atomic_i_add(x[0], Scope::Device, kRelaxed, 1u) != 100) continue;
      },
      1, 1, bounds);
  CHECK_FALSE(found.complete);
  CHECK(found.cut == 1);
  CHECK(found.bound == "an invocation made more than 6 operations");
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

TEST_CASE("what is wrong only with a value that no execution gives is no finding") {
  // As long as what comes before is not acquired its sum may be 0, and the place in front of it is none.
  const auto look_back = [](MemorySemantics acquire) {
    return explored(
        [=](auto& inv, auto x, auto out) {
          constexpr std::uint32_t kOwn = 4;
          constexpr std::uint32_t kAll = 8;
          const auto sums = x.non_private();
          const std::uint32_t me = inv.workgroup_id().x;
          sums[kOwn + me] = me + 1;
          inv.atomic_store(x[me], Scope::Device, kReleaseBuffers, 1u);
          std::uint32_t before = 0;
          for (std::uint32_t at = me, seen = 0; at-- > 0 && seen != 2;) {
            while ((seen = inv.atomic_load(x[at], Scope::Device, dynamic(acquire))) == 0) continue;
            before += sums[(seen == 2 ? kAll : kOwn) + at];
          }
          sums[kAll + me] = before + me + 1;
          inv.atomic_store(x[me], Scope::Device, kReleaseBuffers, 2u);
          if (me != 0) out[before - 1] = me;
        },
        3, 1);
  };
  const KernelExecutions found = look_back(kAcquireBuffers);
  CHECK(found.is_race_free());
  CHECK(projected(found, {"out[0]", "out[2]"}) == Rows{{1, 2}});
  CHECK_THROWS_AS(look_back(kRelaxed), KernelError);
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
