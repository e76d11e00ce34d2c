// Two passes over a buffer, with a barrier between them that orders Workgroup memory alone
// (OpenCL's CLK_LOCAL_MEM_FENCE): the data is in a buffer, so the second pass may read what was
// there before the first.
#include "mistake.h"

using namespace heddle;

constexpr std::uint32_t kGroup = 4;
constexpr MemorySemantics kLocalFence =
    MemorySemantics::AcquireRelease | MemorySemantics::WorkgroupMemory |
    MemorySemantics::MakeAvailable | MemorySemantics::MakeVisible;

template <MemorySemantics fence>
constexpr auto two_passes = [](auto& inv, StorageBuffer<std::uint32_t> auto data,
                               StorageBuffer<std::uint32_t> auto mirrored) {
  const std::uint32_t first = inv.workgroup_id().x * kGroup;
  const std::uint32_t me = inv.local_invocation_index();
  data.non_private()[first + me] = first + me + 1;
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, fence);
  mirrored[first + me] = data.non_private()[first + kGroup - 1 - me];
};

template <MemorySemantics fence>
void test(Trial& trial) {
  const std::uint32_t size = trial.workgroups(2) * kGroup;
  auto data = trial.device().buffer(std::vector<std::uint32_t>(size, 0), "data");
  auto mirrored = trial.device().buffer(std::vector<std::uint32_t>(size, 0), "mirrored");
  trial.device().dispatch(two_passes<fence>, {size / kGroup}, {kGroup}, data, mirrored);
  const std::vector<std::uint32_t> found = mirrored.read();
  for (std::uint32_t i = 0; i < size; ++i) {
    const std::uint32_t expected = i / kGroup * kGroup + kGroup - i % kGroup;
    trial.require(found[i] == expected, "element " + std::to_string(i) + " is " +
                                            std::to_string(found[i]) + ", not " +
                                            std::to_string(expected));
  }
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "A local-memory fence where the data is in a buffer",
                          test<kLocalFence>, test<kLocalFence | MemorySemantics::UniformMemory>);
}
