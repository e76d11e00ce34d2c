#pragma once

/// \file
/// The door that a kernel's accesses go through where somebody is told of them.

#include <heddle/detail/modify.h>
#include <heddle/operation.h>
#include <heddle/reference.h>

#include <cstddef>
#include <cstdint>

namespace heddle::emulation {

struct Agent;
struct Binding;

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

/// What an AccessDoor keeps of a binding for itself, to find it at once.
struct OpenBinding {};

}  // namespace heddle::emulation
