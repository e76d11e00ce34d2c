#include "emulator/litmus/c/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

#include "emulator/litmus/token.h"
#include "runtime/text/readable.h"

namespace heddle::litmus::c {
namespace {

constexpr std::array<std::string_view, 10> kLongMarks{"/\\", "\\/", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}
bool begins_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool in_name(char c) {
  return begins_name(c) || is_digit(c);
}

}  // namespace

void fail_at(Place place, const std::string& message) {
  throw ParseError(place, message);
}

std::string described(const Token& token) {
  if (token.kind == TokenKind::End) return "the end of the file";
  return shown(token.text, '`');
}

std::int64_t number_of(const Token& token) {
  const bool hexadecimal = token.text.size() > 2 && token.text[0] == '0' && (token.text[1] | 0x20) == 'x';
  const std::string_view digits = hexadecimal ? token.text.substr(2) : token.text;
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n, hexadecimal ? 16 : 10);
  const bool whole = std::all_of(end, digits.data() + digits.size(),
                                 [](char c) { return c == 'u' || c == 'U' || c == 'l' || c == 'L'; });
  if (token.kind != TokenKind::Number || error != std::errc{} || !whole)
    fail_at(token.place, described(token) + " is no number of 64 bits");
  if (!hexadecimal && n > std::uint64_t{1} << 63)
    fail_at(token.place, described(token) + " does not fit into 64 signed bits");
  return static_cast<std::int64_t>(n);
}

void Lexer::advance(std::size_t bytes) {
  for (; bytes > 0 && at_ < source_.size(); --bytes, ++at_) {
    if (source_[at_] == '\n') {
      ++place_.line;
      place_.column = 1;
    } else {
      ++place_.column;
    }
  }
}

bool Lexer::skip_comment() {
  if (at() == '/' && at(1) == '/') {
    while (at_ < source_.size() && at() != '\n') advance(1);
    return true;
  }
  const bool parenthesis = !in_body_ && at() == '(' && at(1) == '*';
  if (!parenthesis && !(at() == '/' && at(1) == '*')) return false;
  const Place begin = place_;
  const std::size_t end = source_.find(parenthesis ? "*)" : "*/", at_ + 2);
  if (end == std::string_view::npos) fail_at(begin, "this comment has no end");
  advance(end + 2 - at_);
  return true;
}

void Lexer::skip_blanks() {
  do {
    while (at_ < source_.size() && is_blank(at())) advance(1);
  } while (skip_comment());
}

Token Lexer::peek() const {
  Lexer copy = *this;
  return copy.next();
}

Token Lexer::next() {
  skip_blanks();
  Token token{TokenKind::End, {}, place_, at_};
  if (at_ >= source_.size()) return token;
  std::size_t length = 1;
  if (begins_name(at()) || is_digit(at())) {
    token.kind = is_digit(at()) ? TokenKind::Number : TokenKind::Name;
    while (in_name(at(length))) ++length;
  } else {
    token.kind = TokenKind::Mark;
    length = text::character_bytes(source_.substr(at_));
    const std::string_view two = source_.substr(at_, 2);
    if (std::find(kLongMarks.begin(), kLongMarks.end(), two) != kLongMarks.end()) length = 2;
  }
  token.text = source_.substr(at_, length);
  advance(length);
  last_end_ = at_;
  return token;
}

bool Lexer::accept(std::string_view text) {
  if (!peek().is(text)) return false;
  next();
  return true;
}

Token Lexer::expect(std::string_view text) {
  const Token token = peek();
  if (!token.is(text)) fail_at(token.place, fmt::format("`{}` is missing before {}", text, described(token)));
  return next();
}

Token Lexer::expect_name(std::string_view what) {
  const Token token = peek();
  if (token.kind != TokenKind::Name) fail_at(token.place, fmt::format("{} is not {}", described(token), what));
  return next();
}

void Lexer::fail(const std::string& message) const {
  fail_at(peek().place, message);
}

void Lexer::skip_to_brace() {
  for (;;) {
    skip_blanks();
    if (at_ >= source_.size()) fail_at(place_, "the block of initial values, `{ ... }`, is missing");
    const char c = at();
    advance(1);
    if (c == '{') return;
  }
}

std::string_view Lexer::word() {
  while (at() == ' ' || at() == '\t') advance(1);
  std::size_t length = 0;
  while (at_ + length < source_.size() && !is_blank(at(length)) && at(length) != '{') ++length;
  const std::string_view out = source_.substr(at_, length);
  advance(length);
  return out;
}

std::string Lexer::text_from(const Token& first) const {
  std::string out;
  for (const char c : source_.substr(first.begin, last_end_ - first.begin)) {
    const char plain = is_blank(c) ? ' ' : c;
    if (plain != ' ' || out.empty() || out.back() != ' ') out += plain;
  }
  return text::readable(out);
}

}  // namespace heddle::litmus::c
