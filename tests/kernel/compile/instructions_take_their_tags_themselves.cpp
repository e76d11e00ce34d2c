#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)x;
    (void)inv.atomic_load(RIGHT_OR_WRONG(x[0], x.with(tag("sync-as:1"))[0]), Scope::Device, MemorySemantics::Relaxed);
  });
}
