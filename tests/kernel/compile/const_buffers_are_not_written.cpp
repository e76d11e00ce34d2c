#include "kernel_under_test.h"

void test() {
  Device device;
  auto x = device.buffer({1u});
  const auto& read_only_x = x;
  const auto kernel = [](auto&, auto data) { data[0] = 2u; };
  device.dispatch(kernel, {1}, {1}, RIGHT_OR_WRONG(x, read_only_x));
}
