// Host threads and a kernel that one of them dispatches, natively and on weak memory.

#include <heddle/heddle.h>
#include <heddle/host_device.h>

#include <cstdio>

using namespace heddle;
using namespace heddle::threads;

constexpr auto body = [](auto host) {
  using M = decltype(host);
  DeviceQueue<M> queue;
  auto data = queue.template buffer<std::uint32_t>(8, "data");
  typename M::Thread writer([&] {
    for (std::uint32_t i = 0; i < 8; ++i) data.write(i, i);
  });
  writer.join();
  const auto doubles = [](auto& inv, StorageBuffer<std::uint32_t> auto all) { all[inv.global_invocation_id().x] *= 2; };
  auto doubled = queue.submit(doubles, 2, 4, data);
  doubled.wait();
  M::require(data.read(3) == 6, "the kernel has doubled it");
};

int main() {
  const Report native = run(body, {.mode = Mode::Native});
  const Exploration emulated = explore_seeds(body, 20);
  std::printf("%s", to_string(native).c_str());
  return native.ok() && emulated.ok() && emulated.runs == 20 ? 0 : 1;
}
