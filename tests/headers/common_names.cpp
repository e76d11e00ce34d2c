// A program whose variables have the names of parameters in headers. Where those are system headers, as find_package
// has them, no warning of shadowed names comes out of them, nor out of the templates that are made of them.

int i, k, x, y, z, value, count, size, first, last, where, name, options, seed, scope, memory, group, row, bytes, other;

#include <heddle/explore.h>
#include <heddle/heddle.h>
#include <heddle/host_thread.h>
#include <heddle/queue.h>

int main() {
  using namespace heddle;
  Device device;
  auto numbers = device.buffer<std::uint32_t>(64, "numbers");
  device.dispatch(
      [](auto& inv, StorageBuffer<std::uint32_t> auto all) {
        auto tile = workgroup<std::uint32_t[64]>(inv, "tile");
        const auto me = inv.local_invocation_index();
        tile[me] = all[me] + inv.atomic_i_add(all[0], Scope::Device, MemorySemantics::Relaxed, 1u);
        inv.workgroup_barrier();
        all[me] = tile[63 - me] * inv.group_non_uniform_i_add(GroupOperation::Reduce, me);
      },
      {1}, {64}, numbers);
  return numbers.read()[0] == 0 ? 1 : 0;
}
