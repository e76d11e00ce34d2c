// A kernel that writes element `argv[2]` of an array of 8 on the heap or on its stack, on a fiber.

#include <heddle/heddle.h>

#include <cstdlib>
#include <memory>
#include <string_view>

using namespace heddle;

int main(int, char** arguments) {
  Device device(Mode::Native);
  const bool heap = arguments[1] == std::string_view("heap");
  const int index = std::atoi(arguments[2]);
  const auto kernel = [](auto& inv, std::uint32_t on_heap, int at) {
    int array[8] = {};
    const std::unique_ptr<int[]> made(new int[8]());
    volatile int* target = on_heap ? made.get() : array;
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
    if (inv.local_invocation_index() == 5) target[at] = 1;
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  };
  device.dispatch(kernel, {1}, {8}, std::uint32_t{heap}, index);
}
