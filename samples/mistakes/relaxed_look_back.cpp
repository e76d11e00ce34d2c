// Each workgroup passes on the sum of everything up to it to the next one (the heart of decoupled
// look-back). With Relaxed flags the flag may come before the sum. A ticket tells each workgroup
// its place: the workgroup before it has begun then, whatever the order.
#include "mistake.h"

using namespace heddle;

template <MemorySemantics publish, MemorySemantics look>
constexpr auto sum_up = [](auto& inv, StorageBuffer<std::uint32_t> auto ticket,
                           StorageBuffer<std::uint32_t> auto flags,
                           StorageBuffer<std::uint32_t> auto sums) {
  const std::uint32_t group =
      inv.atomic_i_increment(ticket[0], Scope::Device, MemorySemantics::Relaxed);
  std::uint32_t before = 0;
  if (group > 0) {
    while (inv.atomic_load(flags[group - 1], Scope::Device, look) == 0) {
    }
    before = sums.non_private()[group - 1];
  }
  sums.non_private()[group] = before + group + 1;
  inv.atomic_store(flags[group], Scope::Device, publish, 1);
};

template <MemorySemantics publish, MemorySemantics look>
void test(Trial& trial) {
  const std::uint32_t groups = trial.workgroups(6);
  auto ticket = trial.device().buffer<std::uint32_t>({0}, "ticket");
  auto flags = trial.device().buffer(std::vector<std::uint32_t>(groups, 0), "flags");
  auto sums = trial.device().buffer(std::vector<std::uint32_t>(groups, 0), "sums");
  trial.device().dispatch(sum_up<publish, look>, {groups}, {1}, ticket, flags, sums);
  const std::uint32_t last = sums.read()[groups - 1];
  const std::uint32_t expected = groups * (groups + 1) / 2;
  trial.require(last == expected,
                "the sum is " + std::to_string(last) + ", not " + std::to_string(expected));
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "Look-back with Relaxed flags",
                          test<MemorySemantics::Relaxed, MemorySemantics::Relaxed>,
                          test<kReleaseBuffers, kAcquireBuffers>);
}
