#pragma once

/// \file
/// An access of a kernel: who makes it, through which reference, and its record. It knows nothing of how invocations
/// run.

#include <heddle/detail/access_door.h>
#include <heddle/detail/allocation.h>
#include <heddle/operation.h>
#include <heddle/reference.h>
#include <heddle/tags.h>

#include <string_view>

namespace heddle::emulation {

/// A reference as an execution knows it: a descriptor, an address range or a variable.
struct Binding {
  // No aggregate: GCC clears those first, with an instruction that takes longer than all of the stores.
  constexpr Binding() {}
  /// To all of an allocation.
  Binding(detail::Allocation& of, ReferenceId r, StorageClass c)
      : reference(r),
        storage_class(c),
        allocation(&of),
        size_bytes(of.size_bytes),
        component(of.component),
        name(of.name) {}

  ReferenceId reference{};
  StorageClass storage_class = StorageClass::StorageBuffer;
  detail::Allocation* allocation = nullptr;
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  detail::ComponentType component;
  /// The name of the allocation or the variable, which outlives this.
  std::string_view name;
  /// The open binding of the AccessDoor of the thread that runs the only workgroup, or all of the workgroups, that
  /// have it; mostly null. Not a copy's.
  mutable const OpenBinding* open = nullptr;
};

/// Whether an access is inside of its binding, alive and aligned to its size, a power of two.
[[gnu::always_inline]] inline bool is_sound(const Binding& binding, std::uint64_t offset_bytes,
                                            std::uint32_t size_bytes) {
  return !binding.allocation->freed && offset_bytes + size_bytes <= binding.size_bytes &&
         ((binding.offset_bytes + offset_bytes) & (size_bytes - 1)) == 0;
}
/// Whether all bytes of a sound access of up to 8 bytes have been written, while other threads may write some.
[[gnu::always_inline]] inline bool is_initialized(const Binding& binding, std::uint64_t offset_bytes,
                                                  std::uint32_t size_bytes) {
  return binding.allocation->initialized.has_at_once(binding.offset_bytes + offset_bytes, size_bytes);
}

/// What the invocations of a resident workgroup share.
struct Resident;

/// The running invocation.
struct Agent {
  AgentId id{};
  /// The tags of the instruction that it executes.
  mutable TagSetId tags = TagSetId::Empty;
  /// Its local index.
  std::uint32_t index = 0;
  /// Its workgroup.
  Resident* resident = nullptr;

  /// Whose operation it is, and with which tags.
  void sign(Operation& operation) const {
    operation.agent = id;
    operation.tags = tags;
  }
};

/// One access through a reference: its record, and what it takes to say what is wrong with it.
struct Access {
  const Binding* binding = nullptr;
  std::uint32_t alignment_bytes = 1;
  /// One byte for each byte of the access, 0 for padding; null if there is none.
  const unsigned char* value_bytes = nullptr;
  Operation operation;

  /// From the start of the binding.
  std::uint64_t offset_bytes() const { return operation.locations.offset_bytes - binding->offset_bytes; }
  std::uint32_t size_bytes() const { return operation.locations.size_bytes; }
};

/// What qualifiers mean to a plain access.
struct Qualified {
  MemoryOperands operands = MemoryOperands::None;
  Scope available_scope = Scope::Invocation;
  Scope visible_scope = Scope::Invocation;
};
constexpr Qualified qualified(const Qualifiers& q, bool writes) {
  Qualified made;
  if (q.is_volatile) made.operands |= MemoryOperands::Volatile;
  if (q.non_private) made.operands |= MemoryOperands::NonPrivatePointer;
  if (q.coherent && writes) {
    made.operands |= MemoryOperands::MakePointerAvailable;
    made.available_scope = q.scope;
  } else if (q.coherent) {
    made.operands |= MemoryOperands::MakePointerVisible;
    made.visible_scope = q.scope;
  }
  return made;
}

}  // namespace heddle::emulation
