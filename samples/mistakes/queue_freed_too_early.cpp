// The host frees memory that a submitted command uses, before it waits for the fence.
#include "queue_mistake.h"

using namespace heddle;
using namespace mistake;

template <bool right>
void test(Trial& trial) {
  const LogicalDevice device = queue_device(trial);
  Numbers squares(device, "squares", 1);
  CommandBuffer commands = device.command_buffer("squares");
  commands.begin();
  commands.dispatch(kWriteSquares, {1}, {kCount}, squares.buffer);
  commands.end();
  const Fence fence = device.fence("done");
  device.queue().submit2(commands, fence);
  if constexpr (right) fence.wait();
  squares.memory.free();
  if constexpr (!right) fence.wait();
  device.require_no_races();
}

int main(int argc, char** argv) {
  return compare(argc, argv, "Memory that is freed too early", test<false>, test<true>);
}
