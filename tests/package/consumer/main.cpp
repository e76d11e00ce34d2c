// What somebody else's project looks like: a kernel with a barrier, and where heddle::module is linked a shader, in
// both modes. It includes heddle alone: what its headers need of others they include.

#include <heddle/heddle.h>
#ifdef SHADER
#include <heddle/module.h>
#endif

#include <cstdio>

using namespace heddle;

int main() {
  for (const Mode mode : {Mode::Native, Mode::Emulated}) {
    Device device(mode);
    auto out = device.buffer<std::uint32_t>(64);
    const auto reverse = [](auto& inv, StorageBuffer<std::uint32_t> auto x) {
      auto tile = inv.template workgroup<std::uint32_t[64]>();
      const auto i = inv.local_invocation_index();
      tile[i] = i;
      inv.control_barrier(Scope::Workgroup, Scope::Workgroup, kWorkgroupBarrier);
      x[i] = std::clamp(static_cast<std::uint32_t>(tile[63 - i]), 0u, 63u);
      inv.require(x[i] < 64, "{} of {}", x[i], inv.global_invocation_id());
      if (i == 0) inv.print("{} {} {}\n", inv.global_invocation_id(), vec2{0.5f, 1}, float16(2.0f));
    };
    device.dispatch(reverse, {1}, {64}, out);
    for (std::uint32_t i = 0; i < 64; ++i) {
      if (out.read()[i] != 63 - i) return 1;
    }
#ifdef SHADER
    auto data = device.buffer<std::uint32_t>({1, 2, 3, 4});
    Module(device, SHADER).dispatch(1, {bound(0, 0, data)});
    if (data.read() != std::vector<std::uint32_t>{2, 4, 6, 8}) return 2;
#endif
  }
  std::puts("fine");
}
