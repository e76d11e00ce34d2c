#pragma once

/// \file
/// Values that nothing defines: each stands for any value, and is equal to itself alone.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "emulator/spirv/arithmetic.h"

namespace heddle::spirv {

/// Whether the bits of a scalar are a token's. (No program has reason to compute with these upper bits.)
constexpr bool is_token(std::uint64_t bits) {
  return (bits >> 40) == 0xfedd1e;
}

/// The tokens of one program. Equal questions have equal answers, in whatever order they come.
class Tokens {
 public:
  /// `taken`: 32-bit values that the program names; none of them will stand for a token in memory.
  explicit Tokens(const std::set<std::uint64_t>& taken);

  /// What an invocation's slot holds before anything is written to it.
  static std::uint64_t of_slot(std::uint32_t agent, std::uint32_t slot);
  /// What a scalar of memory holds before anything is written to it.
  static std::uint64_t of_memory(std::uint32_t allocation, std::uint64_t offset);
  /// The result of a computation of which some argument is a token.
  std::uint64_t computed(const Computation& computation, std::span<const std::uint64_t> arguments);
  /// Such a result without an account of what was asked before: it is a hash of the question, so that two questions may
  /// have one answer, but as good as never do.
  static std::uint64_t derived(const Computation& computation, std::span<const std::uint64_t> arguments);

  /// A token as it lies in memory; of fewer than four bytes it is nothing but a value, 0.
  std::uint64_t to_memory(std::uint64_t bits, std::uint32_t bytes);
  std::uint64_t from_memory(std::uint64_t bits, std::uint32_t bytes) const;

 private:
  /// The result where the arguments say it all the same: what nothing defines is equal to itself.
  static std::optional<std::uint64_t> known(const Computation& computation, std::span<const std::uint64_t> arguments);
  std::uint64_t number(const std::vector<std::uint64_t>& key);

  std::uint64_t prefix_ = 0;
  std::map<std::vector<std::uint64_t>, std::uint64_t> numbers_;
  std::map<std::uint64_t, std::uint64_t> in_memory_;
  std::vector<std::uint64_t> by_memory_number_;
};

}  // namespace heddle::spirv
