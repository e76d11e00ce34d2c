// Host threads and a kernel that one of them submits, natively and on weak memory.

#include <heddle/heddle.h>
#include <heddle/host_thread.h>
#include <heddle/queue.h>

#include <cstdio>

using namespace heddle;
using namespace heddle::threads;

constexpr auto body = [](auto host) {
  using M = decltype(host);
  LogicalDeviceOptions options;
  options.host_threads = 2;
  const LogicalDevice device(options);
  const auto memory = device.allocate_memory<std::uint32_t>(8, MemoryProperty::HostCoherent, "data");
  const auto data = memory.map();
  typename M::Thread writer([&] {
    for (std::uint32_t i = 0; i < 8; ++i) data.write(i, i);
  });
  writer.join();
  const auto doubles = [](auto& inv, StorageBuffer<std::uint32_t> auto all) { all[inv.global_invocation_id().x] *= 2; };
  CommandBuffer commands = device.command_buffer("doubles");
  commands.begin();
  commands.dispatch(doubles, {2}, {4}, memory.buffer());
  commands.pipeline_barrier2(
      {PipelineStage2::ComputeShader, Access2::ShaderStorageWrite, PipelineStage2::Host, Access2::HostRead});
  commands.end();
  const Fence doubled = device.fence("doubled");
  device.queue().submit2(commands, doubled);
  doubled.wait();
  M::require(data.read(3) == 6, "the kernel has doubled it");
};

int main() {
  const Report native = run(body, {.mode = Mode::Native});
  const Exploration emulated = explore_seeds(body, 20);
  std::printf("%s", to_string(native).c_str());
  return native.ok() && emulated.ok() && emulated.runs == 20 ? 0 : 1;
}
