#include "kernel_under_test.h"

#include <heddle/phases.h>

void test() {
  compile(in_phases([](auto& group, auto x) {
    group.each([&](auto& inv) {
      x[0] = RIGHT_OR_WRONG(1u, 0u);
      RIGHT_OR_WRONG((void)inv, inv.group_non_uniform_elect());
    });
  }));
}
