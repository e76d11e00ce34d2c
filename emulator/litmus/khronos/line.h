#pragma once

/// \file
/// The words of one line of the `.test` format.

#include <string_view>
#include <vector>

#include "emulator/litmus/token.h"

namespace heddle::litmus::khronos {

/// A line, read from left to right.
class Line {
 public:
  /// Cuts `text`, the line `number`, at blanks and around the signs = ! < > # [ ] ( ) &.
  Line(std::string_view text, std::uint32_t number);

  /// The line without blanks around it.
  std::string_view text() const { return text_; }
  bool done() const { return at_ == tokens_.size(); }
  /// The next word; `End` at the end.
  const Token& peek() const { return done() ? end_ : tokens_[at_]; }
  const Token& take();
  bool accept(std::string_view word);
  void expect(std::string_view word);
  /// A name: a word that is no sign.
  const Token& expect_name(std::string_view what);
  Integer expect_number();
  /// Throws ParseError if words are left.
  void finish() const;
  [[noreturn]] void fail(std::string_view expected) const;

 private:
  std::string_view text_;
  std::vector<Token> tokens_;
  Token end_;
  std::size_t at_ = 0;
};

}  // namespace heddle::litmus::khronos
