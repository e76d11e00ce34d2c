#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)inv;
    inv.atomic_i_add(x[0], Scope::Device, RIGHT_OR_WRONG(MemorySemantics::Relaxed, MemorySemantics::UniformMemory), 1);
  });
}
