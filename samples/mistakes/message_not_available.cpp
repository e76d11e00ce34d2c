// A message from one workgroup to another. The writer's Release orders its data before the flag,
// but without MakeAvailable the data need not leave the writer's cache: the reader sees the flag,
// and the data as it was.
#include "mistake.h"

using namespace heddle;

template <MemorySemantics release>
constexpr auto message = [](auto& inv, StorageBuffer<std::uint32_t> auto data,
                            StorageBuffer<std::uint32_t> auto flag,
                            StorageBuffer<std::uint32_t> auto seen) {
  if (inv.workgroup_id().x == 0) {
    data.non_private()[0] = 42;
    inv.atomic_store(flag[0], Scope::Device, release, 1);
  } else {
    while (inv.atomic_load(flag[0], Scope::Device, kAcquireBuffers) == 0) {
    }
    seen[0] = data.non_private()[0];
  }
};

template <MemorySemantics release>
void test(Trial& trial) {
  auto data = trial.device().buffer({std::uint32_t{0}}, "data");
  auto flag = trial.device().buffer({std::uint32_t{0}}, "flag");
  auto seen = trial.device().buffer({std::uint32_t{0}}, "seen");
  trial.device().dispatch(message<release>, {2}, {1}, data, flag, seen);
  trial.require(seen.read()[0] == 42,
                "the message is " + std::to_string(seen.read()[0]) + ", not 42");
}

int main(int argc, char** argv) {
  constexpr auto kWrong = MemorySemantics::Release | MemorySemantics::UniformMemory;
  constexpr auto kRight = kWrong | MemorySemantics::MakeAvailable;
  return mistake::compare(argc, argv, "A message whose data is never made available", test<kWrong>,
                          test<kRight>);
}
