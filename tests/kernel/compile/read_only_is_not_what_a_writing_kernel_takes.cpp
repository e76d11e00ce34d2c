#include "kernel_under_test.h"

void test() {
  Device device;
  auto x = device.buffer({1.0f});
  const auto kernel = [](auto&, StorageBuffer<float> auto data) { data[0] = 2; };
  device.dispatch(kernel, {1}, {1}, RIGHT_OR_WRONG(x, read_only(x)));
}
