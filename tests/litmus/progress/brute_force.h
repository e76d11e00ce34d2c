#pragma once

/// \file
/// Small random programs, and whether they end under models of forward progress: by trying every set of threads that
/// may go on for ever, and every choice of the groups that make progress.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "emulator/progress/models.h"

namespace heddle::litmus {

struct SmallInstruction {
  enum class Kind { Load, Store, Exchange, Xor, BranchIfEqual, BranchIfNot, CompareExchange } kind = Kind::Load;
  unsigned variable = 0;
  unsigned value = 0;
  /// What a compare-exchange finds if it writes.
  unsigned expected = 0;
  unsigned target = 0;
};

/// A thread with one register.
struct SmallThread {
  progress::ProgressPlace place{};
  std::vector<SmallInstruction> code;
};

using SmallProgram = std::vector<SmallThread>;

inline constexpr unsigned kSmallVariables = 2;

SmallProgram random_small_program(std::mt19937_64& random);
/// A program as Sorensen and others synthesize them: each instruction is an atomic (a load, an exchange or, if they are
/// asked for, a compare-exchange) and a branch on what it found. `sizes` are those of the threads, each a workgroup of
/// its own.
SmallProgram random_branching_program(std::mt19937_64& random, const std::vector<unsigned>& sizes, bool compares);
/// Without compare-exchanges, which the dialect has not: as a test of the Vulkan dialect.
std::string text_of(const SmallProgram& program);

/// Whether the program ends, by brute force.
bool ends(const SmallProgram& program, const progress::ProgressModels& models);

}  // namespace heddle::litmus
