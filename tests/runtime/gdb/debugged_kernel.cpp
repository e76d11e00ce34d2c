// A kernel that a debugger stops in, after its barrier.

#include <heddle/heddle.h>

#include <string_view>

using namespace heddle;

[[gnu::noinline]] std::uint32_t after_the_barrier(std::uint32_t invocation) {
  asm volatile("" : "+r"(invocation));
  return invocation;
}

int main(int, char** arguments) {
  Device device(arguments[1] == std::string_view("native") ? Mode::Native : Mode::Emulated);
  auto out = device.buffer<std::uint32_t>(8);
  const auto kernel = [](auto& inv, auto results) {
    const auto i = inv.local_invocation_index();
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    results[i] = after_the_barrier(i);
  };
  device.dispatch(kernel, {1}, {8}, out);
}
