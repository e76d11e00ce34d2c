#include "emulator/litmus/token.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "runtime/text/readable.h"

namespace heddle::litmus {
namespace {

// The C functions for these questions depend on the locale, and are undefined for negative chars.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

constexpr std::array<std::string_view, 8> kPairs = {"/\\", "\\/", "==", "!=", "<=", ">=", "&&", "||"};
constexpr std::string_view kSingles = "{}()[];|,.:@=<>~&+-*/^!#";

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Header header();
  std::vector<Comment> take_comments() { return std::move(comments_); }
  Token next();

 private:
  bool done() const { return at_ >= source_.size(); }
  char current() const { return source_[at_]; }
  bool sees(std::string_view text) const { return source_.substr(at_, text.size()) == text; }

  void step() {
    if (current() == '\n') {
      ++place_.line;
      place_.column = 1;
    } else {
      ++place_.column;
    }
    ++at_;
  }
  void step(std::size_t bytes) {
    while (bytes-- > 0 && !done()) step();
  }

  /// Where the comment that starts here ends; npos without one, or without an end.
  std::size_t comment_end() const;
  bool at_comment() const { return sees("(*") || sees("<<"); }
  void skip_blanks();
  Token take(TokenKind kind, std::size_t bytes);
  std::size_t word_length() const;
  /// The character that stands here, as messages show it.
  std::string shown_character() const {
    const std::string_view rest = source_.substr(at_);
    return shown(rest.substr(0, text::character_bytes(rest)));
  }

  std::string_view source_;
  std::size_t at_ = 0;
  Place place_;
  /// Whether this is a set of tags, in which words may have more characters and none is reserved.
  bool in_tags_ = false;
  /// The token in front of this place.
  std::optional<Token> last_;
  std::vector<Comment> comments_;
};

std::size_t Lexer::comment_end() const {
  if (!at_comment()) return std::string_view::npos;
  const std::string_view closing = sees("(*") ? "*)" : ">>";
  const std::size_t end = source_.find(closing, at_ + 2);
  return end == std::string_view::npos ? end : end + closing.size();
}

void Lexer::skip_blanks() {
  while (!done()) {
    if (is_space(current())) {
      step();
    } else if (at_comment()) {
      const std::size_t end = comment_end();
      if (end == std::string_view::npos) {
        throw ParseError(place_, fmt::format("comment without an end: expected '{}'", sees("(*") ? "*)" : ">>"));
      }
      const bool begins_line = !last_ || last_->is("|") || last_->place.line != place_.line;
      comments_.push_back({std::string(source_.substr(at_, end - at_)), place_, begins_line});
      step(end - at_);
    } else {
      return;
    }
  }
}

std::size_t Lexer::word_length() const {
  const std::string_view more = in_tags_ ? "-.:" : "";
  std::size_t end = at_;
  while (end < source_.size() &&
         (is_letter(source_[end]) || is_digit(source_[end]) || more.find(source_[end]) != std::string_view::npos))
    ++end;
  return end - at_;
}

Token Lexer::take(TokenKind kind, std::size_t bytes) {
  last_ = Token{kind, source_.substr(at_, bytes), place_, at_};
  step(bytes);
  return *last_;
}

Token Lexer::next() {
  skip_blanks();
  if (done()) return {TokenKind::End, {}, place_, at_};
  in_tags_ = current() == '#' || (in_tags_ && current() != '|' && current() != ';' && current() != '}');
  if (in_tags_ && word_length() != 0) return take(TokenKind::Tag, word_length());
  if (is_letter(current())) return take(TokenKind::Word, word_length());
  if (is_digit(current())) return take(TokenKind::Number, word_length());
  for (const std::string_view pair : kPairs) {
    if (sees(pair)) return take(TokenKind::Symbol, pair.size());
  }
  if (kSingles.find(current()) != std::string_view::npos) return take(TokenKind::Symbol, 1);
  throw ParseError(place_, "unexpected character " + shown_character());
}

Header Lexer::header() {
  Header header;
  skip_blanks();
  header.language_place = place_;
  if (done()) throw ParseError(place_, "the file is empty: expected 'Vulkan', found end of file");
  header.language = take(TokenKind::Word, word_length()).text;
  if (header.language.empty()) {
    throw ParseError(place_, "expected 'Vulkan', found " + shown_character());
  }
  while (!done() && current() != '{' && is_space(current())) step();
  std::size_t name_bytes = 0;
  while (at_ + name_bytes < source_.size() && !is_space(source_[at_ + name_bytes]) &&
         source_[at_ + name_bytes] != '{' && source_[at_ + name_bytes] != '"') {
    ++name_bytes;
  }
  header.name = std::string(source_.substr(at_, name_bytes));
  step(name_bytes);
  const std::size_t comment_begin = at_;
  // Here alone a comment mark without its end is harmless: it is part of the text. The last ends
  // are looked for once, so that a header full of marks costs linear time.
  const std::size_t last_star = source_.rfind("*)");
  const std::size_t last_angle = source_.rfind(">>");
  const auto may_end = [&](std::size_t last) { return last != std::string_view::npos && last >= at_ + 2; };
  while (!done() && current() != '{') {
    const bool comment = at_comment() && may_end(sees("(*") ? last_star : last_angle);
    step(comment ? comment_end() - at_ : 1);
  }
  if (done()) throw ParseError(place_, "expected '{' before the declarations, found end of file");
  header.comment = source_.substr(comment_begin, at_ - comment_begin);
  // Comments in front of the language belong to the text around the test.
  comments_.clear();
  return header;
}

}  // namespace

Tokens tokenize(std::string_view source) {
  if (source.size() > kLongestSource) {
    throw ParseError({}, fmt::format("the file is longer than {} bytes", kLongestSource));
  }
  Lexer lexer(source);
  Tokens result;
  result.header = lexer.header();
  do {
    result.tokens.push_back(lexer.next());
  } while (result.tokens.back().kind != TokenKind::End);
  result.comments = lexer.take_comments();
  return result;
}

std::string shown(std::string_view text, char quote) {
  constexpr std::size_t kLongest = 40;
  const std::string_view begin = text::beginning(text, kLongest);
  return quote + text::readable(begin) + (begin.size() < text.size() ? "..." : "") + quote;
}

std::string shown(const Token& token) {
  return token.kind == TokenKind::End ? "end of file" : shown(token.text);
}

Integer number(const Token& token, bool negative) {
  std::string_view digits = token.text;
  const bool hexadecimal = digits.size() > 2 && digits[0] == '0' && (digits[1] | 0x20) == 'x';
  if (hexadecimal) digits.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, magnitude, hexadecimal ? 16 : 10);
  if (read.ec == std::errc::invalid_argument || read.ptr != end) {
    throw ParseError(token.place, fmt::format("expected a number, found {}", shown(token)));
  }
  constexpr auto kMaximum = static_cast<std::uint64_t>(std::numeric_limits<Integer>::max());
  const std::uint64_t most = negative ? kMaximum + 1 : hexadecimal ? ~std::uint64_t{0} : kMaximum;
  if (read.ec == std::errc::result_out_of_range || magnitude > most) {
    throw ParseError(token.place, fmt::format("number {} does not fit 64 bits", shown(token)));
  }
  return static_cast<Integer>(negative ? 0 - magnitude : magnitude);
}

}  // namespace heddle::litmus
