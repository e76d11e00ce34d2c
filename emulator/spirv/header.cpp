#include "emulator/spirv/header.h"

#include <algorithm>

#include "emulator/spirv/numbers.h"

namespace heddle::spirv {
namespace {

constexpr int kMostDepth = 100;
constexpr std::uint64_t kMostInvocations = 1U << 20;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// What stands behind the '@' of one line.
class Line {
 public:
  Line(std::string_view text, std::uint32_t number) : text_(text), number_(number) {}

  [[noreturn]] void fail(const std::string& message) const {
    const std::string_view rest = text_.substr(std::min(at_, text_.size()));
    throw Error({number_, 0}, message + (rest.empty() ? ", but the line ends" : ", not \"" + std::string(rest) + '"'));
  }
  std::uint32_t number() const { return number_; }

  bool at_end() {
    skip();
    return at_ >= text_.size();
  }
  bool take(std::string_view symbol) {
    skip();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  void want(std::string_view symbol) {
    if (!take(symbol)) fail("here \"" + std::string(symbol) + "\" stands");
  }
  /// Takes a word of letters if it stands here.
  bool take_word(std::string_view word) {
    skip();
    const std::string_view rest = text_.substr(at_);
    if (!rest.starts_with(word) || (rest.size() > word.size() && is_name(rest[word.size()]))) return false;
    at_ += word.size();
    return true;
  }
  std::string_view name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::string id() {
    want("%");
    const std::string_view out = name();
    if (out.empty()) fail("behind \"%\" the name of an id stands");
    return std::string(out);
  }
  std::uint64_t count() {
    skip();
    const std::size_t begin = at_;
    const auto out = whole_number(name());
    if (out) return *out;
    at_ = begin;
    fail("here a number stands");
  }
  /// A number, `true` or `false`.
  std::string literal() {
    skip();
    const std::size_t begin = at_;
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) ++at_;
    while (at_ < text_.size() && (is_name(text_[at_]) || text_[at_] == '.' ||
                                  ((text_[at_] == '-' || text_[at_] == '+') && is_exponent(text_[at_ - 1]))))
      ++at_;
    const std::string_view out = text_.substr(begin, at_ - begin);
    if (out == "true" || out == "false" || literal_bits(out, 64, false) || literal_bits(out, 64, true))
      return std::string(out);
    at_ = begin;
    fail("here a number stands");
  }

 private:
  static bool is_exponent(char c) { return c == 'e' || c == 'E' || c == 'p' || c == 'P'; }
  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  std::string_view text_;
  std::uint32_t number_;
  std::size_t at_ = 0;
};

InputValue value(Line& line, int depth) {
  InputValue out;
  if (!line.take("{")) {
    if (line.take("&")) {
      out.address_of = line.id();
    } else {
      out.text = line.literal();
    }
    return out;
  }
  if (depth > kMostDepth) line.fail("these braces are nested too deeply");
  out.is_list = true;
  if (line.take("}")) return out;
  do out.members.push_back(value(line, depth + 1));
  while (line.take(","));
  line.want("}");
  return out;
}

Condition::Term term(Line& line) {
  Condition::Term out;
  if (line.take("%")) {
    out.name = std::string(line.name());
    if (out.name.empty()) line.fail("behind \"%\" the name of an id stands");
    while (line.take("[")) {
      out.indices.push_back(line.count());
      line.want("]");
    }
    return out;
  }
  out.literal = line.literal();
  return out;
}

Relation relation(Line& line) {
  if (line.take("==")) return Relation::Equal;
  if (line.take("!=")) return Relation::NotEqual;
  if (line.take("<=")) return Relation::LessEqual;
  if (line.take("<")) return Relation::Less;
  if (line.take(">=")) return Relation::GreaterEqual;
  if (line.take(">")) return Relation::Greater;
  line.fail("here ==, !=, <, <=, > or >= stands");
}

Condition any(Line& line, int depth);

Condition one(Line& line, int depth) {
  if (depth > kMostDepth) line.fail("this condition is nested too deeply");
  Condition out;
  out.line = line.number();
  if (line.take_word("not")) {
    out.kind = Condition::Kind::Not;
    out.operands.push_back(one(line, depth + 1));
    return out;
  }
  if (line.take("(")) {
    out = any(line, depth + 1);
    line.want(")");
    return out;
  }
  out.kind = Condition::Kind::Compare;
  out.left = term(line);
  out.relation = relation(line);
  out.right = term(line);
  return out;
}

Condition joined(std::vector<Condition> operands, Condition::Kind kind) {
  if (operands.size() == 1) return std::move(operands.front());
  Condition out;
  out.kind = kind;
  out.line = operands.front().line;
  out.operands = std::move(operands);
  return out;
}

Condition all(Line& line, int depth) {
  std::vector<Condition> operands;
  do operands.push_back(one(line, depth));
  while (line.take_word("and"));
  return joined(std::move(operands), Condition::Kind::All);
}

Condition any(Line& line, int depth) {
  std::vector<Condition> operands;
  do operands.push_back(all(line, depth));
  while (line.take_word("or"));
  return joined(std::move(operands), Condition::Kind::Any);
}

/// Whether a line says something of a test behind an '@'.
bool is_known(std::string_view word) {
  return word == "Input" || word == "Output" || word == "Filter" || word == "Config";
}

/// A line that is only a comment, without what begins one and the blanks around that; nothing for another line.
std::optional<std::string_view> comment_in(std::string_view line, std::string_view comment) {
  const auto trim = [&] {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  };
  trim();
  if (!line.starts_with(comment)) return std::nullopt;
  line.remove_prefix(comment.size());
  trim();
  return line;
}

class Reader {
 public:
  void read(Line& line);
  /// Takes a line behind the first instruction, where nothing is said of a test any more.
  void pass(Line& line);
  Header finish();

