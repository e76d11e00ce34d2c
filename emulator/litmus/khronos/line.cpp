#include "emulator/litmus/khronos/line.h"

#include <fmt/format.h>

namespace heddle::litmus::khronos {
namespace {

constexpr std::string_view kBlanks = " \t\v\f\r";
constexpr std::string_view kSigns = "=!<>#[]()&";
constexpr std::string_view kPairs[] = {"==", "!=", "<=", ">=", "=<", "&&"};

std::size_t sign_length(std::string_view rest) {
  for (const std::string_view pair : kPairs) {
    if (rest.substr(0, pair.size()) == pair) return pair.size();
  }
  return kSigns.find(rest.front()) == std::string_view::npos ? 0 : 1;
}

}  // namespace

Line::Line(std::string_view text, std::uint32_t number) {
  const auto place = [&](std::size_t at) { return Place{number, static_cast<std::uint32_t>(at + 1)}; };
  std::size_t at = 0;
  while (at < text.size()) {
    if (kBlanks.find(text[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    std::size_t length = sign_length(text.substr(at));
    const TokenKind kind = length != 0                            ? TokenKind::Symbol
                           : (text[at] >= '0' && text[at] <= '9') ? TokenKind::Number
                                                                  : TokenKind::Word;
    if (length == 0) {
      while (at + length < text.size() && kBlanks.find(text[at + length]) == std::string_view::npos &&
             kSigns.find(text[at + length]) == std::string_view::npos) {
        ++length;
      }
    }
    tokens_.push_back({kind, text.substr(at, length), place(at), at});
    at += length;
  }
  end_ = {TokenKind::End, {}, place(text.size()), text.size()};
  if (!tokens_.empty()) {
    text_ = text.substr(tokens_.front().offset, tokens_.back().end_offset() - tokens_.front().offset);
  }
}

const Token& Line::take() {
  const Token& token = peek();
  if (!done()) ++at_;
  return token;
}

bool Line::accept(std::string_view word) {
  if (!peek().is(word)) return false;
  take();
  return true;
}

void Line::expect(std::string_view word) {
  if (!accept(word)) fail(fmt::format("'{}'", word));
}

const Token& Line::expect_name(std::string_view what) {
  if (peek().kind != TokenKind::Word && peek().kind != TokenKind::Number) fail(what);
  return take();
}

Integer Line::expect_number() {
  Token token = peek();
  const bool negative = token.kind == TokenKind::Word && token.text.front() == '-';
  if (negative) {
    token.text.remove_prefix(1);
    if (token.text.empty()) fail("a number");
  } else if (token.kind != TokenKind::Number) {
    fail("a number");
  }
  take();
  return number(token, negative);
}

void Line::finish() const {
  if (!done()) fail("the end of the line");
}

void Line::fail(std::string_view expected) const {
  throw ParseError(peek().place, fmt::format("expected {}, found {}", expected,
                                             done() ? std::string("the end of the line") : shown(peek())));
}

}  // namespace heddle::litmus::khronos
