#pragma once

/// \file
/// Memory orders as types, so that one that an operation must not have is refused when the program is compiled. Not for
/// users; see heddle/host_thread.h.

#include <heddle/memory_order.h>

namespace heddle::threads {

template <MemoryOrder order>
struct Order {
  static constexpr MemoryOrder value = order;
};
inline constexpr Order<MemoryOrder::NotAtomic> not_atomic{};
inline constexpr Order<MemoryOrder::Relaxed> relaxed{};
inline constexpr Order<MemoryOrder::Consume> consume{};
inline constexpr Order<MemoryOrder::Acquire> acquire{};
inline constexpr Order<MemoryOrder::Release> release{};
inline constexpr Order<MemoryOrder::AcqRel> acq_rel{};
inline constexpr Order<MemoryOrder::SeqCst> seq_cst{};

namespace detail {

// The rows of the table.
//= mu:order-table
template <MemoryOrder order>
constexpr void check_load() {
  static_assert(may_have(Ordered::Load, order),
                "a load must not have this order; allowed: NOT_ATOMIC, RELAXED, CONSUME, ACQUIRE, SEQ_CST");
}
template <MemoryOrder order>
constexpr void check_store() {
  static_assert(may_have(Ordered::Store, order),
                "a store must not have this order; allowed: NOT_ATOMIC, RELAXED, RELEASE, SEQ_CST");
}
template <MemoryOrder order>
constexpr void check_read_modify_write() {
  static_assert(may_have(Ordered::ReadModifyWrite, order),
                "a read-modify-write must not have this order; allowed: RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST");
}
template <MemoryOrder success, MemoryOrder failure>
constexpr void check_compare_exchange() {
  static_assert(may_have(Ordered::CompareExchangeSuccess, success),
                "a compare-exchange that succeeds must not have this order; allowed: RELAXED, ACQUIRE, RELEASE, "
                "ACQ_REL, SEQ_CST");
  static_assert(may_have(Ordered::CompareExchangeFailure, failure),
                "a compare-exchange that fails must not have this order; allowed: RELAXED, ACQUIRE, SEQ_CST");
}
template <MemoryOrder order>
constexpr void check_fence() {
  static_assert(may_have(Ordered::Fence, order),
                "a fence must not have this order; allowed: ACQUIRE, RELEASE, ACQ_REL, SEQ_CST");
}

}  // namespace detail
}  // namespace heddle::threads
