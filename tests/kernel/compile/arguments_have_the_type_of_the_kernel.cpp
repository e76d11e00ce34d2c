#include "kernel_under_test.h"

void test() {
  Device device;
  auto floats = device.buffer({1.0f});
  auto integers = device.buffer({1});
  const auto kernel = [](auto&, float a, StorageBuffer<float> auto x) { x[0] = a; };
  device.dispatch(kernel, {1}, {1}, 2.0f, RIGHT_OR_WRONG(floats, integers));
}
