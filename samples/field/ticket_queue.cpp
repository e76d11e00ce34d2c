// A queue: producers write an item and count it, consumers draw a ticket and wait until so many
// have been counted. The producers release; consumers that look at the count with a Relaxed load do
// not acquire what was released.
#include "mistake.h"

using namespace heddle;

template <MemorySemantics look>
constexpr auto produce_and_consume = [](auto& inv, StorageBuffer<std::uint32_t> auto items,
                                        StorageBuffer<std::uint32_t> auto counters,
                                        StorageBuffer<std::uint32_t> auto consumed) {
  const std::uint32_t group = inv.workgroup_id().x;
  const std::uint32_t half = inv.num_workgroups().x / 2;
  if (group < half) {
    // One after the other, so that the count says which items there are.
    while (inv.atomic_load(counters[0], Scope::Device, kAcquireBuffers) != group) {
    }
    items.non_private()[group] = 100 + group;
    inv.atomic_store(counters[0], Scope::Device, kReleaseBuffers, group + 1);
  } else {
    const std::uint32_t ticket =
        inv.atomic_i_add(counters[1], Scope::Device, MemorySemantics::None, 1);
    while (inv.atomic_load(counters[0], Scope::Device, look) <= ticket) {
    }
    consumed[ticket] = items.non_private()[ticket];
  }
};

template <MemorySemantics look>
void test(Trial& trial) {
  const std::uint32_t items = trial.workgroups(3);
  auto queue = trial.device().buffer(std::vector<std::uint32_t>(items, 0), "items");
  auto counters = trial.device().buffer(std::vector<std::uint32_t>(2, 0), "counters");
  auto consumed = trial.device().buffer(std::vector<std::uint32_t>(items, 0), "consumed");
  trial.device().dispatch(produce_and_consume<look>, {2 * items}, {1}, queue, counters, consumed);
  const std::vector<std::uint32_t> found = consumed.read();
  for (std::uint32_t i = 0; i < items; ++i)
    trial.require(found[i] == 100 + i,
                  "item " + std::to_string(i) + " was consumed as " + std::to_string(found[i]));
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "A ticket queue whose consumers do not acquire",
                          test<MemorySemantics::None>, test<kAcquireBuffers>);
}
