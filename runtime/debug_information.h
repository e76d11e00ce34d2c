#pragma once

/// \file
/// What the debug information of one file says of its code.

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::runtime {

/// DWARF 2 to 5, of GCC and of clang, compressed or not, in the file itself or in `.dwo` files beside it. Read by libdw
/// (of elfutils), whose functions need some 200 KiB of stack. Not thread-safe.
class DebugInformation {
 public:
  /// A line that code belongs to.
  struct Line {
    /// As the debug information spells it. It lives as long as the DebugInformation.
    const char* file;
    std::uint32_t line;
    /// The function that the line is in, the same one for each of its inlined and outlined pieces. Null where only the
    /// line is known.
    const void* function;
  };

  /// Takes some hundredths of a second. A file without debug information, or that cannot be read, has no lines.
  /// Throws std::bad_alloc where there might not be the memory to read it.
  explicit DebugInformation(const char* path);

  /// The line of the instruction at `address`, as the file counts addresses, and those of the calls through which it
  /// was inlined there, innermost first. Empty where the line is not known; a call whose line is not known is left out.
  /// Throws std::bad_alloc as the constructor does.
  std::vector<Line> lines(std::uintptr_t address);

 private:
  /// Code of a unit, or of a block. Either may lie in several places.
  struct Piece {
    Dwarf_Addr begin;
    Dwarf_Addr end;
    std::size_t owner;
  };
  /// A function, a call that was inlined, or what has variables of its own.
  struct Block {
    Dwarf_Die die;
    /// Whether its inside has been looked at.
    bool is_read;
    /// The outermost blocks inside that have code.
    std::vector<Block> blocks;
    /// The code of `blocks`, sorted.
    std::vector<Piece> pieces;
  };
  struct Unit {
    /// Has the lines.
    Dwarf_Die lines;
    /// Has the functions: another tree only where they are in a `.dwo` file.
    Block functions;
  };

  static void add_pieces(Dwarf_Die& of, std::size_t owner, std::vector<Piece>& to);
  static void sort(std::vector<Piece>& pieces);
  /// The one of sorted pieces that has the address, or null.
  static const Piece* piece_at(const std::vector<Piece>& pieces, std::uintptr_t address);
  /// Adds a block, if it has code.
  static void add_block(Dwarf_Die& die, Block& to);
  /// Adds the functions in `parent`, at any depth.
  static void add_functions(Dwarf_Die& parent, Block& to);
  /// Adds the outermost blocks inside `to`, a function or a block.
  static void add_inside(Block& to);
  /// The one of `in.blocks` that has the address, or null. The first time, `add` adds them.
  template <typename Add>
  static Block* block_at(Block& in, std::uintptr_t address, const Add& add);

  /// What libdw needs, at most.
  std::size_t most_bytes_ = 0;
  std::unique_ptr<Elf, int (*)(Elf*)> elf_{nullptr, &elf_end};
  std::unique_ptr<Dwarf, int (*)(Dwarf*)> dwarf_{nullptr, &dwarf_end};
  std::vector<Unit> units_;
  std::vector<Piece> pieces_;
};

}  // namespace heddle::runtime
