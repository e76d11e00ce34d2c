#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)inv;
    inv.atomic_store(x[0], Scope::Device, RIGHT_OR_WRONG(kReleaseBuffers, kAcquireBuffers), 1);
  });
}
