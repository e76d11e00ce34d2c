// Adds up many numbers, in three ways: a tree in Workgroup memory, the same in phases, and subgroup
// operations.
#include "sample.h"

#include <heddle/phases.h>

#include <fmt/format.h>

#include <numeric>
#include <random>

using namespace heddle;

constexpr std::uint32_t kGroup = 256;

// What one invocation adds up alone: every so many-th number, so that neighbours read neighbours.
constexpr auto sum_of_my_numbers = [](auto& inv, auto numbers) {
  const std::uint32_t stride = inv.num_workgroups().x * inv.workgroup_size().x;
  std::uint64_t sum = 0;
  for (std::uint64_t i = inv.global_invocation_id().x; i < numbers.size(); i += stride) {
    sum += numbers[i];
  }
  return sum;
};

// Halves the number of summands between one barrier and the next. The barrier makes what was
// written to Workgroup memory before it visible to the whole workgroup after it.
constexpr auto reduce_tree = [](auto& inv, StorageBuffer<const std::uint32_t> auto numbers,
                                StorageBuffer<std::uint64_t> auto total) {
  auto partial = workgroup<std::uint64_t[kGroup]>(inv, "partial");
  const std::uint32_t me = inv.local_invocation_index();
  partial[me] = sum_of_my_numbers(inv, numbers);
  for (std::uint32_t half = kGroup / 2; half > 0; half /= 2) {
    inv.workgroup_barrier();
    if (me < half) partial[me] += partial[me + half];
  }
  // A relaxed atomic, which orders nothing, is enough: the total is not looked at before the
  // dispatch has ended.
  if (me == 0) inv.atomic_i_add(total[0], Scope::Device, MemorySemantics::Relaxed, partial[0]);
};

// The tree in the second form of kernel: what runs for each invocation is between each(...) or
// first(...) and the parenthesis that ends it, where all wait for each other. Natively these are
// loops, and no invocation needs a stack of its own: the form to take where barriers are many and
// the work between them is little. Where invocations wait for each other in the middle of their
// work, as look-backs between workgroups do, take the first form.
constexpr auto reduce_tree_in_phases =
    in_phases([](auto& group, StorageBuffer<const std::uint32_t> auto numbers,
                 StorageBuffer<std::uint64_t> auto total) {
      auto partial = workgroup<std::uint64_t[kGroup]>(group, "partial");
      group.each([&](auto& inv) {
        partial[inv.local_invocation_index()] = sum_of_my_numbers(inv, numbers);
      });
      for (std::uint32_t half = kGroup / 2; half > 0; half /= 2) {
        group.first(half, [&](auto& inv) {
          const std::uint32_t me = inv.local_invocation_index();
          partial[me] += partial[me + half];
        });
      }
      group.once([&](auto& inv) {
        inv.atomic_i_add(total[0], Scope::Device, MemorySemantics::Relaxed, partial[0]);
      });
    });

// The subgroup adds its numbers up by itself: neither Workgroup memory nor barriers.
constexpr auto reduce_subgroups = [](auto& inv, StorageBuffer<const std::uint32_t> auto numbers,
                                     StorageBuffer<std::uint64_t> auto total) {
  const std::uint64_t sum =
      inv.group_non_uniform_i_add(GroupOperation::Reduce, sum_of_my_numbers(inv, numbers));
  if (inv.group_non_uniform_elect()) {
    inv.atomic_i_add(total[0], Scope::Device, MemorySemantics::Relaxed, sum);
  }
};

int main(int argc, char** argv) {
  sample::Sample sample(
      "reduce", "Adds up many numbers with a tree, in phases, and with subgroup operations.");
  std::uint32_t count = 0;
  sample.size_option("--count", count, {1 << 24, 200000}, "how many numbers");

  return sample.run(argc, argv, [&](Device& device) {
    std::mt19937_64 random(sample.seed());
    std::vector<std::uint32_t> numbers(count);
    for (std::uint32_t& number : numbers) number = static_cast<std::uint32_t>(random());
    sample.input(sample::counted(count, "random 32-bit number", "random 32-bit numbers"));

    auto in = device.buffer(numbers, "numbers");
    auto tree_total = device.buffer({std::uint64_t{0}}, "tree total");
    auto phases_total = device.buffer({std::uint64_t{0}}, "total in phases");
    auto subgroup_total = device.buffer({std::uint64_t{0}}, "subgroup total");
    // Each invocation adds up 16 numbers before it meets the others.
    const std::uint32_t groups = sample::groups_for(count, 16 * kGroup);
    sample.ran("tree in Workgroup memory",
               device.dispatch(reduce_tree, {groups}, {kGroup}, read_only(in), tree_total));
    sample.ran("tree in phases", device.dispatch(reduce_tree_in_phases, {groups}, {kGroup},
                                                 read_only(in), phases_total));
    sample.ran("subgroup operations", device.dispatch(reduce_subgroups, {groups}, {kGroup},
                                                      read_only(in), subgroup_total));

    const std::uint64_t expected =
        std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
    sample.check(tree_total.read()[0] == expected && phases_total.read()[0] == expected &&
                     subgroup_total.read()[0] == expected,
                 fmt::format("all totals against std::accumulate, {}", expected));
  });
}
