// Bitonic sort (Batcher 1968): compares and swaps pairs at distances that do not depend on the
// numbers. Distances that fit in a workgroup's block are done in Workgroup memory, many in one
// dispatch; each of the others takes a dispatch of its own, which is the only barrier across
// workgroups that there is.
#include "sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <random>

using namespace heddle;

constexpr std::uint32_t kGroup = 256;
constexpr std::uint32_t kBlock = 2 * kGroup;

// One step: runs of `run` numbers, up and down in turns, are being merged; pairs are `distance`
// apart.
struct Step {
  std::uint32_t run, distance;
};

// The lower index of the `pair`-th pair: a 0 bit pushed in where `distance` has its 1.
constexpr std::uint32_t lower_index(std::uint32_t pair, std::uint32_t distance) {
  return 2 * (pair / distance * distance) + pair % distance;
}

// Puts a pair in order: ascending in every other run.
constexpr auto compare_and_swap = [](auto numbers, std::uint32_t low, std::uint32_t position,
                                     const Step& step) {
  const std::uint32_t a = numbers[low], b = numbers[low + step.distance];
  const bool ascending = (position & step.run) == 0;
  if ((a > b) != ascending) return;
  numbers[low] = b;
  numbers[low + step.distance] = a;
};

// Steps from `first` to the end of `last_run`, in the block of this workgroup.
constexpr auto sort_block = [](auto& inv, StorageBuffer<std::uint32_t> auto numbers,
                               PushConstant<Step> auto first, std::uint32_t last_run) {
  auto block = workgroup<std::uint32_t[kBlock]>(inv, "block");
  const std::uint32_t me = inv.local_invocation_index();
  const std::uint32_t begin = inv.workgroup_id().x * kBlock;
  block[me] = numbers[begin + me];
  block[me + kGroup] = numbers[begin + me + kGroup];
  Step step = first.load();
  while (step.run <= last_run) {
    inv.workgroup_barrier();
    const std::uint32_t low = lower_index(me, step.distance);
    compare_and_swap(block, low, begin + low, step);
    if (step.distance > 1) {
      step.distance /= 2;
    } else {
      step = {2 * step.run, step.run};
    }
  }
  inv.workgroup_barrier();
  numbers[begin + me] = block[me];
  numbers[begin + me + kGroup] = block[me + kGroup];
};

constexpr auto sort_far_pairs = [](auto& inv, StorageBuffer<std::uint32_t> auto numbers,
                                   PushConstant<Step> auto push) {
  const Step step = push.load();
  const std::uint32_t low = lower_index(inv.global_invocation_id().x, step.distance);
  compare_and_swap(numbers, low, low, step);
};

DispatchResult sort(Device& device, Buffer<std::uint32_t>& numbers) {
  const auto size = static_cast<std::uint32_t>(numbers.size());
  const Extent groups(size / kBlock);
  // Each block by itself: up, down, up, ...
  DispatchResult all =
      device.dispatch(sort_block, groups, {kGroup}, numbers, push_constant(Step{2, 1}), kBlock);
  for (std::uint32_t run = 2 * kBlock; run <= size; run *= 2) {
    Step step{run, run / 2};
    for (; step.distance >= kBlock; step.distance /= 2) {
      sample::add(all,
                  device.dispatch(sort_far_pairs, groups, {kGroup}, numbers, push_constant(step)));
    }
    sample::add(all,
                device.dispatch(sort_block, groups, {kGroup}, numbers, push_constant(step), run));
  }
  return all;
}

int main(int argc, char** argv) {
  sample::Sample sample("sort", "Sorts numbers with a bitonic network.");
  std::uint32_t count = 0;
  sample.size_option("--count", count, {1000000, 8000}, "how many numbers");

  return sample.run(argc, argv, [&](Device& device) {
    std::mt19937 random(static_cast<std::uint32_t>(sample.seed()));
    std::vector<std::uint32_t> numbers(count);
    for (std::uint32_t& number : numbers) number = random();
    sample.input(sample::counted(count, "random 32-bit number", "random 32-bit numbers"));

    // The network has a power of two inputs: the rest is filled with numbers that go to the end.
    std::vector<std::uint32_t> padded = numbers;
    padded.resize(std::max(std::bit_ceil(count), kBlock), 0xffffffff);
    const auto blocks = static_cast<std::uint32_t>(padded.size()) / kBlock;
    const auto doublings = static_cast<std::uint64_t>(std::countr_zero(blocks));
    sample.dispatches(1 + doublings + doublings * (doublings + 1) / 2);
    auto buffer = device.buffer(padded, "numbers");
    sample.ran("bitonic sort", sort(device, buffer));

    std::sort(numbers.begin(), numbers.end());
    const std::vector<std::uint32_t> got = buffer.read();
    sample.check(std::equal(numbers.begin(), numbers.end(), got.begin()),
                 "every number against std::sort");
  });
}
