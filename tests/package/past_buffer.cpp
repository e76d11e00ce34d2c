// A kernel that writes past the end of a buffer, natively.

#include <heddle/heddle.h>

using namespace heddle;

int main() {
  Device device(Mode::Native);
  auto x = device.buffer<std::uint32_t>(8, "x");
  device.dispatch([](auto& inv, StorageBuffer<std::uint32_t> auto y) { y[inv.local_invocation_index()] = 1; }, {1}, {9},
                  x);
}
