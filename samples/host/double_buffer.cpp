// Two host threads and a kernel: one thread fills a buffer while the kernel works on the other one,
// a second thread adds up what the kernel made. The wrong form fills a buffer again without waiting
// for the kernel that reads it.

#include <heddle/heddle.h>
#include <heddle/host_device.h>

#include <optional>
#include <utility>
#include <vector>

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

template <bool waits>
constexpr auto pipeline = [](auto host) {
  using M = decltype(host);
  using Memory = Mapped<std::uint32_t, M>;
  DeviceQueue<M> queue;
  const std::vector<std::uint32_t> zeros(kSize);
  Memory in[] = {queue.buffer(zeros, "in 0"), queue.buffer(zeros, "in 1")};
  Memory out[] = {queue.buffer(zeros, "out 0"), queue.buffer(zeros, "out 1")};
  std::optional<Submitted<M>> running[2];
  // How many rounds the kernel has ended, and how many have been added up.
  typename M::template Atomic<std::uint32_t> made{0, "made"};
  typename M::template Atomic<std::uint32_t> added{0, "added"};

  std::uint32_t sum = 0;
  typename M::Thread adder([&] {
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      for (std::uint32_t seen = made.load(acquire); seen <= round; seen = made.load(acquire))
        M::futex_wait(made, seen);
      for (std::uint32_t i = 0; i < kSize; ++i) sum += out[round % 2].read(i);
      added.store(round + 1, release);
      M::futex_wake(added, 1);
    }
  });
  const auto end = [&](std::uint32_t round) {
    running[round % 2]->wait();
    made.store(round + 1, release);
    M::futex_wake(made, 1);
  };
  for (std::uint32_t round = 0; round < kRounds; ++round) {
    const std::uint32_t side = round % 2;
    const auto fill = [&] {
      for (std::uint32_t i = 0; i < kSize; ++i) in[side].write(i, round + i);
    };
    // The kernel that used these buffers is the one of two rounds ago.
    const auto end_older = [&] {
      if (round < 2) return;
      end(round - 2);
      for (std::uint32_t seen = added.load(acquire); seen < round - 1; seen = added.load(acquire))
        M::futex_wait(added, seen);
      running[side].reset();
    };
    if (!waits) fill();
    end_older();
    if (waits) fill();
    running[side].emplace(queue.submit(square, 1, kSize, std::as_const(in[side]), out[side]));
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
