#pragma once

/// \file
/// What a kernel's synchronization is about: which masks there are, and the operations of the API's domains.

#include <atomic>
#include <cstdint>
#include <vector>

#include "emulator/race/view.h"

namespace heddle::race {

/// An operation of a domain of the API.
struct DomainEvent {
  OperationKind kind = OperationKind::DeviceAvailability;
  std::uint32_t agent = 0;
  Stamp stamp = 0;
  std::uint64_t number = 0;
  ViewPointer view;
  std::uint8_t lane = 0;
};

/// Several threads may note masks at once. Domain operations are told where there is one thread.
class SyncLog {
 public:
  void add(DomainEvent event) { domain_.push_back(std::move(event)); }
  const std::vector<DomainEvent>& domain_operations() const { return domain_; }
  /// Takes notice of an operation that acquires or releases; of an atomic with its storage class.
  void note(Classes mask, Classes storage) {
    add_bit(masks_, mask);
    add_bit(on_, mask | storage);
  }
  /// Whether operations on this class can be ordered by way of others whose masks do not have it.
  bool leads_past(Classes storage) const;
  void clear() {
    masks_.store(0, std::memory_order_relaxed);
    on_.store(0, std::memory_order_relaxed);
    if (!domain_.empty()) domain_.clear();
  }

 private:
  static void add_bit(std::atomic<std::uint16_t>& bits, unsigned bit) {
    const auto mask = static_cast<std::uint16_t>(1u << bit);
    if ((bits.load(std::memory_order_relaxed) & mask) == 0) bits.fetch_or(mask, std::memory_order_relaxed);
  }

  /// The masks so far, and the classes on which operations with masks were, a bit each.
  std::atomic<std::uint16_t> masks_{0};
  std::atomic<std::uint16_t> on_{0};
  std::vector<DomainEvent> domain_;
};

}  // namespace heddle::race
