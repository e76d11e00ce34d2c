#pragma once

/// \file
/// What the workers of one dispatch share.

#include "runtime/last_words.h"
#include "runtime/launch.h"
#include "runtime/unwind.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>

namespace heddle::runtime {

/// What the workers of one dispatch share.
struct Dispatch {
  Dispatch(const Launch& what, std::uint64_t of_groups, std::uint32_t workers)
      : launch(&what), groups(of_groups), alone(workers == 1) {}

  const Launch* launch;
  std::uint64_t groups;
  /// Whether the dispatch has one worker, so that no other one counts anything here.
  bool alone;
  // Lines of their own: each is written for every workgroup.
  alignas(64) std::atomic<std::uint64_t> next_group{0};
  alignas(64) std::atomic<std::uint64_t> groups_done{0};
  alignas(64) std::atomic<std::uint32_t> resident{0};
  std::atomic<std::uint32_t> resident_peak{0};
  std::atomic<std::uint64_t> fibers{0};
  std::atomic<bool> failed{false};
  /// Workers that are at work, and those of them that have seen nothing but polling for long.
  std::atomic<std::uint32_t> busy{0};
  std::atomic<std::uint32_t> stale{0};
  std::mutex mutex;
  std::unique_ptr<Failure> failure;
  /// From the failure on: what cannot be unwound is given up, and the finding is told if the process ends before the
  /// program knows of it.
  std::optional<GivesUpStacks> gives_up;
  std::optional<LastText> told_last;

  /// Keeps the first failure, and tells of it before anything unwinds. Whether it is this one.
  bool fail(Failure f);

  /// Adds to one of the counters and returns what it was.
  template <typename Count>
  Count add(std::atomic<Count>& counter, std::type_identity_t<Count> n,
            std::memory_order order = std::memory_order_relaxed) const {
    if (!alone) [[unlikely]]
      return counter.fetch_add(n, order);
    const Count before = counter.load(std::memory_order_relaxed);
    counter.store(static_cast<Count>(before + n), std::memory_order_relaxed);
    return before;
  }
  template <typename Count>
  void subtract(std::atomic<Count>& counter, std::type_identity_t<Count> n,
                std::memory_order order = std::memory_order_relaxed) const {
    add(counter, static_cast<Count>(0 - n), order);
  }
};

}  // namespace heddle::runtime
