#include "kernel_under_test.h"

void test() {
  Device device;
  auto floats = device.buffer({1.0f});
  auto integers = device.buffer({1u});
  const auto kernel = [](auto& inv, auto x) { inv.atomic_i_add(x[0], Scope::Device, MemorySemantics::Relaxed, 1); };
  device.dispatch(kernel, {1}, {1}, RIGHT_OR_WRONG(integers, floats));
}
