#pragma once

/// \file
/// The memory orders of Mu, and which operation may have which: the vocabulary of host threads.

#include <heddle/detail/language.h>

#include <cstdint>

namespace heddle {

/// How an access or a fence of a host thread takes part in ordering. Ask the questions below; never compare
/// orders by their numbers.
//= mu:memory-operations
enum class MemoryOrder : std::uint8_t { NotAtomic, Relaxed, Consume, Acquire, Release, AcqRel, SeqCst };

/// What an order stands at. A compare-exchange has one order for each of its ends.
enum class Ordered : std::uint8_t {
  Load,
  Store,
  CompareExchangeSuccess,
  CompareExchangeFailure,
  ReadModifyWrite,
  Fence,
};

constexpr bool is_atomic(MemoryOrder order) {
  return order != MemoryOrder::NotAtomic;
}
constexpr bool consumes(MemoryOrder order) {
  return order == MemoryOrder::Consume;
}
constexpr bool is_seq_cst(MemoryOrder order) {
  return order == MemoryOrder::SeqCst;
}
/// Whether a load, or a fence, of this order acquires.
//= mu:acquire-and-release-operations
constexpr bool acquires(MemoryOrder order) {
  return order == MemoryOrder::Acquire || order == MemoryOrder::AcqRel || order == MemoryOrder::SeqCst;
}
/// Whether a store, or a fence, of this order releases.
//= mu:acquire-and-release-operations
constexpr bool releases(MemoryOrder order) {
  return order == MemoryOrder::Release || order == MemoryOrder::AcqRel || order == MemoryOrder::SeqCst;
}

/// The table of the specification: whether an operation may have an order.
//= mu:order-table
constexpr bool may_have(Ordered operation, MemoryOrder order) {
  switch (order) {
    case MemoryOrder::NotAtomic:
      return operation == Ordered::Load || operation == Ordered::Store;
    case MemoryOrder::Relaxed:
      return operation != Ordered::Fence;
    case MemoryOrder::Consume:
      return operation == Ordered::Load;
    case MemoryOrder::Acquire:
      return operation != Ordered::Store;
    case MemoryOrder::Release:
      return operation != Ordered::Load && operation != Ordered::CompareExchangeFailure;
    case MemoryOrder::AcqRel:
      return operation == Ordered::CompareExchangeSuccess || operation == Ordered::ReadModifyWrite ||
             operation == Ordered::Fence;
    case MemoryOrder::SeqCst:
      return true;
  }
  return false;
}

}  // namespace heddle
