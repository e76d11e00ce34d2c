#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)inv;
    auto kept = x[0];
    (void)kept;
    x[1] = RIGHT_OR_WRONG(x[0] + 1u, kept + 1u);
  });
}
