#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)inv;
    inv.memory_barrier(Scope::Device, RIGHT_OR_WRONG(kBufferBarrier, MemorySemantics::Relaxed));
  });
}
