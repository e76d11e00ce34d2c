// Objects that are handed on by an exchange: the writer of one puts its number where it is taken
// by another. A Relaxed exchange hands on the number, not the object.
#include "mistake.h"

using namespace heddle;

template <MemorySemantics give, MemorySemantics take>
constexpr auto hand_on = [](auto& inv, StorageBuffer<std::uint32_t> auto objects,
                            StorageBuffer<std::uint32_t> auto shelf,
                            StorageBuffer<std::uint32_t> auto taken) {
  const std::uint32_t me = inv.workgroup_id().x;
  const std::uint32_t pair = me / 2;
  if (me % 2 == 0) {
    objects.non_private()[pair] = 7 * (pair + 1);
    inv.atomic_exchange(shelf[pair], Scope::Device, give, pair + 1);
  } else {
    std::uint32_t number = 0;
    while ((number = inv.atomic_exchange(shelf[pair], Scope::Device, take, 0)) == 0) {
    }
    taken[pair] = objects.non_private()[number - 1];
  }
};

template <MemorySemantics give, MemorySemantics take>
void test(Trial& trial) {
  const std::uint32_t pairs = trial.workgroups(3);
  auto objects = trial.device().buffer(std::vector<std::uint32_t>(pairs, 0), "objects");
  auto shelf = trial.device().buffer(std::vector<std::uint32_t>(pairs, 0), "shelf");
  auto taken = trial.device().buffer(std::vector<std::uint32_t>(pairs, 0), "taken");
  trial.device().dispatch(hand_on<give, take>, {2 * pairs}, {1}, objects, shelf, taken);
  const std::vector<std::uint32_t> found = taken.read();
  for (std::uint32_t i = 0; i < pairs; ++i)
    trial.require(found[i] == 7 * (i + 1),
                  "object " + std::to_string(i) + " was taken as " + std::to_string(found[i]));
}

int main(int argc, char** argv) {
  return mistake::compare(argc, argv, "Objects handed on by Relaxed exchanges",
                          test<MemorySemantics::None, MemorySemantics::None>,
                          test<kReleaseBuffers, kAcquireBuffers>);
}
