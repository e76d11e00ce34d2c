#include "emulator/litmus/vulkan/rows.h"

#include <algorithm>

#include "runtime/text/readable.h"

namespace heddle::litmus {
namespace {

Place behind(const Token& token) {
  return {token.place.line, token.place.column + static_cast<std::uint32_t>(token.text.size())};
}

}  // namespace

std::size_t offset_of(std::string_view source, Place place) {
  // Places are counted from where the parser begins.
  std::size_t line_begin = source.size() - text::without_byte_order_mark(source).size();
  for (std::uint32_t line = 1; line < place.line && line_begin < source.size(); ++line) {
    const std::size_t end = source.find_first_of("\r\n", line_begin);
    if (end == std::string_view::npos) return source.size();
    line_begin = end + (source.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return std::min(line_begin + place.column - 1, source.size());
}

std::string cell_at(std::string_view source, const Tokens& words, Place place) {
  const std::size_t begin = offset_of(source, place);
  std::size_t end = begin;
  for (const Token& token : words.tokens) {
    if (token.offset < begin) continue;
    if (token.kind == TokenKind::End || token.is("|") || token.is(";") || token.is("}")) break;
    end = token.end_offset();
  }
  return std::string(source.substr(begin, end - begin));
}

std::optional<Place> end_of_row(std::string_view source, const Tokens& words, Place place) {
  const std::size_t begin = offset_of(source, place);
  const auto end = std::find_if(words.tokens.begin(), words.tokens.end(),
                                [&](const Token& token) { return token.offset >= begin && token.is(";"); });
  if (end == words.tokens.end()) return std::nullopt;
  return behind(*end);
}

std::optional<Place> end_of_row_before(std::string_view source, const Tokens& words, Place place) {
  const std::size_t begin = offset_of(source, place);
  const auto end = std::find_if(words.tokens.rbegin(), words.tokens.rend(),
                                [&](const Token& token) { return token.offset < begin && token.is(";"); });
  if (end == words.tokens.rend()) return std::nullopt;
  return behind(*end);
}

std::string row_with(const Test& test, std::size_t thread, std::string_view cell) {
  std::string row = "\n ";
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    if (t != 0) row += "| ";
    if (t == thread) row.append(cell).append(" ");
  }
  return row + ';';
}

}  // namespace heddle::litmus
