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
  CommandBuffer commands = device.command_buffer("copy");
  commands.begin();
  commands.dispatch(kCopySquares, {1}, {kCount}, squares.buffer, copies.buffer);
  commands.pipeline_barrier2(kToHost);
  commands.end();
  const Fence fence = device.fence("copied");
  device.queue().submit2(commands, fence);
  if constexpr (right) fence.wait();
  require_squares(trial, copies);
}

int main(int argc, char** argv) {
  return compare(argc, argv, "A read-back without a wait", test<false>, test<true>);
}
