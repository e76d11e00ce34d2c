#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)inv;
    inv.atomic_compare_exchange(x[0], Scope::Device, kReleaseBuffers, RIGHT_OR_WRONG(kAcquireBuffers, kReleaseBuffers),
                                1, 0);
  });
}
