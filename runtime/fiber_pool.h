#pragma once

/// \file
/// The fibers of one worker: those that run nothing are parked, and are taken again, the last one first.

#include "runtime/fiber.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::runtime {

/// Makes fibers, all of which begin with one function, and keeps those that are at nothing.
class FiberPool {
 public:
  /// Fibers will call `entry(argument)`, which must not return.
  FiberPool(void (*entry)(void*), void* argument) : entry_(entry), argument_(argument) {}

  /// A dispatch begins that wants stacks of that size. All fibers are parked.
  void begin_dispatch(std::size_t stack_bytes) {
    if (stack_bytes_ != stack_bytes) [[unlikely]]
      forget(stack_bytes);
    parked_before_ = parked_low_ = parked_.size();
    made_ = 0;
  }
  /// How many fibers were needed at once since then.
  std::uint64_t used() const { return parked_before_ - parked_low_ + made_; }

  /// Whether one can be taken that exists.
  bool has_parked() const { return !parked_.empty(); }
  /// Makes one more, and parks it. Throws std::system_error if there is no memory for its stack.
  [[gnu::noinline]] void make();
  Fiber* take() {
    if (parked_.empty()) [[unlikely]]
      make();
    Fiber* fiber = parked_.back();
    parked_.pop_back();
    if (parked_.size() < parked_low_) parked_low_ = parked_.size();
    if (parked_.size() >= 2) prefetch();
    return fiber;
  }
  void park(Fiber* fiber) { parked_.push_back(fiber); }

 private:
  /// New ones get stacks of the size that is wanted now.
  [[gnu::noinline]] void forget(std::size_t stack_bytes);
  // The stack on which the next one will start: where it goes on, and what it will fill below.
  void prefetch() const {
    constexpr int kLinesBelow = 4;
    const auto* top = static_cast<const std::byte*>(parked_.back()->parked);
    __builtin_prefetch(top);
    for (int line = 1; line <= kLinesBelow; ++line) __builtin_prefetch(top - 64 * line, 1);
    __builtin_prefetch(&parked_[parked_.size() - 2]->parked);
  }

  void (*entry_)(void*);
  void* argument_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> parked_;
  std::size_t stack_bytes_ = 0;
  /// When the dispatch began: how many were parked. And in it: the fewest that were, and how many were made.
  std::size_t parked_before_ = 0;
  std::size_t parked_low_ = 0;
  std::uint64_t made_ = 0;
};

}  // namespace heddle::runtime
