#include "kernel_under_test.h"

// The buffer that it is dispatched with is a writable one.
void test() {
  compile([](auto& inv, StorageBuffer<const std::uint32_t> auto x) {
    (void)inv;
    const std::uint32_t value = x[0];
    RIGHT_OR_WRONG((void)value, x[0] = value + 1u);
  });
}
