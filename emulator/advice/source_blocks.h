#pragma once

/// \file
/// Blocks in braces of a source file: what a line depends on.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::advice {

/// What is between two braces.
struct SourceBlock {
  enum class Kind : std::uint8_t {
    /// The body of a function or lambda, or anything else that no condition leads to.
    Function,
    Condition,
    Loop,
  };
  Kind kind = Kind::Function;
  /// Whether the block follows `else`.
  bool is_else = false;
  /// The lines of its braces.
  std::uint32_t first_line = 0;
  std::uint32_t last_line = 0;
  /// A loop that some invocations may leave in an earlier round than others: `break` or `return` stands in it.
  bool is_left_early = false;

  bool has(std::uint32_t line) const { return first_line < line && line <= last_line; }
};

class SourceBlocks {
 public:
  /// Reads the blocks of a file; a file that cannot be read has none.
  explicit SourceBlocks(const char* file);

  /// The blocks that have the line, the innermost one first.
  std::vector<SourceBlock> around(std::uint32_t line) const;
  /// Whether whatever comes to the block around the line executes the statement that begins in the line: no `if`
  /// without braces, no loop without them, leads to it.
  bool is_unconditional(std::uint32_t line) const;
  /// Whether a `return` of the block itself, not of a function in it, stands in a line before this one.
  bool returns_before(const SourceBlock& block, std::uint32_t line) const;

 private:
  struct Return {
    std::uint32_t line = 0;
    /// The innermost function around it, by the line of its first brace.
    std::uint32_t function_line = 0;
  };
  std::vector<std::size_t>::const_reverse_iterator innermost(const std::vector<std::size_t>& open,
                                                             SourceBlock::Kind kind) const;
  std::vector<SourceBlock> blocks_;
  std::vector<Return> returns_;
  std::vector<std::string> lines_;
};

}  // namespace heddle::advice
