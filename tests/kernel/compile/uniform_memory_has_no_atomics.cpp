#include "kernel_under_test.h"

void test() {
  Device device;
  auto x = device.buffer({1u});
  const auto kernel = [](auto& inv, auto data) {
    (void)inv.atomic_load(data[0], Scope::Device, MemorySemantics::Relaxed);
  };
  device.dispatch(kernel, {1}, {1}, RIGHT_OR_WRONG(read_only(x), uniform(x)));
}
