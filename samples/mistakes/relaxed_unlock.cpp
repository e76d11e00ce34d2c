// A ticket lock around a counter. Who unlocks with a Relaxed store lets the next one in before his
// own count has arrived.
#include "mistake.h"

using namespace heddle;

template <MemorySemantics unlock>
constexpr auto count = [](auto& inv, StorageBuffer<std::uint32_t> auto next_ticket,
                          StorageBuffer<std::uint32_t> auto now_serving,
                          StorageBuffer<std::uint32_t> auto counter) {
  const std::uint32_t ticket =
      inv.atomic_i_increment(next_ticket[0], Scope::Device, MemorySemantics::Relaxed);
  while (inv.atomic_load(now_serving[0], Scope::Device, kAcquireBuffers) != ticket) {
  }
  counter.non_private()[0] = counter.non_private()[0] + 1;
  inv.atomic_store(now_serving[0], Scope::Device, unlock, ticket + 1);
};

template <MemorySemantics unlock>
void test(Trial& trial) {
  const std::uint32_t groups = trial.workgroups(4);
  auto next_ticket = trial.device().buffer({std::uint32_t{0}}, "next ticket");
  auto now_serving = trial.device().buffer({std::uint32_t{0}}, "now serving");
  auto counter = trial.device().buffer({std::uint32_t{0}}, "counter");
  trial.device().dispatch(count<unlock>, {groups}, {1}, next_ticket, now_serving, counter);
  const std::uint32_t counted = counter.read()[0];
  trial.require(counted == groups, std::to_string(groups) +
                                       (groups == 1 ? " invocation" : " invocations") +
                                       " counted to " + std::to_string(counted));
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "A ticket lock with a Relaxed unlock",
                          test<MemorySemantics::Relaxed>, test<kReleaseBuffers>);
}
