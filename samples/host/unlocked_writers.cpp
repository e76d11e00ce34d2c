// Two host threads that write mapped memory for a kernel, each after the other: a lock orders
// them. The wrong form has no lock, and both write the element that they have in common.

#include <heddle/heddle.h>
#include <heddle/host_thread.h>
#include <heddle/queue.h>

#include "demonstration.h"

using namespace heddle;
using namespace heddle::threads;

namespace {

constexpr auto twice = [](auto& inv, StorageBuffer<std::uint32_t> auto all) {
  all[inv.global_invocation_id().x] *= 2;
};

/// A lock that spins on a futex.
template <typename M>
class Lock {
 public:
  void take() {
    std::uint32_t found = 0;
    while (!word_.compare_exchange(found, 1, acquire, relaxed)) {
      M::futex_wait(word_, 1);
      found = 0;
    }
  }
  void give() {
    word_.store(0, release);
    M::futex_wake(word_, 1);
  }

 private:
  typename M::template Atomic<std::uint32_t> word_{0, "lock"};
};

template <bool locks>
constexpr auto writers = [](auto host) {
  using M = decltype(host);
  LogicalDeviceOptions options;
  options.host_threads = 2;
  const LogicalDevice device(options);
  const auto memory =
      device.allocate_memory<std::uint32_t>(2, MemoryProperty::HostCoherent, "numbers");
  const auto numbers = memory.map();
  numbers.write(0, 0);
  numbers.write(1, 1);
  Lock<M> lock;
  const auto add = [&] {
    if (locks) lock.take();
    numbers.write(0, numbers.read(0) + 1);
    if (locks) lock.give();
  };
  typename M::Thread other(add);
  add();
  other.join();
  CommandBuffer commands = device.command_buffer("twice");
  commands.begin();
  auto buffer = memory.buffer();
  commands.dispatch(twice, {1}, {2}, buffer);
  commands.pipeline_barrier2({PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                              PipelineStage2::Host, Access2::HostRead});
  commands.end();
  const Fence done = device.fence("done");
  device.queue().submit2(commands, done);
  done.wait();
  M::require(numbers.read(0) == 4, "both threads have added one, and the kernel has doubled that");
};

}  // namespace

int main(int argc, char** argv) {
  return demonstrate(argc, argv, "two host threads", writers<true>, writers<false>);
}
