#pragma once

/// \file
/// An access of a kernel: who makes it, through which reference, its record, and the door that it goes through where
/// somebody is told of it. Nothing here knows how invocations run.

#include <heddle/detail/allocation.h>
#include <heddle/detail/modify.h>
#include <heddle/operation.h>
#include <heddle/reference.h>
#include <heddle/tags.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace heddle::emulation {

/// What an AccessDoor keeps of a binding for itself, to find it at once.
struct OpenBinding {};

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

/// What an atomic makes of the old value and of its operand, two words; Other: anything.
enum class Arithmetic : std::uint8_t {
  Other,
  Add,
  Subtract,
  SignedMin,
  UnsignedMin,
  SignedMax,
  UnsignedMax,
  And,
  Or,
  Xor,
};
/// The arithmetic with its operand. (It passes in a register.)
struct Calculation {
  Arithmetic what = Arithmetic::Other;
  std::uint32_t operand = 0;

  /// What it makes of the old value. Not of Other.
  constexpr std::uint32_t of(std::uint32_t old) const {
    // Most do.
    if (what == Arithmetic::Add) [[likely]]
      return old + operand;
    const auto s = [](std::uint32_t word) { return static_cast<std::int32_t>(word); };
    switch (what) {
      case Arithmetic::Subtract:
        return old - operand;
      case Arithmetic::SignedMin:
        return s(operand) < s(old) ? operand : old;
      case Arithmetic::UnsignedMin:
        return operand < old ? operand : old;
      case Arithmetic::SignedMax:
        return s(old) < s(operand) ? operand : old;
      case Arithmetic::UnsignedMax:
        return old < operand ? operand : old;
      case Arithmetic::And:
        return old & operand;
      case Arithmetic::Or:
        return old | operand;
      default:
        return old ^ operand;
    }
  }
};

/// What an instruction says of itself but for the names of its place, packed: a constant of the kernel, mostly,
/// that passes in a register.
class InstructionCode {
 public:
  /// None.
  constexpr InstructionCode() = default;
  /// A plain access of at most 8 bytes.
  static constexpr InstructionCode plain(OperationKind kind, std::uint32_t size_bytes, std::uint32_t line,
                                         const Qualifiers& q) {
    // Part by part: what was stored in parts and is loaded as a whole is waited for.
    return {kind, size_bytes, line, q.scope,
            std::uint32_t{q.non_private} | std::uint32_t{q.coherent} << 1 | std::uint32_t{q.is_volatile} << 2};
  }
  /// None with semantics that the specification does not know.
  static constexpr InstructionCode atomic(OperationKind kind, std::uint32_t size_bytes, std::uint32_t line, Scope scope,
                                          MemorySemantics semantics) {
    const auto meaning = static_cast<std::uint32_t>(semantics);
    if (meaning >> kMeaningBits != 0) return {};
    return {kind, size_bytes, line, scope, meaning};
  }

  constexpr OperationKind kind() const { return static_cast<OperationKind>(field(kKindAt, kKindBits)); }
  constexpr std::uint32_t size_bytes() const { return field(kSizeAt, kSizeBits); }
  constexpr std::uint32_t line() const { return field(kLineAt, 32); }
  /// The qualifiers of a plain access.
  constexpr Qualifiers qualifiers() const {
    const std::uint32_t meaning = field(0, kMeaningBits);
    return {(meaning & 1) != 0, (meaning & 2) != 0, (meaning & 4) != 0, scope()};
  }
  constexpr Scope scope() const { return static_cast<Scope>(field(kScopeAt, kScopeBits)); }
  /// The semantics of an atomic.
  constexpr MemorySemantics semantics() const { return static_cast<MemorySemantics>(field(0, kMeaningBits)); }

  friend constexpr bool operator==(InstructionCode, InstructionCode) = default;
  /// A number that mostly differs for instructions near to each other.
  constexpr std::uint64_t hash() const { return bits_ >> kKindAt; }

 private:
  /// The scope is one that an instruction may name.
  constexpr InstructionCode(OperationKind kind, std::uint32_t size_bytes, std::uint32_t line, Scope scope,
                            std::uint32_t meaning)
      : bits_(std::uint64_t{line} << kLineAt | std::uint64_t{static_cast<std::uint8_t>(kind)} << kKindAt |
              std::uint64_t{size_bytes} << kSizeAt | std::uint64_t{static_cast<std::uint32_t>(scope)} << kScopeAt |
              meaning) {}
  constexpr std::uint32_t field(std::uint32_t at, std::uint32_t bits) const {
    return static_cast<std::uint32_t>(bits_ >> at & ((std::uint64_t{1} << bits) - 1));
  }

  static constexpr std::uint32_t kMeaningBits = 20;
  static constexpr std::uint32_t kScopeAt = 20, kScopeBits = 4;
  static constexpr std::uint32_t kSizeAt = 24, kSizeBits = 4;
  static constexpr std::uint32_t kKindAt = 30, kKindBits = 2;
  static constexpr std::uint32_t kLineAt = 32;

  std::uint64_t bits_ = 0;
};

/// The way of the accesses that somebody is told of. An access is done when its call returns, and whoever listens has
/// been told of it; if something is wrong with it, a finding was raised.
class AccessDoor {
 public:
  /// The most bytes of an access.
  static constexpr std::uint32_t kMostBytes = 4;

  virtual ~AccessDoor() = default;

  // An instruction is its code, its file and its function, one by one for them to pass in registers.
  /// A plain access whose size is its alignment. The value is in the first bytes of what is returned.
  virtual std::uint32_t read(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                             InstructionCode code, const char* file, const char* function) = 0;
  virtual void write(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
                     const char* file, const char* function, std::uint32_t bits) = 0;
  /// A read-modify-write of kMostBytes that neither acquires nor releases. Returns the old value.
  virtual std::uint32_t calculate(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes,
                                  InstructionCode code, const char* file, const char* function, Calculation what) = 0;
  /// A read-modify-write as of `calculate`, by any function. `unequal` are the semantics if that does not modify.
  virtual void update(const Agent& agent, const Binding& binding, std::uint64_t offset_bytes, InstructionCode code,
                      const char* file, const char* function, MemorySemantics unequal, Modify modify,
                      void* context) = 0;
};

}  // namespace heddle::emulation
