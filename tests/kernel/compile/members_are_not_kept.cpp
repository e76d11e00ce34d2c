#include "kernel_under_test.h"

void test() {
  compile([](auto& inv, auto x) {
    (void)inv;
    auto pairs = view_as<uvec2>(x);
    RIGHT_OR_WRONG(const std::uint32_t kept = pairs[0].x, auto kept = pairs[0].x);
    (void)kept;
  });
}
