#pragma once

/// \file
/// The functions of a module as graphs of blocks.

#include <optional>
#include <vector>

#include "emulator/spirv/definitions.h"

namespace heddle::spirv {

struct Block {
  const Instruction* label = nullptr;
  /// Behind the label, up to the terminator.
  std::vector<const Instruction*> body;
  const Instruction* terminator = nullptr;
  /// The merge instruction before the terminator, if there is one.
  const Instruction* merge = nullptr;
  /// Indices of blocks, each once.
  std::vector<std::size_t> successors;
  /// Number of the innermost loop that the block is in.
  std::optional<std::size_t> loop;
  /// Whether a loop begins with it, and which.
  std::optional<std::size_t> header_of;
};

/// A natural loop: all jumps back to its header, which dominates them.
struct BlockLoop {
  std::size_t header = 0;
  std::optional<std::size_t> parent;
};

struct Function {
  const Instruction* head = nullptr;
  std::vector<const Instruction*> parameters;
  /// In an order in which every block stands behind those that dominate it; those that are never reached are left out.
  std::vector<Block> blocks;
  std::vector<BlockLoop> loops;

  /// The block with this label. Throws Error, at `at`, if there is none.
  std::size_t block(Id label, const Instruction& at) const;
  /// Whether the edge goes back to the begin of a loop.
  bool is_back(std::size_t from, std::size_t to) const;
};

/// How many words each literal of an OpSwitch has.
std::size_t switch_literal_words(const Definitions& definitions, const Instruction& terminator);

/// All functions with bodies. Throws Error.
std::vector<Function> functions_of(const Definitions& definitions);

}  // namespace heddle::spirv
