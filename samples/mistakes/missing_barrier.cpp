// A sum over a workgroup, by halves. Without the barrier in the loop an invocation adds what its
// neighbour has not yet written.
#include "mistake.h"

#include <numeric>

using namespace heddle;

constexpr std::uint32_t kGroup = 8;

template <bool barrier>
constexpr auto reduce = [](auto& inv, StorageBuffer<const std::uint32_t> auto numbers,
                           StorageBuffer<std::uint32_t> auto sums) {
  auto partial = workgroup<std::uint32_t[kGroup]>(inv, "partial");
  const std::uint32_t me = inv.local_invocation_index();
  partial[me] = numbers[inv.global_invocation_id().x];
  inv.workgroup_barrier();
  for (std::uint32_t half = kGroup / 2; half > 0; half /= 2) {
    if (me < half) partial[me] += partial[me + half];
    if constexpr (barrier) {
      inv.workgroup_barrier();
    }
  }
  if (me == 0) sums[inv.workgroup_id().x] = partial[0];
};

template <bool barrier>
void test(Trial& trial) {
  const std::uint32_t groups = trial.workgroups(4);
  std::vector<std::uint32_t> numbers(groups * kGroup);
  std::iota(numbers.begin(), numbers.end(), 1u);
  auto in = trial.device().buffer(numbers, "numbers");
  auto sums = trial.device().buffer(std::vector<std::uint32_t>(groups, 0), "sums");
  trial.device().dispatch(reduce<barrier>, {groups}, {kGroup}, read_only(in), sums);
  const std::vector<std::uint32_t> found = sums.read();
  for (std::uint32_t group = 0; group < groups; ++group) {
    const auto begin = numbers.begin() + group * kGroup;
    const std::uint32_t expected = std::accumulate(begin, begin + kGroup, 0u);
    trial.require(found[group] == expected, "the sum of group " + std::to_string(group) + " is " +
                                                std::to_string(found[group]) + ", not " +
                                                std::to_string(expected));
  }
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "A reduction without the barrier in its loop", test<false>,
                          test<true>);
}
