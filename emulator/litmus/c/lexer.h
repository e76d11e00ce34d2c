#pragma once

/// \file
/// Words of a C litmus test.

#include <cstdint>
#include <string>
#include <string_view>

#include "emulator/litmus/diagnostic.h"

namespace heddle::litmus::c {

enum class TokenKind : std::uint8_t { Name, Number, Mark, End };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  Place place;
  std::size_t begin = 0;

  bool is(std::string_view mark) const { return kind != TokenKind::End && text == mark; }
};

/// Reads a text word by word. A copy reads on its own.
class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  /// Inside the body of a thread "(*" begins an expression; elsewhere it begins a comment.
  void set_in_body(bool in_body) { in_body_ = in_body; }
  Token peek() const;
  Token next();
  /// Takes the next word if it is this one.
  bool accept(std::string_view text);
  /// Takes it, or throws that it is missing.
  Token expect(std::string_view text);
  Token expect_name(std::string_view what);
  /// Everything up to the first `{` outside of a comment, which it takes.
  void skip_to_brace();
  /// The rest of the line at hand, up to a blank.
  std::string_view word();
  /// The text from a word to where the lexer is, on one line, as readable text.
  std::string text_from(const Token& first) const;
  [[noreturn]] void fail(const std::string& message) const;

 private:
  void skip_blanks();
  bool skip_comment();
  void advance(std::size_t bytes);
  char at(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t last_end_ = 0;
  Place place_;
  bool in_body_ = false;
};

[[noreturn]] void fail_at(Place place, const std::string& message);
/// As a message names a word: "`x`", or "the end of the file".
std::string described(const Token& token);
/// The value of decimal or hexadecimal digits, modulo 2^64; throws ParseError if the word is none or does not fit.
std::int64_t number_of(const Token& token);

}  // namespace heddle::litmus::c
