#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)inv;
    inv.control_barrier(RIGHT_OR_WRONG(Scope::Workgroup, Scope::Device), Scope::Workgroup, kWorkgroupBarrier);
  });
}
