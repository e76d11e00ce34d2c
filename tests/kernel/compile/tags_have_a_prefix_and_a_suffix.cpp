#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) { (void)inv.load(x[0], tag(RIGHT_OR_WRONG("sync-as:1", "sync-as"))); });
}
