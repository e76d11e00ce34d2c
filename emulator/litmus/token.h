#pragma once

/// \file
/// The words of the Vulkan litmus dialect.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/litmus/arithmetic.h"
#include "emulator/litmus/diagnostic.h"

namespace heddle::litmus {

enum class TokenKind : std::uint8_t {
  Word,    ///< a letter or '_', then letters, digits and '_'
  Number,  ///< a digit, then letters, digits and '_': "7", "0x1f", "00"; checked where it is used
  Tag,     ///< from '#' to the next '|', ';' or '}': letters, digits, '_', '-', '.' and ':'
  Symbol,  ///< everything else: one or two characters
  End,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  Place place;
  std::size_t offset = 0;  ///< of its first byte in the source

  bool is(std::string_view symbol_or_word) const { return kind != TokenKind::End && text == symbol_or_word; }
  std::size_t end_offset() const { return offset + text.size(); }
};

/// What comes before the first "{" of a test: its language and a text for people.
struct Header {
  std::string_view language;
  Place language_place;
  std::string name;          ///< the first word after the language; empty if a quotation follows at once
  std::string_view comment;  ///< the rest, as it is
};

struct Tokens {
  Header header;
  std::vector<Token> tokens;  ///< the last one is `End`
  std::vector<Comment> comments;
};

/// Cuts a litmus test into words. The tokens point into `source`, which must outlive them.
/// Throws ParseError: a character that the format does not know, a comment without an end, no "{",
/// or a source longer than `kLongestSource` bytes.
Tokens tokenize(std::string_view source);

/// Litmus tests are small: what is longer is another kind of file.
inline constexpr std::size_t kLongestSource = std::size_t{4} << 20;

/// The token as an error message shows it: quoted, or "end of file".
std::string shown(const Token& token);

/// Any text, as messages show it: its first 40 bytes at most, whole characters of them, as readable text between
/// quotes.
std::string shown(std::string_view text, char quote = '\'');

/// The value of a number token, negated if `negative`. Throws ParseError for a number that is not
/// decimal or 0x hexadecimal, or does not fit 64 bits (hexadecimal ones may use all 64).
Integer number(const Token& token, bool negative = false);

}  // namespace heddle::litmus
