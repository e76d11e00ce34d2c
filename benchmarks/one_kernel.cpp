// A program of one kernel, for compile_time.sh: what the compiler needs for it is what everybody waits for.

#include <heddle/heddle.h>

#include <cstdio>

using namespace heddle;

constexpr auto block_sum = [](auto& inv, StorageBuffer<const std::uint32_t> auto in,
                              StorageBuffer<std::uint32_t> auto out) {
  auto tile = inv.template workgroup<std::uint32_t[256]>("tile");
  const auto i = inv.local_invocation_index();
  tile[i] = in[inv.global_invocation_id().x];
  inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  for (std::uint32_t half = 128; half > 0; half /= 2) {
    if (i < half) tile[i] += tile[i + half];
    inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
  }
  if (i == 0) out[inv.workgroup_id().x] = tile[0];
};

int main() {
  Device device;
  auto in = device.buffer(std::vector<std::uint32_t>(1 << 12, 1), "in");
  auto out = device.buffer<std::uint32_t>(in.size() / 256, "out");
  device.dispatch(block_sum, {in.size() / 256}, {256}, read_only(in), out);
  std::printf("%u\n", out.read()[0]);
}
