// A kernel that a debugger steps through: a statement of every kind, each in a line of its own.

#include <heddle/heddle.h>

#include <string_view>

using namespace heddle;

/// Where a debugger stops in an optimized kernel: in the invocation that the test steps.
[[gnu::noinline]] void stop() {
  asm volatile("");
}

int main(int, char** arguments) {
  Device device(arguments[1] == std::string_view("native") ? Mode::Native : Mode::Emulated);
  auto numbers = device.buffer(std::vector<std::uint32_t>(1000, 5u), "numbers");
  const auto kernel = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
    const auto i = inv.local_invocation_index();
    if (inv.global_invocation_id().x == 2) stop();
    x[i] = i;  // from here on
    auto tile = workgroup<std::uint32_t[4]>(inv, "tile");
    auto sum = workgroup<std::uint32_t>(inv, "sum");
    tile[i] = x[i] + 1u;
    if (i == 0) sum = 0u;
    inv.workgroup_barrier();
    inv.atomic_i_add(sum, Scope::Workgroup, MemorySemantics::Relaxed, 1u);
    inv.workgroup_barrier();
    x[i] += sum.load() + tile[3 - i].load();
    inv.memory_barrier(Scope::Device, kBufferBarrier);
    x[i + 4] = inv.group_non_uniform_i_add(GroupOperation::Reduce, i);
    x[i + 8] = 2u;
  };
  device.dispatch(kernel, {2}, {4}, numbers);
}
