#include "runtime/debug_information.h"

#include <dwarf.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

namespace heddle::runtime {

namespace {

/// Calls `visit` for each child of `parent`.
template <typename Visit>
void for_each_child(Dwarf_Die& parent, const Visit& visit) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do {
    visit(child);
  } while (dwarf_siblingof(&child, &child) == 0);
}

/// What all pieces of a function refer to.
const void* declaration(Dwarf_Die piece) {
  Dwarf_Attribute attribute;
  Dwarf_Die next;
  for (const unsigned reference : {DW_AT_abstract_origin, DW_AT_specification})
    while (dwarf_attr(&piece, reference, &attribute) && dwarf_formref_die(&attribute, &next)) piece = next;
  return piece.addr;
}

Dwarf_Word number(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  dwarf_formudata(dwarf_attr(&die, name, &attribute), &value);
  return value;
}

/// libdw makes tables of lines, abbreviations and units.
constexpr std::size_t kMostTables = std::size_t{32} << 20;

/// Throws std::bad_alloc where so much is not to be had. libdw ends the process where it gets no memory.
void require_memory(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  munmap(memory, bytes);
}

}  // namespace

DebugInformation::DebugInformation(const char* path) {
  struct stat status {};
  if (stat(path, &status) != 0) return;
  // Sections that are compressed to a third are read as a whole, and the rest is small beside them.
  most_bytes_ = 4 * static_cast<std::size_t>(status.st_size) + kMostTables;
  require_memory(most_bytes_);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  elf_version(EV_CURRENT);
  elf_.reset(elf_begin(file, ELF_C_READ_MMAP, nullptr));
  if (elf_) dwarf_.reset(dwarf_begin_elf(elf_.get(), DWARF_C_READ, nullptr));
  // From here on it is read from memory: a program may close all files.
  const bool is_in_memory = elf_ && elf_cntl(elf_.get(), ELF_C_FDREAD) == 0;
  close(file);
  if (!dwarf_ || !is_in_memory) return;

  std::uint8_t kind = 0;
  Dwarf_Die root, split;
  for (Dwarf_CU* unit = nullptr; dwarf_get_units(dwarf_.get(), unit, &unit, nullptr, &kind, &root, &split) == 0;) {
    if (kind != DW_UT_compile && kind != DW_UT_skeleton) continue;
    const bool is_split = kind == DW_UT_skeleton && dwarf_tag(&split) == DW_TAG_compile_unit;
    add_pieces(root, units_.size(), pieces_);
    units_.push_back({root, {is_split ? split : root, false, {}, {}}});
  }
  sort(pieces_);
}

void DebugInformation::add_pieces(Dwarf_Die& of, std::size_t owner, std::vector<Piece>& to) {
  Dwarf_Addr base = 0, begin = 0, end = 0;
  for (std::ptrdiff_t at = 0; (at = dwarf_ranges(&of, at, &base, &begin, &end)) > 0;)
    // What the linker left out, since another unit has it, begins at zero or thereabouts. The header is there.
    if (begin >= sizeof(Elf64_Ehdr) && begin < end) to.push_back({begin, end, owner});
}

void DebugInformation::sort(std::vector<Piece>& pieces) {
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
}

const DebugInformation::Piece* DebugInformation::piece_at(const std::vector<Piece>& pieces, std::uintptr_t address) {
  auto behind = std::upper_bound(pieces.begin(), pieces.end(), address,
                                 [](std::uintptr_t wanted, const Piece& piece) { return wanted < piece.begin; });
  if (behind == pieces.begin() || address >= (--behind)->end) return nullptr;
  return &*behind;
}

void DebugInformation::add_block(Dwarf_Die& die, Block& to) {
  const std::size_t before = to.pieces.size();
  add_pieces(die, to.blocks.size(), to.pieces);
  if (to.pieces.size() != before) to.blocks.push_back({die, false, {}, {}});
}

// clang puts functions into the namespaces and classes that they belong to, GCC next to these.
void DebugInformation::add_functions(Dwarf_Die& parent, Block& to) {
  for_each_child(parent, [&to](Dwarf_Die& child) {
    if (dwarf_tag(&child) == DW_TAG_subprogram) add_block(child, to);
    add_functions(child, to);
  });
}

void DebugInformation::add_inside(Block& to) {
  for_each_child(to.die, [&to](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) add_block(child, to);
  });
}

// A kernel may have tens of thousands of calls that were inlined, and each of its instructions is asked for.
template <typename Add>
DebugInformation::Block* DebugInformation::block_at(Block& in, std::uintptr_t address, const Add& add) {
  if (!in.is_read) {
    Block read{in.die, true, {}, {}};
    add(read);
    sort(read.pieces);
    in = std::move(read);
  }
  const Piece* piece = piece_at(in.pieces, address);
  return piece ? &in.blocks[piece->owner] : nullptr;
}

std::vector<DebugInformation::Line> DebugInformation::lines(std::uintptr_t address) {
  const Piece* of_unit = piece_at(pieces_, address);
  if (!of_unit) return {};
  require_memory(most_bytes_);
  Unit& unit = units_[of_unit->owner];
  std::vector<Line> lines;
  const char* file = nullptr;
  int line = 0;
  const auto add = [&](const void* function) {
    if (file && line > 0) lines.push_back({file, static_cast<std::uint32_t>(line), function});
  };
  if (Dwarf_Line* of_address = dwarf_getsrc_die(&unit.lines, address)) {
    file = dwarf_linesrc(of_address, nullptr, nullptr);
    dwarf_lineno(of_address, &line);
  }
  Block* const function = block_at(unit.functions, address, [](Block& of) { add_functions(of.die, of); });
  if (!function) {
    add(nullptr);
    return lines;
  }
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  dwarf_getsrcfiles(&unit.functions.die, &files, &count);
  // Outermost first.
  std::vector<Dwarf_Die> calls;
  for (Block* block = function; (block = block_at(*block, address, add_inside));)
    if (dwarf_tag(&block->die) == DW_TAG_inlined_subroutine) calls.push_back(block->die);
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
    add(declaration(*call));
    const Dwarf_Word of_call = number(*call, DW_AT_call_file);
    file = of_call < count ? dwarf_filesrc(files, of_call, nullptr, nullptr) : nullptr;
    line = static_cast<int>(number(*call, DW_AT_call_line));
  }
  add(declaration(function->die));
  return lines;
}

}  // namespace heddle::runtime
