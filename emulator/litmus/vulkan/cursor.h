#pragma once

/// \file
/// A reading position in the words of a litmus test.

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "emulator/litmus/token.h"

namespace heddle::litmus {

class Cursor {
 public:
  /// `tokens` ends with `End` and outlives the cursor.
  explicit Cursor(const std::vector<Token>& tokens) : tokens_(tokens) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
  }
  bool sees(std::string_view text, std::size_t ahead = 0) const { return peek(ahead).is(text); }

  /// The next token; at the end, `End` for ever.
  const Token& take() {
    const Token& token = peek();
    if (token.kind != TokenKind::End) ++at_;
    last_end_ = token.end_offset();
    return token;
  }
  std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }
  /// Where the token taken last ends in the source.
  std::size_t last_end() const { return last_end_; }
  bool accept(std::string_view text) {
    if (!sees(text)) return false;
    take();
    return true;
  }
  /// Throws ParseError "expected 'text' `where`, found ...".
  const Token& expect(std::string_view text, std::string_view where = {}) {
    if (!sees(text)) {
      fail(fmt::format("'{}'{}{}", text, where.empty() ? "" : " ", where));
    }
    return take();
  }
  [[noreturn]] void fail(std::string_view expected) const {
    throw ParseError(peek().place, fmt::format("expected {}, found {}", expected, shown(peek())));
  }

 private:
  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  std::size_t last_end_ = 0;
};

}  // namespace heddle::litmus