 private:
  void input(Line& line);
  void output(Line& line);
  void configuration(Line& line);
  void other(Line& line, std::string_view word);

  Header header_;
  std::optional<Quantifying> quantifier_;
  std::vector<Condition> conditions_;
};

void Reader::input(Line& line) {
  do {
    Input out;
    out.line = line.number();
    out.name = line.id();
    line.want("=");
    out.value = value(line, 0);
    for (const Input& other : header_.inputs)
      if (other.name == out.name) throw Error({out.line, 0}, '%' + out.name + " has an input already");
    header_.inputs.push_back(std::move(out));
  } while (line.take(","));
}

void Reader::output(Line& line) {
  Quantifying quantifier = Quantifying::ForAll;
  if (line.take_word("exists")) {
    quantifier = Quantifying::Exists;
  } else if (line.take_word("not")) {
    if (!line.take_word("exists")) line.fail("behind \"not\" the word \"exists\" stands");
    quantifier = Quantifying::NotExists;
  } else if (!line.take_word("forall")) {
    line.fail("here \"exists\", \"forall\" or \"not exists\" stands");
  }
  if (quantifier_ && (*quantifier_ != quantifier || quantifier == Quantifying::Exists))
    throw Error({line.number(), 0}, quantifier == *quantifier_ ? "there is one @Output with exists at most"
                                                               : "the @Output lines of a file have one quantifier");
  quantifier_ = quantifier;
  conditions_.push_back(any(line, 0));
  line.take(",");
}

void Reader::configuration(Line& line) {
  if (header_.configuration) throw Error({line.number(), 0}, "there is one @Config at most");
  std::uint64_t numbers[3] = {};
  for (int i = 0; i < 3; ++i) {
    if (i > 0) line.want(",");
    numbers[i] = line.count();
    if (numbers[i] == 0 || numbers[i] > kMostInvocations)
      throw Error({line.number(), 0}, "the numbers of @Config are from 1 to " + std::to_string(kMostInvocations));
  }
  if (numbers[0] * numbers[1] > kMostInvocations || numbers[0] * numbers[1] * numbers[2] > kMostInvocations)
    throw Error({line.number(), 0}, "these are more than " + std::to_string(kMostInvocations) + " invocations");
  header_.configuration = Configuration{static_cast<std::uint32_t>(numbers[0]), static_cast<std::uint32_t>(numbers[1]),
                                        static_cast<std::uint32_t>(numbers[2])};
}

void Reader::other(Line& line, std::string_view word) {
  line.want(":");
  do line.count();
  while (line.take(","));
  header_.warnings.push_back("line " + std::to_string(line.number()) + ": heddle does not know @" + std::string(word) +
                             ", and ignores it");
}

void Reader::read(Line& line) {
  const std::string_view word = line.name();
  if (is_known(word)) line.want(":");
  if (word == "Input") {
    input(line);
  } else if (word == "Output") {
    output(line);
  } else if (word == "Config") {
    configuration(line);
  } else if (word == "Filter") {
    if (header_.filter) throw Error({line.number(), 0}, "there is one @Filter at most");
    header_.filter = any(line, 0);
  } else {
    other(line, word);
  }
  if (!line.at_end()) line.fail("here the line ends");
}

void Reader::pass(Line& line) {
  const std::string word(line.name());
  if (!is_known(word) || !line.take(":")) return;
  header_.warnings.push_back("line " + std::to_string(line.number()) + ": @" + word +
                             " stands behind the first line that is no comment, and is ignored: put it above");
}

Header Reader::finish() {
  if (!conditions_.empty()) {
    header_.quantifier = *quantifier_;
    header_.condition = joined(std::move(conditions_),
                               *quantifier_ == Quantifying::ForAll ? Condition::Kind::All : Condition::Kind::Any);
  }
  return std::move(header_);
}

}  // namespace

Header read_header(std::string_view text, std::string_view comment) {
  Reader reader;
  std::uint32_t number = 0;
  bool is_over = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    const auto said = comment_in(line, comment);
    is_over = is_over || !said;
    if (!said || !said->starts_with('@')) continue;
    Line words(said->substr(1), number);
    is_over ? reader.pass(words) : reader.read(words);
  }
  return reader.finish();
}

InputValue read_input_value(std::string_view text) {
  Line line(text, 0);
  InputValue out = value(line, 0);
  if (!line.at_end()) line.fail("here the value ends");
  return out;
}

std::string spell(const Condition::Term& term) {
  if (term.name.empty()) return term.literal;
  std::string out = '%' + term.name;
  for (const std::uint64_t index : term.indices) out += '[' + std::to_string(index) + ']';
  return out;
}

std::string spell(const Condition& condition) {
  static constexpr const char* kRelations[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
  const auto inner = [](const Condition& part) {
    const bool is_joined = part.kind == Condition::Kind::All || part.kind == Condition::Kind::Any;
    return is_joined && part.operands.size() > 1 ? '(' + spell(part) + ')' : spell(part);
  };
  if (condition.kind == Condition::Kind::Compare)
    return spell(condition.left) + kRelations[static_cast<std::size_t>(condition.relation)] + spell(condition.right);
  if (condition.kind == Condition::Kind::Not) return "not (" + spell(condition.operands.front()) + ')';
  const char* const word = condition.kind == Condition::Kind::All ? " and " : " or ";
  std::string out;
  for (const Condition& part : condition.operands) out += (out.empty() ? "" : word) + inner(part);
  return out;
}

}  // namespace heddle::spirv
