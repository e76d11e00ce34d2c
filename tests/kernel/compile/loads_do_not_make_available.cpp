#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)inv;
    (void)inv.load(x[0],
                   MemoryOperands::NonPrivatePointer |
                       RIGHT_OR_WRONG(MemoryOperands::MakePointerVisible, MemoryOperands::MakePointerAvailable),
                   Scope::Device);
  });
}
