#include "kernel_under_test.h"

void test() {
  Device device;
  auto x = device.buffer({1.0f});
  const auto kernel = [](auto&, StorageBuffer<float> auto data) { data[0] = 2; };
#ifdef HEDDLE_WRONG
  device.submit([&](Commands& commands) { commands.dispatch(kernel, {1}, {1}, x, 2.0f); });
#else
  device.submit([&](Commands& commands) { commands.dispatch(kernel, {1}, {1}, x); });
#endif
}
