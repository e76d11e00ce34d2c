#pragma once

/// \file
/// Small random programs, written both ways: as a kernel and as a litmus test.

#include <heddle/spirv.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace heddle {

struct BothInstruction {
  enum class Kind : std::uint32_t {
    Load,
    Store,
    AtomicLoad,
    AtomicStore,
    Add,
    Exchange,
    Fence,
    /// Loads until the value is not 0.
    Spin,
    /// Only kernels have it; the litmus dialect has no word for it.
    CompareExchange,
    // Lanes of a subgroup do these together; they are in the order in which they stand in the kernel.
    SumOfSubgroup,
    XorOfSubgroup,
    FirstOfSubgroup,
    SubgroupBarrier,
    /// The workgroup meets.
    Barrier
  } kind = Kind::Load;
  /// The number of an element of the buffer; kElements is a variable of the workgroup.
  std::uint32_t element = 0;
  std::uint32_t value = 0;
  /// Writes the value that the invocation got last, instead.
  bool writes_last = false;
  /// Done only if the value that the invocation got last is this one.
  std::optional<std::uint32_t> only_if;
  Scope scope = Scope::Device;
  /// Atomics and barriers have semantics.
  MemorySemantics semantics = MemorySemantics::Relaxed;
  /// Plain accesses may be non-private, and then make something available or visible.
  bool non_private = true;
  bool makes = false;

  bool gets() const;
  bool meets_subgroup() const { return kind >= Kind::SumOfSubgroup && kind <= Kind::SubgroupBarrier; }
};

struct BothProgram {
  std::uint32_t groups = 1;
  std::uint32_t local = 1;
  std::uint32_t subgroup_size = 1;
  /// By invocation.
  std::vector<std::vector<BothInstruction>> code;

  bool has(BothInstruction::Kind kind) const;
};

inline constexpr std::uint32_t kElements = 2;
/// So many values an invocation gets at most.
inline constexpr std::uint32_t kMostReads = 4;

/// `kernel_only`: with compare-exchanges, and subgroup operations that values decide on.
BothProgram random_program(std::mt19937_64& random, bool kernel_only = false);
/// Lanes of a subgroup tell each other what they have through memory that no kernel sees.
std::string litmus_of(const BothProgram& program);

}  // namespace heddle
