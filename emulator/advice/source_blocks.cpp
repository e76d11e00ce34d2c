#include "emulator/advice/source_blocks.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>

namespace heddle::advice {
namespace {

bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The text without comments, and without what is between quotes: braces are those of blocks. Lines stay where they
/// are.
std::string code_of(const std::string& text) {
  std::string code;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (quote != 0) {
      if (c == '\\') {
        ++i;
      } else if (c == quote || c == '\n') {
        quote = 0;
      }
      if (c == '\n') code += c;
    } else if (c == '/' && next == '/') {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (c == '/' && next == '*') {
      const std::size_t end = std::min(text.find("*/", i + 2), text.size());
      code.append(static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                                                      text.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
                  '\n');
      i = end + 1;
    } else if (c == '"' || (c == '\'' && (code.empty() || !is_of_word(code.back())))) {
      // (Within a number a quote separates digits.)
      quote = c;
      code += ' ';
    } else {
      code += c;
    }
  }
  return code;
}

bool is_word_at(const std::string& code, std::size_t at, std::string_view word) {
  return code.compare(at, word.size(), word) == 0 && (at == 0 || !is_of_word(code[at - 1])) &&
         (at + word.size() >= code.size() || !is_of_word(code[at + word.size()]));
}

/// Where a word stands in what leads to a block, outside of all parentheses.
bool leads(const std::string& head, std::string_view word) {
  int depth = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    depth += head[i] == '(' ? 1 : head[i] == ')' ? -1 : 0;
    if (depth == 0 && is_word_at(head, i, word)) return true;
  }
  return false;
}

/// Whether a lambda begins: its captures follow neither a name nor what ends like one, as subscripts do.
bool has_captures(const std::string& head) {
  char before = ' ';
  for (const char c : head) {
    if (c == '[' && !is_of_word(before) && before != ')' && before != ']' && before != '[') return true;
    if (c != ' ' && c != '\n') before = c;
  }
  return false;
}

SourceBlock::Kind kind_of(const std::string& head) {
  if (has_captures(head)) return SourceBlock::Kind::Function;
  if (leads(head, "for") || leads(head, "while") || leads(head, "do")) return SourceBlock::Kind::Loop;
  if (leads(head, "if") || leads(head, "else") || leads(head, "switch")) return SourceBlock::Kind::Condition;
  return SourceBlock::Kind::Function;
}

}  // namespace

SourceBlocks::SourceBlocks(const char* file) {
  std::ifstream in(file, std::ios::binary);
  const std::string code = code_of({std::istreambuf_iterator<char>(in), {}});
  std::istringstream lines(code);
  for (std::string text; std::getline(lines, text);) lines_.push_back(text);
  std::vector<std::size_t> open;
  std::string head;
  int parentheses = 0;
  std::vector<int> parentheses_outside;
  std::uint32_t line = 1;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    line += c == '\n' ? 1 : 0;
    parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == '{') {
      open.push_back(blocks_.size());
      const bool is_else = leads(head, "else");
      blocks_.push_back({kind_of(head), is_else, line, ~std::uint32_t{0}});
      parentheses_outside.push_back(parentheses);
      parentheses = 0;
      head.clear();
    } else if (c == '}') {
      head.clear();
      if (open.empty()) continue;
      blocks_[open.back()].last_line = line;
      parentheses = parentheses_outside.back();
      open.pop_back();
      parentheses_outside.pop_back();
    } else if (c == ';' && parentheses == 0) {
      head.clear();
    } else {
      head += c;
    }
    if (is_word_at(code, i, "return")) {
      const auto function = innermost(open, SourceBlock::Kind::Function);
      if (function != open.rend()) returns_.push_back({line, blocks_[*function].first_line});
      for (auto loop = open.rbegin(); loop != function; ++loop) blocks_[*loop].is_left_early = true;
    } else if (is_word_at(code, i, "break")) {
      const auto loop = innermost(open, SourceBlock::Kind::Loop);
      if (loop != open.rend()) blocks_[*loop].is_left_early = true;
    }
  }
}

std::vector<std::size_t>::const_reverse_iterator SourceBlocks::innermost(const std::vector<std::size_t>& open,
                                                                         SourceBlock::Kind kind) const {
  return std::find_if(open.rbegin(), open.rend(), [&](std::size_t block) { return blocks_[block].kind == kind; });
}

bool SourceBlocks::is_unconditional(std::uint32_t line) const {
  if (line == 0 || line > lines_.size()) return false;
  constexpr std::string_view kBlanks = " \t\r";
  const std::string& text = lines_[line - 1];
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string::npos) return false;
  for (const std::string_view word : {"if", "else", "for", "while", "do", "case", "default"})
    if (text.compare(begin, word.size(), word) == 0 &&
        (begin + word.size() == text.size() || !is_of_word(text[begin + word.size()])))
      return false;
  // What comes before it has ended.
  for (std::size_t before = line - 1; before-- > 0;) {
    const std::size_t end = lines_[before].find_last_not_of(kBlanks);
    if (end != std::string::npos) return std::string_view(";{}").find(lines_[before][end]) != std::string_view::npos;
  }
  return false;
}

std::vector<SourceBlock> SourceBlocks::around(std::uint32_t line) const {
  std::vector<SourceBlock> all;
  // They stand in the order of their first braces.
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
    if (block->has(line)) all.push_back(*block);
  return all;
}

bool SourceBlocks::returns_before(const SourceBlock& block, std::uint32_t line) const {
  return std::any_of(returns_.begin(), returns_.end(),
                     [&](const Return& found) { return found.function_line == block.first_line && found.line < line; });
}

}  // namespace heddle::advice
