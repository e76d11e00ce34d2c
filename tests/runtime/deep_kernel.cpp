// A kernel that needs more stack than there is: by an array of its own, or by one of a function that it calls.

#include <heddle/heddle.h>

#include <cstdio>
#include <string_view>

using namespace heddle;

[[gnu::noinline]] std::uint32_t helper(std::uint32_t value) {
  volatile std::uint32_t large[200'000];
  for (auto& one : large) one = value;
  return large[value];
}

constexpr auto own_array = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {  // the kernel
  volatile std::uint32_t large[200'000];
  large[inv.local_invocation_index()] = 1;
  inv.workgroup_barrier();
  for (auto& one : large) one = 2;
  x[0] = std::uint32_t{large[0]};
};  // its end

constexpr auto helpers_array = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
  inv.workgroup_barrier();
  if (inv.local_invocation_index() == 1) x[0] = helper(3);
};

int main(int, char** arguments) {
  Device device(arguments[1] == std::string_view("native") ? Mode::Native : Mode::Emulated);
  auto x = device.buffer({1u, 0u}, "x");
  try {
    if (arguments[2] == std::string_view("own")) device.dispatch(own_array, {1}, {2}, x);
    if (arguments[2] == std::string_view("helper")) device.dispatch(helpers_array, {1}, {2}, x);
  } catch (const KernelError& error) {
    std::printf("%s\n", error.what());
  }
}
