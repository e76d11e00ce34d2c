// A message from one workgroup to another, with everything that the flag takes. But the data is
// read and written by private accesses, as plain ones are: no synchronization orders those for
// others.
#include "mistake.h"

using namespace heddle;

template <bool non_private>
constexpr auto message = [](auto& inv, StorageBuffer<std::uint32_t> auto data,
                            StorageBuffer<std::uint32_t> auto flag,
                            StorageBuffer<std::uint32_t> auto seen) {
  if (inv.workgroup_id().x == 0) {
    if constexpr (non_private) {
      data.non_private()[0] = 42;
    } else {
      data[0] = 42;
    }
    inv.atomic_store(flag[0], Scope::Device, kReleaseBuffers, 1);
  } else {
    while (inv.atomic_load(flag[0], Scope::Device, kAcquireBuffers) == 0) {
    }
    if constexpr (non_private) {
      seen[0] = data.non_private()[0];
    } else {
      seen[0] = data[0];
    }
  }
};

template <bool non_private>
void test(Trial& trial) {
  auto data = trial.device().buffer({std::uint32_t{0}}, "data");
  auto flag = trial.device().buffer({std::uint32_t{0}}, "flag");
  auto seen = trial.device().buffer({std::uint32_t{0}}, "seen");
  trial.device().dispatch(message<non_private>, {2}, {1}, data, flag, seen);
  trial.require(seen.read()[0] == 42,
                "the message is " + std::to_string(seen.read()[0]) + ", not 42");
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "A message whose data is private", test<false>, test<true>);
}
