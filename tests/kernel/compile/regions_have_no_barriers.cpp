#include "kernel_under_test.h"

#include <heddle/phases.h>

void test() {
  compile(in_phases([](auto& group, auto x) {
    group.each([&](auto& inv) {
      RIGHT_OR_WRONG(x[0] = 1u, inv.workgroup_barrier());
      (void)inv;
      (void)x;
    });
  }));
}
