// Two host threads and a kernel: one thread fills a buffer while the kernel works on the other one,
// a second thread adds up what the kernel made. The wrong form fills a buffer again without waiting
// for the kernel that reads it.

#include <heddle/heddle.h>
#include <heddle/host_thread.h>
#include <heddle/queue.h>

#include <string>

#include "demonstration.h"

using namespace heddle;
using namespace heddle::threads;

namespace {

constexpr std::uint32_t kSize = 8;
constexpr std::uint32_t kRounds = 4;

constexpr auto square = [](auto& inv, StorageBuffer<const std::uint32_t> auto in,
                           StorageBuffer<std::uint32_t> auto out) {
  const auto i = inv.global_invocation_id().x;
  out[i] = in[i] * in[i];
};

/// One of the two buffers, with what the kernel makes of it, and the commands that do so.
struct Side {
  Side(const LogicalDevice& device, const std::string& number)
      : in(device.allocate_memory<std::uint32_t>(kSize, MemoryProperty::HostCoherent,
                                                 "in " + number)),
        out(device.allocate_memory<std::uint32_t>(kSize, MemoryProperty::HostCoherent,
                                                  "out " + number)),
        filled(in.map()),
        squares(out.map()),
        commands(device.command_buffer("squares " + number)),
        done(device.fence("done " + number)) {
    commands.begin();
    auto from = in.buffer();
    auto to = out.buffer();
    commands.dispatch(square, {1}, {kSize}, read_only(from), to);
    commands.pipeline_barrier2({PipelineStage2::ComputeShader, Access2::ShaderStorageWrite,
                                PipelineStage2::Host, Access2::HostRead});
    commands.end();
  }
  DeviceMemory<std::uint32_t> in;
  DeviceMemory<std::uint32_t> out;
  MappedMemory<std::uint32_t> filled;
  MappedMemory<std::uint32_t> squares;
  CommandBuffer commands;
  Fence done;
};

template <bool waits>
constexpr auto pipeline = [](auto host) {
  using M = decltype(host);
  LogicalDeviceOptions options;
  options.host_threads = 2;
  const LogicalDevice device(options);
  const Side sides[] = {Side(device, "0"), Side(device, "1")};
  // How many rounds the kernel has ended, and how many have been added up.
  typename M::template Atomic<std::uint32_t> made{0, "made"};
  typename M::template Atomic<std::uint32_t> added{0, "added"};

  std::uint32_t sum = 0;
  typename M::Thread adder([&] {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      for (std::uint32_t seen = made.load(acquire); seen <= round; seen = made.load(acquire))
        M::futex_wait(made, seen);
      for (std::uint32_t i = 0; i < kSize; ++i) sum += sides[round % 2].squares.read(i);
      added.store(round + 1, release);
      M::futex_wake(added, 1);
    }
  });
  const auto end = [&](std::uint32_t round) {
    sides[round % 2].done.wait();
    made.store(round + 1, release);
    M::futex_wake(made, 1);
  };
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const Side& side = sides[round % 2];
    const auto fill = [&] {
      for (std::uint32_t i = 0; i < kSize; ++i) side.filled.write(i, round + i);
    };
    // The kernel that used these buffers is the one of two rounds ago.
    const auto end_older = [&] {
      if (round < 2) return;
      end(round - 2);
      for (std::uint32_t seen = added.load(acquire); seen < round - 1; seen = added.load(acquire))
        M::futex_wait(added, seen);
      side.done.reset();
    };
    if (!waits) fill();
    end_older();
    if (waits) fill();
    device.queue().submit2(side.commands, side.done);
  }
  end(kRounds - 2);
  end(kRounds - 1);
  adder.join();
  std::uint32_t expected = 0;
  for (std::uint32_t round = 0; round < kRounds; ++round)
    for (std::uint32_t i = 0; i < kSize; ++i) expected += (round + i) * (round + i);
  M::require(sum == expected, "every square has been added once");
};

}  // namespace

int main(int argc, char** argv) {
  return demonstrate(argc, argv, "double buffer", pipeline<true>, pipeline<false>, 100);
}
