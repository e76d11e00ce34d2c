#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)inv;
    (void)inv.load(x[0],
                   RIGHT_OR_WRONG(MemoryOperands::NonPrivatePointer | MemoryOperands::MakePointerVisible,
                                  MemoryOperands::MakePointerVisible),
                   Scope::Device);
  });
}
