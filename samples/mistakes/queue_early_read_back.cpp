// The host reads back what a queue computes, and does not wait for the fence.
#include "queue_mistake.h"

using namespace heddle;
using namespace mistake;

template <bool right>
void test(Trial& trial) {
  const LogicalDevice device = queue_device(trial);
  Numbers squares(device, "squares", 1);
  Numbers copies(device, "copies", 0);
  for (std::uint32_t i = 0; i < kCount; ++i) squares.map.write(i, i * i);
  const Fence fence = device.fence("copied");
  device.queue().submit2(copy_commands(device, squares, copies), fence);
  if constexpr (right) fence.wait();
  require_squares(trial, copies);
}

int main(int argc, char** argv) {
  return compare(argc, argv, "A read-back without a wait", test<false>, test<true>);
}
