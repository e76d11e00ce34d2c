// A kernel whose workgroups, on several threads, all add to one element: with plain accesses, or with
// atomics. Each waits for the other at the device's first element, so that both run at once.

#include <heddle/heddle.h>

#include <string_view>

using namespace heddle;

int main(int, char** arguments) {
  const bool atomic = arguments[1] == std::string_view("atomic");
  DeviceOptions options;
  options.mode = Mode::Native;
  options.workers = 2;
  Device device(options);
  auto arrived = device.buffer({0u});
  auto sum = device.buffer({0u});
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto here, StorageBuffer<std::uint32_t> auto out,
                         std::uint32_t with_atomics) {
    // Relaxed: workgroups that meet are not synchronized.
    inv.atomic_i_add(here[0], Scope::Device, MemorySemantics::Relaxed, 1u);
    while (inv.atomic_load(here[0], Scope::Device, MemorySemantics::Relaxed) <
           inv.num_workgroups().x * inv.workgroup_size().x) {
    }
    if (with_atomics != 0) {
      inv.atomic_i_add(out[0], Scope::Device, MemorySemantics::Relaxed, 1u);
    } else {
      out[0] += 1u;
    }
    // A wait, so that invocations are on fibers when they go on.
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  };
  device.dispatch(kernel, {2}, {8}, arrived, sum, std::uint32_t{atomic});
}
