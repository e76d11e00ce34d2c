// A message from one workgroup to another, by atomics of Workgroup scope: two invocations of
// different workgroups are not in one instance of it, so these neither synchronize nor are they
// atomic for each other.
#include "mistake.h"

using namespace heddle;

template <Scope scope>
constexpr auto message = [](auto& inv, StorageBuffer<std::uint32_t> auto data,
                            StorageBuffer<std::uint32_t> auto flag,
                            StorageBuffer<std::uint32_t> auto seen) {
  if (inv.workgroup_id().x == 0) {
    data.non_private()[0] = 42;
    inv.atomic_store(flag[0], scope, kReleaseBuffers, 1);
  } else {
    // There is no promise that the flag ever comes: the reader gives up at some time.
    std::uint32_t tries = 0;
    while (inv.atomic_load(flag[0], scope, kAcquireBuffers) == 0) {
      if (++tries == 1000) return;
    }
    seen[0] = data.non_private()[0];
  }
};

template <Scope scope>
void test(Trial& trial) {
  auto data = trial.device().buffer({std::uint32_t{0}}, "data");
  auto flag = trial.device().buffer({std::uint32_t{0}}, "flag");
  auto seen = trial.device().buffer({std::uint32_t{42}}, "seen");
  trial.device().dispatch(message<scope>, {2}, {1}, data, flag, seen);
  trial.require(seen.read()[0] == 42,
                "the message is " + std::to_string(seen.read()[0]) + ", not 42");
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "A message between workgroups at Workgroup scope",
                          test<Scope::Workgroup>, test<Scope::Device>);
}
