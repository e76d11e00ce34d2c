#pragma once

/// \file
/// The memory of fibers' stacks, with guard pages.

#include <cstddef>
#include <mutex>
#include <vector>

namespace heddle::runtime {

/// Stack memory of one fiber: [bottom, top), below it a guard that no access may touch.
struct Stack {
  std::byte* bottom = nullptr;
  std::byte* top = nullptr;

  std::size_t bytes() const { return static_cast<std::size_t>(top - bottom); }
  bool guards(const void* address) const;
};

/// Hands out stacks and keeps the ones that come back. Thread-safe.
class StackPool {
 public:
  static StackPool& instance();

  /// A stack of at least `bytes` usable bytes. Throws std::system_error if the system has no room.
  Stack take(std::size_t bytes);
  void give(Stack stack);

  /// Bytes of the deepest use that any stack has seen, in whole pages.
  std::size_t high_water_bytes();

 private:
  std::mutex mutex_;
  std::vector<Stack> all_;
  std::vector<Stack> free_;
};

}  // namespace heddle::runtime
