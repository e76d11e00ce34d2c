// A message from one workgroup to another, whose Release and Acquire name the storage class of
// images. The data lies in a buffer, which is UniformMemory: they say nothing about it.
#include "mistake.h"

using namespace heddle;

template <MemorySemantics storage_class>
constexpr auto message = [](auto& inv, StorageBuffer<std::uint32_t> auto data,
                            StorageBuffer<std::uint32_t> auto flag,
                            StorageBuffer<std::uint32_t> auto seen) {
  constexpr auto kRelease =
      MemorySemantics::Release | MemorySemantics::MakeAvailable | storage_class;
  constexpr auto kAcquire = MemorySemantics::Acquire | MemorySemantics::MakeVisible | storage_class;
  if (inv.workgroup_id().x == 0) {
    data.non_private()[0] = 42;
    inv.atomic_store(flag[0], Scope::Device, kRelease, 1);
  } else {
    while (inv.atomic_load(flag[0], Scope::Device, kAcquire) == 0) {
    }
    seen[0] = data.non_private()[0];
  }
};

template <MemorySemantics storage_class>
void test(Trial& trial) {
  auto data = trial.device().buffer({std::uint32_t{0}}, "data");
  auto flag = trial.device().buffer({std::uint32_t{0}}, "flag");
  auto seen = trial.device().buffer({std::uint32_t{0}}, "seen");
  trial.device().dispatch(message<storage_class>, {2}, {1}, data, flag, seen);
  trial.require(seen.read()[0] == 42,
                "the message is " + std::to_string(seen.read()[0]) + ", not 42");
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "A message of the wrong storage class",
                          test<MemorySemantics::ImageMemory>, test<MemorySemantics::UniformMemory>);
}
