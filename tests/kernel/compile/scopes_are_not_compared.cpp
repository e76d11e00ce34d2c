#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)inv;
    (void)RIGHT_OR_WRONG(includes(Scope::Device, Scope::Workgroup), (Scope::Device < Scope::Workgroup));
    (void)x;
  });
}
