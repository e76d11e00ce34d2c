#include "kernel_under_test.h"

#include <string>

void test() {
  Device device;
  const auto kernel = [](auto&, auto) {};
  device.dispatch(kernel, {1}, {1}, RIGHT_OR_WRONG('a', std::string("a")));
}
