#include "kernel_under_test.h"

void test() {
  Device device;
  auto x = device.buffer({1u});
  const auto kernel = [](auto& inv, auto data, Scope scope) {
    (void)inv.atomic_i_increment(data[0], RIGHT_OR_WRONG(dynamic(scope), scope), MemorySemantics::Relaxed);
  };
  device.dispatch(kernel, {1}, {1}, x, Scope::Device);
}
