// A look-back in a loop: one invocation asks how far the others are and tells its workgroup by a
// variable in Workgroup memory. Without a barrier at the end of the loop it rewrites the variable
// while others still read it: some leave the loop in one round, some in another.
#include "mistake.h"

using namespace heddle;

constexpr std::uint32_t kGroup = 4;

template <bool barrier>
constexpr auto look_back = [](auto& inv, StorageBuffer<std::uint32_t> auto states,
                              StorageBuffer<std::uint32_t> auto sums) {
  auto step = inv.template workgroup<std::uint32_t[1]>("step");
  const std::uint32_t me = inv.local_invocation_index();
  std::uint32_t sum = 0;
  std::uint32_t at = inv.workgroup_id().x;
  if (me == 0) inv.atomic_store(states[at], Scope::Device, kReleaseBuffers, at + 1);
  while (at > 0) {
    if (me == 0) {
      std::uint32_t found = 0;
      while ((found = inv.atomic_load(states[at - 1], Scope::Device, kAcquireBuffers)) == 0) {
      }
      step[0] = found;
    }
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    sum += step[0];
    at -= 1;
    if constexpr (barrier)
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  }
  sums[inv.global_invocation_id().x] = sum;
};

template <bool barrier>
void test(Trial& trial) {
  const std::uint32_t groups = trial.workgroups(4);
  auto states = trial.device().buffer(std::vector<std::uint32_t>(groups, 0), "states");
  auto sums = trial.device().buffer(std::vector<std::uint32_t>(groups * kGroup, 0), "sums");
  trial.device().dispatch(look_back<barrier>, {groups}, {kGroup}, states, sums);
  const std::vector<std::uint32_t> found = sums.read();
  for (std::uint32_t i = 0; i < found.size(); ++i) {
    const std::uint32_t group = i / kGroup;
    const std::uint32_t expected = group * (group + 1) / 2;
    trial.require(found[i] == expected, "invocation " + std::to_string(i) + " has " +
                                            std::to_string(found[i]) + ", not " +
                                            std::to_string(expected));
  }
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "A flag in Workgroup memory that is rewritten too early",
                          test<false>, test<true>);
}
