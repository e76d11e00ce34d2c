// A kernel whose workgroups, on several threads, all add to one element: with plain accesses, or with
// atomics. Each waits for the other at the device's first element, so that both run at once. With `stacks` instead
// kernels take stacks, give them back and throw, on several threads, and do nothing that races.

#include <heddle/heddle.h>

#include <stdexcept>
#include <string_view>
#include <vector>

using namespace heddle;

namespace {

int use_stacks() {
  constexpr std::uint32_t kGroups = 64;
  constexpr std::uint32_t kInvocations = 256;
  const auto sum = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
    auto tile = workgroup<std::uint32_t[kInvocations]>(inv, "tile");
    const std::uint32_t i = inv.local_invocation_index();
    tile[i] = 1u;
    inv.workgroup_barrier();
    for (std::uint32_t half = kInvocations / 2; half > 0; half /= 2) {
      if (i < half) tile[i] += tile[i + half];
      inv.workgroup_barrier();
    }
    if (i == 0) out[inv.workgroup_id().x] = tile[0];
  };
  const auto throws = [](auto& inv, StorageBuffer<std::uint32_t> auto out) {
    const std::uint32_t lanes = inv.group_non_uniform_i_add(GroupOperation::Reduce, 1u);
    inv.atomic_i_add(out[0], Scope::Device, MemorySemantics::Relaxed, lanes);
    inv.workgroup_barrier();
    if (inv.global_invocation_id().x == 33) throw std::runtime_error("thrown");
  };
  for (int time = 0; time < 3; ++time) {
    Device device(Mode::Native);
    auto out = device.buffer(std::vector<std::uint32_t>(kGroups, 0u));
    device.dispatch(sum, {kGroups}, {kInvocations}, out);
    if (out.read() != std::vector<std::uint32_t>(kGroups, kInvocations)) return 1;
    try {
      device.dispatch(throws, {4}, {64}, out);
      return 1;
    } catch (const KernelError&) {
    }
  }
  return 0;
}

}  // namespace

int main(int, char** arguments) {
  if (arguments[1] == std::string_view("stacks")) return use_stacks();
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
