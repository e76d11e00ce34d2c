// Counts what a barrier makes caches do: writes that it moves, and copies that it gives up. With a
// tag that restricts it to Workgroup memory it leaves a buffer alone that no other one looks at.
#include "restricted_fence.h"

#include "sample.h"

#include <fmt/format.h>

using namespace heddle;

namespace {

constexpr std::uint32_t kGroup = 16;

// What the kernel computes, one round after the other.
std::vector<std::uint32_t> expected(std::uint32_t groups, std::uint32_t rounds) {
  std::vector<std::uint32_t> numbers(groups * kGroup);
  for (std::uint32_t me = 0; me < numbers.size(); ++me) numbers[me] = me;
  std::vector<std::vector<std::uint32_t>> log(numbers.size());
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::vector<std::uint32_t> tile = numbers;
    for (std::uint32_t me = 0; me < numbers.size(); ++me) {
      const std::uint32_t next = me / kGroup * kGroup + (me + 1) % kGroup;
      numbers[me] = numbers[me] * 31 + tile[next];
      log[me].push_back(numbers[me]);
      numbers[me] += log[me][round / 2];
    }
  }
  return numbers;
}

struct Counted {
  std::vector<std::uint32_t> numbers;
  MemoryReport memory;
};

template <bool restricted>
Counted run(std::uint64_t seed, std::uint32_t groups, std::uint32_t rounds) {
  DeviceOptions options;
  options.mode = Mode::Emulated;
  options.memory = lazy_caches();
  options.seed = seed;
  Device device(std::move(options));
  auto log = device.buffer<std::uint32_t>(std::size_t{groups} * kGroup * rounds, "log");
  auto out = device.buffer<std::uint32_t>(std::size_t{groups} * kGroup, "out");
  const DispatchResult result =
      device.dispatch(hand_round<restricted>, {groups}, {kGroup}, rounds, log, out);
  return {out.read(), result.memory};
}

}  // namespace

int main(int argc, char** argv) {
  sample::Sample sample(
      "restricted_fence",
      "Counts what barriers move with a tag that restricts them to Workgroup memory, and without.");
  std::uint32_t rounds = 0;
  sample.size_option("--rounds", rounds, {32, 8, 1, 256}, "how many rounds");

  return sample.run(argc, argv, [&](Device&) {
    constexpr std::uint32_t kGroups = 2;
    const Counted all = run<false>(sample.seed(), kGroups, rounds);
    const Counted restricted = run<true>(sample.seed(), kGroups, rounds);
    fmt::print("  {:<40} {:>10} {:>12}\n", "", "no tag", "sync-as:3");
    fmt::print("  {:<40} {:>10} {:>12}\n", "writes that barriers moved", all.memory.made_available,
               restricted.memory.made_available);
    fmt::print("  {:<40} {:>10} {:>12}\n", "copies that barriers gave up", all.memory.given_up,
               restricted.memory.given_up);
    const std::vector<std::uint32_t> right = expected(kGroups, rounds);
    sample.check(all.numbers == right && restricted.numbers == right,
                 "both kernels against a plain loop");
    sample.check(restricted.memory.made_available < all.memory.made_available &&
                     restricted.memory.given_up <= all.memory.given_up,
                 "the restricted barriers move less");
  });
}
