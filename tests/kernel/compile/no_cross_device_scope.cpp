#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)inv;
    inv.atomic_i_increment(x[0], RIGHT_OR_WRONG(Scope::Device, Scope::CrossDevice), MemorySemantics::Relaxed);
  });
}
