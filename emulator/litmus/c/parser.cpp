#include <algorithm>
#include <utility>

#include "emulator/litmus/c/condition_parser.h"
#include "emulator/litmus/c/scope.h"
#include "emulator/litmus/c/test.h"
#include "emulator/litmus/token.h"
#include "runtime/text/readable.h"

namespace heddle::litmus::c {
namespace {

bool is_thread_name(std::string_view name) {
  return name.size() > 1 && name.size() < 10 && name[0] == 'P' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

class FileParser {
 public:
  explicit FileParser(std::string_view source) : lexer_(source) {}
  Test test();

 private:
  void header();
  void initial_values();
  void initial_value();
  void initial_register(const std::string& thread);
  void initial_array(const Token& name);
  Value constant();
  void thread();
  void parameters(ThreadScope& scope);
  void link();
  void link_creations();
  void check_stacks() const;
  void conditions();

  Lexer lexer_;
  Declarations declarations_;
  std::vector<ThreadScope> threads_;
  std::vector<Place> thread_places_;
  Test test_;
};

void FileParser::header() {
  const Token language = lexer_.next();
  if (!language.is("C") && !language.is("Mu")) fail_at(language.place, "a test begins with `C NAME` or `Mu NAME`");
  declarations_.format = test_.format = language.is("Mu") ? Format::Mu : Format::C;
  test_.name = std::string(lexer_.word());
}

void FileParser::initial_values() {
  while (!lexer_.accept("}")) {
    if (lexer_.accept(";")) continue;
    initial_value();
    if (!lexer_.peek().is("}")) lexer_.expect(";");
  }
}

void FileParser::initial_value() {
  while (lexer_.peek().kind == TokenKind::Name && is_type_word(lexer_.peek().text)) lexer_.next();
  while (lexer_.accept("*")) {
  }
  const bool bracket = lexer_.accept("[");
  const Token first = lexer_.next();
  if (first.kind == TokenKind::Number && lexer_.accept(":")) return initial_register('P' + std::string(first.text));
  if (first.kind != TokenKind::Name)
    fail_at(first.place, described(first) + " is not the name of a location or register");
  if (!bracket && is_thread_name(first.text) && lexer_.accept(":")) return initial_register(std::string(first.text));
  if (bracket) lexer_.expect("]");
  if (!bracket && lexer_.peek().is("[")) return initial_array(first);
  if (lexer_.peek().kind == TokenKind::Name) fail_at(first.place, described(first) + " is not a known type");
  const std::int32_t array = declarations_.array(first.text);
  if (lexer_.accept("=")) declarations_.cells[static_cast<std::size_t>(array)][0] = constant();
}

void FileParser::initial_register(const std::string& thread) {
  const Token name = lexer_.expect_name("the name of a register");
  lexer_.expect("=");
  declarations_.registers[{thread, std::string(name.text)}] = constant();
}

void FileParser::initial_array(const Token& name) {
  lexer_.expect("[");
  const Token size = lexer_.next();
  const std::int64_t cells = number_of(size);
  if (cells < 1 || cells > 4096) fail_at(size.place, "an array has 1 to 4096 cells");
  lexer_.expect("]");
  const auto array = static_cast<std::size_t>(declarations_.array(name.text));
  std::vector<Value> values(static_cast<std::size_t>(cells), Value::number(0));
  if (lexer_.accept("=")) {
    lexer_.expect("{");
    std::size_t next = 0;
    while (!lexer_.accept("}")) {
      if (next == values.size()) lexer_.fail("there are more values than cells");
      values[next++] = constant();
      if (!lexer_.peek().is("}")) lexer_.expect(",");
    }
  }
  declarations_.cells[array] = std::move(values);
}

Value FileParser::constant() {
  const bool negative = lexer_.accept("-");
  const bool address = lexer_.accept("&");
  const Token token = lexer_.next();
  if (token.kind == TokenKind::Name && !negative) {
    const std::int32_t array = declarations_.array(token.text);
    std::int64_t cell = 0;
    if (lexer_.accept("[")) {
      cell = number_of(lexer_.next());
      lexer_.expect("]");
    }
    return Value::address(array, cell);
  }
  if (address) fail_at(token.place, described(token) + " is not the name of a location");
  const std::int64_t n = number_of(token);
  return Value::number(negative ? static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(n)) : n);
}

void FileParser::parameters(ThreadScope& scope) {
  lexer_.expect("(");
  while (!lexer_.accept(")")) {
    const Token begin = lexer_.peek();
    Token name;
    std::size_t words = 0;
    while (!lexer_.peek().is(",") && !lexer_.peek().is(")")) {
      const Token token = lexer_.next();
      if (token.kind == TokenKind::End) fail_at(token.place, "`)` is missing before the end of the file");
      if (token.is("[")) {
        lexer_.expect("]");
        continue;
      }
      if (token.is("*")) continue;
      if (token.kind != TokenKind::Name)
        fail_at(token.place, described(token) + " does not belong into a list of parameters");
      if (words > 0 && !name.text.empty() && !is_type_word(name.text))
        fail_at(name.place, described(name) + " is not a known type");
      name = token;
      ++words;
    }
    if (words == 1 && name.is("void") && lexer_.peek().is(")")) continue;
    if (name.text.empty() || is_type_word(name.text)) fail_at(begin.place, "a parameter needs a name");
    declarations_.array(name.text);
    scope.parameters.insert(std::string(name.text));
    if (!lexer_.peek().is(")")) lexer_.expect(",");
  }
}

void FileParser::thread() {
  lexer_.accept("void");
  const Token name = lexer_.next();
  for (const ThreadScope& other : threads_)
    if (other.code.name == name.text) fail_at(name.place, "there are two threads " + described(name));
  ThreadScope scope;
  scope.code.name = std::string(name.text);
  parameters(scope);
  for (const auto& [owner, value] : declarations_.registers) {
    if (owner.first != scope.code.name) continue;
    const std::uint32_t index = scope.reg(owner.second);
    scope.code.initial.resize(std::max<std::size_t>(scope.code.initial.size(), index + 1), Value::number(0));
    scope.code.initial[index] = value;
    scope.assigned.insert(index);
  }
  parse_body(lexer_, declarations_, scope);
  threads_.push_back(std::move(scope));
  thread_places_.push_back(name.place);
}

void FileParser::link_creations() {
  for (ThreadScope& scope : threads_) {
    for (const ThreadScope::Creation& creation : scope.creations) {
      const auto found = std::find_if(threads_.begin(), threads_.end(),
                                      [&](const ThreadScope& other) { return other.code.name == creation.thread; });
      if (found == threads_.end()) fail_at(creation.place, "there is no thread `" + creation.thread + '`');
      scope.code.code[creation.instruction].index = static_cast<std::uint32_t>(found - threads_.begin());
      found->code.created = true;
    }
  }
}

void FileParser::check_stacks() const {
  for (std::size_t i = 0; i < declarations_.stacks.size(); ++i)
    for (const ThreadScope& scope : threads_)
      if (scope.code.name == declarations_.stacks[i])
        fail_at(declarations_.stack_places[i], "`" + scope.code.name + "` is a thread; a stack needs another name");
}

void FileParser::link() {
  if (threads_.empty()) lexer_.fail("a test needs a thread, `P0 (...) { ... }`");
  link_creations();
  check_stacks();
  mu::Program& program = test_.program;
  for (std::size_t i = 0; i < declarations_.arrays.size(); ++i) {
    program.arrays.push_back(
        {declarations_.arrays[i], program.locations(), static_cast<std::uint32_t>(declarations_.cells[i].size())});
    program.initial.insert(program.initial.end(), declarations_.cells[i].begin(), declarations_.cells[i].end());
  }
  program.stacks = declarations_.stacks;
  for (ThreadScope& scope : threads_) {
    scope.number_registers();
    program.threads.push_back(std::move(scope.code));
  }
}

void FileParser::conditions() {
  ConditionParser parser(lexer_, test_);
  parser.parse();
}

Test FileParser::test() {
  header();
  lexer_.skip_to_brace();
  initial_values();
  for (;;) {
    const Token token = lexer_.peek();
    Lexer ahead = lexer_;
    if (ahead.accept("void")) {
    } else if (!is_thread_name(token.text)) {
      break;
    }
    thread();
  }
  link();
  conditions();
  return std::move(test_);
}

}  // namespace

bool begins_as_c(std::string_view source) {
  try {
    const Token word = Lexer(text::without_byte_order_mark(source)).next();
    return word.is("C") || word.is("Mu");
  } catch (const ParseError&) {
    return false;
  }
}

Parse parse(std::string_view source) {
  Parse out;
  if (source.size() > kLongestSource) {
    out.errors.push_back(ParseError({}, "a file may have 4 MiB").diagnostic());
    return out;
  }
  try {
    out.test = FileParser(text::without_byte_order_mark(source)).test();
  } catch (const ParseError& error) {
    out.errors.push_back(error.diagnostic());
  }
  return out;
}

}  // namespace heddle::litmus::c
