#include "emulator/mu/order.h"

#include <array>

namespace heddle::mu {
namespace {

struct Name {
  MemoryOrder order;
  const char* mu;
  const char* c;
};

constexpr std::array<Name, 7> kNames{{
    {MemoryOrder::NotAtomic, "NOT_ATOMIC", "memory_order_not_atomic"},
    {MemoryOrder::Relaxed, "RELAXED", "memory_order_relaxed"},
    {MemoryOrder::Consume, "CONSUME", "memory_order_consume"},
    {MemoryOrder::Acquire, "ACQUIRE", "memory_order_acquire"},
    {MemoryOrder::Release, "RELEASE", "memory_order_release"},
    {MemoryOrder::AcqRel, "ACQ_REL", "memory_order_acq_rel"},
    {MemoryOrder::SeqCst, "SEQ_CST", "memory_order_seq_cst"},
}};

const char* subject(Ordered operation) {
  switch (operation) {
    case Ordered::Load:
      return "a load";
    case Ordered::Store:
      return "a store";
    case Ordered::CompareExchangeSuccess:
      return "a compare-exchange that succeeds";
    case Ordered::CompareExchangeFailure:
      return "a compare-exchange that fails";
    case Ordered::ReadModifyWrite:
      return "a read-modify-write";
    case Ordered::Fence:
      return "a fence";
  }
  return "";
}

}  // namespace

const char* spell(MemoryOrder order) {
  for (const Name& name : kNames)
    if (name.order == order) return name.mu;
  return "";
}

std::optional<MemoryOrder> memory_order(std::string_view name) {
  for (const Name& known : kNames)
    if (name == known.mu || name == known.c) return known.order;
  return std::nullopt;
}

//= mu:order-table
std::string refusal(Ordered operation, MemoryOrder order, bool atomic) {
  std::string allowed;
  for (const Name& name : kNames) {
    if (!may_have(operation, name.order) || (atomic && !is_atomic(name.order))) continue;
    allowed += (allowed.empty() ? "" : ", ") + std::string(name.mu);
  }
  return std::string(subject(operation)) + " must not have the order " + spell(order) + "; allowed: " + allowed;
}

}  // namespace heddle::mu
