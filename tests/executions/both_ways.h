#pragma once

/// \file
/// Small random programs, written both ways: as a kernel, and as a litmus test or as agents of the explorer.

#include <heddle/spirv.h>

#include <cstdint>
#include <optional>
#include <random>
#include <set>
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
    // The litmus dialect has no word for these three.
    CompareExchange,
    /// Compare-exchanges from 0 until that succeeds, as a lock is taken.
    Take,
    /// Adds by compare-exchanges from what was there before, until that succeeds.
    AddByCompare,
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
  bool is_loop() const { return kind == Kind::Spin || kind == Kind::Take || kind == Kind::AddByCompare; }
  bool meets_subgroup() const { return kind >= Kind::SumOfSubgroup && kind <= Kind::SubgroupBarrier; }
};

struct BothProgram {
  std::uint32_t groups = 1;
  std::uint32_t local = 1;
  std::uint32_t subgroup_size = 1;
  /// By invocation.
  std::vector<std::vector<BothInstruction>> code;

  bool has_loop() const;
  /// Whether lanes tell each other something.
  bool lanes_tell() const;

 private:
  template <typename Is>
  bool any(const Is& is) const;
};

/// In what a program is written beside the kernel, which decides what it may have.
enum class OtherForm : std::uint32_t {
  Litmus,
  /// With compare-exchanges; invocations are subgroups of their own.
  Agents,
  /// With compare-exchanges, and subgroup operations that values decide on.
  None
};

inline constexpr std::uint32_t kElements = 2;
/// So many values an invocation gets at most.
inline constexpr std::uint32_t kMostReads = 4;

BothProgram random_program(std::mt19937_64& random, OtherForm form);
/// The program in words of ours, for a message.
std::string text_of(const BothProgram& program);
/// Lanes of a subgroup tell each other what they have through memory that no kernel sees. These values, which the
/// condition names beside 0, are those that may come out of thin air where that is asked for.
std::string litmus_of(const BothProgram& program, const std::set<std::uint64_t>& values = {});

}  // namespace heddle
