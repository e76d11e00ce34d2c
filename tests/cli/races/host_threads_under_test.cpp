// A program of host threads and kernels with races, for the tests of `heddle races`.
#include <heddle/heddle.h>
#include <heddle/host_thread.h>
#include <heddle/queue.h>

#include <string>

using namespace heddle;
using namespace heddle::threads;

namespace {

constexpr auto doubles = [](auto& inv, StorageBuffer<std::uint32_t> auto all) {
  all[inv.global_invocation_id().x] *= 2;
};

/// Two threads write one variable, or do so one behind the other.
template <bool racy>
constexpr auto two_threads = [](auto host) {
  using M = decltype(host);
  typename M::template Plain<int> total{0, "total"};
  {
    typename M::Thread other([&] { total.write(1); });
    if (!racy) other.join();
    total.write(2);
  }
};

/// A thread writes what a kernel that it has not waited for writes.
constexpr auto thread_and_kernel = [](auto) {
  const LogicalDevice device;
  const auto memory = device.allocate_memory<std::uint32_t>(4, MemoryProperty::HostCoherent, "data");
  const auto data = memory.map();
  for (std::uint32_t i = 0; i < 4; ++i) data.write(i, 1);
  CommandBuffer commands = device.command_buffer("doubles");
  commands.begin();
  commands.dispatch(doubles, {2}, {2}, memory.buffer());
  commands.end();
  const Fence done = device.fence("done");
  device.queue().submit2(commands, done);
  data.write(3, 5);
  done.wait();
};

/// The host reads what a kernel writes, and waits for nothing.
void no_wait() {
  LogicalDeviceOptions options;
  options.device.mode = Mode::Emulated;
  const LogicalDevice device(options);
  const auto memory = device.allocate_memory<std::uint32_t>(4, MemoryProperty::HostCoherent, "data");
  const auto data = memory.map();
  for (std::uint32_t i = 0; i < 4; ++i) data.write(i, 1);
  CommandBuffer commands = device.command_buffer("doubles");
  commands.begin();
  commands.dispatch(doubles, {2}, {2}, memory.buffer());
  commands.end();
  device.queue().submit2(commands);
  data.read(3);
}

}  // namespace

int main(int, char** arguments) {
  const std::string what = arguments[1];
  const Options options{.mode = Mode::Emulated, .seed = 1};
  if (what == "racy") run(two_threads<true>, options);
  if (what == "clean") run(two_threads<false>, options);
  if (what == "kernel") run(thread_and_kernel, options);
  if (what == "no wait") no_wait();
}
