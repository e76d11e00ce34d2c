// The host reads memory that is not coherent back without an invalidation: it finds what is in its
// own cache.
#include "queue_mistake.h"

using namespace heddle;
using namespace mistake;

template <bool right>
void test(Trial& trial) {
  const LogicalDevice device = queue_device(trial);
  Numbers squares(device, "squares", 1);
  Numbers copies(device, "copies", 0, MemoryProperty::HostVisible);
  for (std::uint32_t i = 0; i < kCount; ++i) squares.map.write(i, i * i);
  const Fence fence = device.fence("copied");
  device.queue().submit2(copy_commands(device, squares, copies), fence);
  fence.wait();
  if constexpr (right) copies.memory.invalidate();
  require_squares(trial, copies);
}

int main(int argc, char** argv) {
  return compare(argc, argv, "A mapped range that is not invalidated", test<false>, test<true>);
}
