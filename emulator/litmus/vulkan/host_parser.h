#pragma once

/// \file
/// What host tests alone have: declarations of memory, `H` columns with calls, and `B` columns with commands.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/litmus/vulkan/cursor.h"
#include "emulator/litmus/vulkan/host_test.h"
#include "emulator/litmus/vulkan/instruction_parser.h"
#include "emulator/litmus/vulkan/symbols.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// The names of variables, separated by blanks or commas, as far as they go.
std::vector<std::uint32_t> take_variables(Cursor& cursor, Variables& variables);

/// Takes one command of a `B` column; the cursor stands at its first word. `dispatched` is given the threads of a
/// dispatch by name. Throws ParseError.
BatchCommand parse_batch_command(Cursor& cursor, CellContext context, std::vector<Token>& dispatched);

class HostParser {
 public:
  HostParser(Cursor& cursor, Variables& variables) : cursor_(cursor), variables_(variables) {}

  /// Takes a declaration, if it is one of a host test.
  bool take_declaration();
  /// Takes the place of a thread whose name and '@' were taken.
  void parse_head(Thread& thread);
  /// All columns are known. `threads` outlives the parser's last cell.
  void begin(std::vector<Thread>& threads);
  /// Takes one cell. Returns the label that its instruction jumps to, if it does.
  Token parse_cell(std::uint32_t thread, CellContext context);
  /// The text of the cell that was taken last.
  void name_cell(const std::string& text);
  /// Checks the whole, which has its threads and variables, and hands it over.
  void finish(Test& test);

 private:
  struct Declaration {
    std::string_view word;
    Token first;
    std::vector<Token> names;
  };

  void declare();
  Token parse_host_cell(std::uint32_t thread, CellContext context);
  bool parse_access(std::string_view word, CellContext context, std::vector<Instruction>& code);
  bool parse_memory_call(std::string_view word, CellContext context, std::vector<Instruction>& code);
  bool parse_call(std::string_view word, std::uint32_t thread, std::vector<Instruction>& code);
  void parse_submission(HostCall& call);
  void parse_wait(HostCall& call);
  void flush(const std::vector<std::uint32_t>& variables, CellContext context, std::vector<Instruction>& code) const;
  std::vector<std::uint32_t> whole_atoms(const std::vector<std::uint32_t>& variables) const;
  std::string name(std::string_view what);
  std::uint64_t unsigned_number();
  void resolve_names(const Test& test);
  void check_jumps(const Test& test) const;

  Cursor& cursor_;
  Variables& variables_;
  std::vector<Declaration> declarations_;
  std::vector<Thread>* threads_ = nullptr;
  bool is_host_test_ = false;
  HostTest host_;
  /// By call, and by command of each batch: the batches, or threads, that it names.
  std::vector<std::pair<std::size_t, std::vector<Token>>> submitted_;
  struct Dispatched {
    std::size_t batch;
    std::size_t command;
    std::vector<Token> threads;
  };
  std::vector<Dispatched> dispatched_;
  /// The cell that was taken last: its thread, and where its instructions begin.
  std::uint32_t thread_ = 0;
  std::size_t begin_ = 0;
  /// By thread: how many instructions its cells have so far, labels included.
  std::vector<std::size_t> named_;
};

}  // namespace heddle::litmus
