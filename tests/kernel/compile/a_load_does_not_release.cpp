#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)inv;
    (void)inv.atomic_load(x[0], Scope::Device, RIGHT_OR_WRONG(kAcquireBuffers, kReleaseBuffers));
  });
}
