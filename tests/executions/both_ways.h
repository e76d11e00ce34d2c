#pragma once

/// \file
/// Small random programs, written both ways: as a kernel and as a litmus test.

#include <array>
#include <cstdint>
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
    Barrier
  } kind = Kind::Load;
  std::uint32_t element = 0;
  std::uint32_t value = 0;
  /// Whether an atomic or a fence acquires, releases, or both.
  bool orders = false;
};

struct BothProgram {
  std::uint32_t groups = 1;
  std::uint32_t local = 1;
  /// By invocation.
  std::vector<std::vector<BothInstruction>> code;
};

inline constexpr std::uint32_t kElements = 2;
/// So many values an invocation reads at most.
inline constexpr std::uint32_t kMostReads = 4;

BothProgram random_program(std::mt19937_64& random);
std::string litmus_of(const BothProgram& program);

}  // namespace heddle
