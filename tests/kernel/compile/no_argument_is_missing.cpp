#include "kernel_under_test.h"

void test() {
  Device device;
  auto x = device.buffer({1.0f});
  const auto kernel = [](auto&, float a, StorageBuffer<float> auto data) { data[0] = a; };
#ifdef HEDDLE_WRONG
  device.dispatch(kernel, {1}, {1}, 2.0f);
#else
  device.dispatch(kernel, {1}, {1}, 2.0f, x);
#endif
}
