// The host writes to memory that is not coherent, and does not flush: what it wrote stays in its
// cache.
#include "queue_mistake.h"

using namespace heddle;
using namespace mistake;

template <bool right>
void test(Trial& trial) {
  const LogicalDevice device = queue_device(trial);
  Numbers squares(device, "squares", 1, MemoryProperty::HostVisible);
  Numbers copies(device, "copies", 0);
  for (std::uint32_t i = 0; i < kCount; ++i) squares.map.write(i, i * i);
  if constexpr (right) squares.memory.flush();
  const Fence fence = device.fence("copied");
  device.queue().submit2(copy_commands(device, squares, copies), fence);
  fence.wait();
  require_squares(trial, copies);
}

int main(int argc, char** argv) {
  return compare(argc, argv, "A mapped range that is not flushed", test<false>, test<true>);
}
