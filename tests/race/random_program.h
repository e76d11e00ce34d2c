#pragma once

/// \file
/// The programs of random kernels: what each invocation does in a round, and what is wrong with it.

#include <heddle/operation.h>

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "tests/race/random_kernels.h"

namespace heddle::race {

/// A lock is taken by a read-modify-write that finds 0.
enum class Does : std::uint8_t { Nothing, Access, Barrier, Fence, Await, Lock };
/// Which word of its buffer an instruction accesses. A near neighbour is one of the same subgroup.
enum class At : std::uint8_t { Own, Neighbour, NearNeighbour, OtherGroup, OfGroup, Bin, Only };
enum class Who : std::uint8_t { All, First, Turn };

struct Buffer {
  std::uint32_t allocation = 0;
  StorageClass storage = StorageClass::StorageBuffer;
  /// Words of its own in each round.
  bool fresh = false;
};

struct Instruction {
  Does does = Does::Nothing;
  Operation operation;
  Buffer buffer;
  At at = At::Own;
  std::uint32_t shift = 0;
  /// Turns of the inner loop.
  std::uint32_t elements = 1;
  Who who = Who::All;
  /// Only the workgroup does it that took the last of these tickets of the round.
  std::optional<std::uint32_t> only_last;
  /// Whether the workgroup that a read-modify-write counts last is the last one.
  bool takes_ticket = false;
  bool not_in_first_group = false;
  /// What it writes; else one more than it finds, or the number of the round, from 1.
  std::optional<std::uint64_t> writes;
  /// Await ends when the value is at least `each_round * round + more`.
  std::uint64_t each_round = 0;
  std::uint64_t more = 0;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::uint32_t below(std::uint32_t n) { return std::uniform_int_distribution<std::uint32_t>(0, n - 1)(random_); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::mt19937_64 random_;
};

struct Program {
  std::uint32_t groups = 2;
  std::uint32_t size = 8;
  std::uint32_t subgroup = 8;
  std::vector<Instruction> body;
};

/// A mistake that was made: where, and what stands there instead.
struct Planted {
  Mistake mistake = Mistake::None;
  std::size_t at = 0;
  Instruction instead;
  /// All of them if there is none.
  std::optional<std::uint32_t> round;

  bool is_at(std::size_t instruction, std::uint32_t now) const {
    return mistake != Mistake::None && instruction == at && (!round || *round == now);
  }
};

/// A program without a mistake.
Program write_program(Random& random);
/// One of a random kind, if the program has anything that could be wrong in that way.
Planted plant(const Program& program, Random& random);

}  // namespace heddle::race
