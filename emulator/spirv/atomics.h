#pragma once

/// \file
/// What atomics do to a value, and what their semantics mean.

#include <heddle/operation.h>

#include <optional>

#include "emulator/spirv/tokens.h"
#include "emulator/spirv/types.h"

namespace heddle::spirv {

/// An OpAtomic* instruction on scalars of a type.
struct Atomic {
  Op op = Op::OpNop;
  ScalarType type;
};

/// What is stored when `old` is read; nothing for a compare-exchange that fails.
std::optional<std::uint64_t> modified(const Atomic& atomic, std::uint64_t old, std::uint64_t value,
                                      std::uint64_t comparator, Tokens& tokens);

/// The semantics of an operation, from the word that the instruction has: an order that it cannot have is the one that
/// makes sense, SequentiallyConsistent is AcquireRelease, and classes that mean nothing in Vulkan are left out.
MemorySemantics semantics_of(OperationKind kind, std::uint32_t word, Scope scope);

}  // namespace heddle::spirv
