#include "emulator/litmus/vulkan/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "emulator/litmus/token.h"
#include "emulator/litmus/vulkan/assertion_parser.h"
#include "emulator/litmus/vulkan/cooperative.h"
#include "emulator/litmus/vulkan/cursor.h"
#include "emulator/litmus/vulkan/host_parser.h"
#include "emulator/litmus/vulkan/instruction_parser.h"
#include "emulator/litmus/vulkan/languages.h"
#include "emulator/litmus/vulkan/names.h"
#include "emulator/litmus/vulkan/symbols.h"
#include "emulator/model/tags.h"
#include "runtime/text/readable.h"

namespace heddle::litmus {
namespace {

/// More than any test has; every thread is a column in a person's editor.
constexpr std::size_t kMostThreads = 1024;

class Parser {
 public:
  Parser(std::string_view source, const Tokens& tokens)
      : source_(source), header_(tokens.header), cursor_(tokens.tokens), host_(cursor_, variables_) {}

  Test parse();
  std::vector<Diagnostic> warnings();

 private:
  struct PendingRegister {
    Token thread;
    std::string name;
    Integer initial;
  };
  struct PendingTarget {
    std::size_t thread;
    std::size_t instruction;
    Token label;
  };
  /// A pair of the block between declarations and threads.
  struct PendingPair {
    ThreadPairs Test::*list;
    Token first;
    Token second;
  };
  using Labels = std::map<std::string, std::uint32_t, std::less<>>;

  void parse_header();
  void parse_declarations();
  void parse_register_declaration();
  void parse_variable_declaration();
  void declare_variable(const Token& name, Integer initial);
  Integer initial_value();
  void parse_pairs();
  void resolve_pairs(Test& test);
  void parse_threads();
  void add_thread();
  void skip_body();
  Thread parse_thread_header();
  void parse_place(Thread& thread);
  void check_number(const Thread& thread);
  void parse_stage(Thread& thread);
  std::uint32_t group_number();
  void declare_registers();
  void parse_rows();
  void parse_bodies();
  void parse_labels(std::size_t thread);
  void parse_cell(std::size_t thread);
  void parse_code(std::size_t thread);
  void parse_tags(Instruction& instruction);
  std::string text_since(std::size_t begin) const;
  std::uint32_t thread_index(const Token& token) const;
  void resolve_targets();
  void parse_conditions(Test& test);
  Quantifier expect_quantifier();
  void sort_observables(Test& test, std::vector<Observable> observables);
  bool at_condition() const;
  void skip_locations();

  std::string_view source_;
  const Header& header_;
  Cursor cursor_;
  Variables variables_;
  std::vector<Thread> threads_;
  std::vector<Registers> registers_;
  std::map<ThreadName, std::uint32_t> thread_index_;
  HostParser host_;
  std::vector<Labels> labels_;
  std::vector<PendingRegister> pending_registers_;
  std::vector<PendingPair> pending_pairs_;
  std::vector<PendingTarget> pending_targets_;
  /// Where the code of each thread begins, if each has braces of its own.
  std::vector<std::size_t> bodies_;
  std::vector<Diagnostic> warnings_;
};

void Parser::parse_header() {
  const std::string_view language = header_.language;
  if (language != "VULKAN" && language != "Vulkan" && language != "vulkan") {
    throw ParseError(header_.language_place, fmt::format("expected 'Vulkan', found {}", shown(language)));
  }
}

void Parser::parse_declarations() {
  cursor_.expect("{", "before the declarations");
  while (!cursor_.accept("}")) {
    if (cursor_.accept(";")) continue;
    if (cursor_.sees(":", 1)) {
      parse_register_declaration();
    } else if (!host_.take_declaration()) {
      parse_variable_declaration();
    }
    if (!cursor_.sees("}")) cursor_.expect(";", "after a declaration");
  }
  cursor_.accept(";");
}

Integer Parser::initial_value() {
  const bool negative = cursor_.accept("-");
  if (negative || cursor_.peek().kind == TokenKind::Number) {
    if (cursor_.peek().kind != TokenKind::Number) cursor_.fail("a number after '-'");
    return number(cursor_.take(), negative);
  }
  cursor_.accept("&");
  if (!is_variable(cursor_.peek())) cursor_.fail("a number or a variable");
  return variables_[variables_.use(cursor_.take())].initial;
}

void Parser::parse_register_declaration() {
  const Token thread = cursor_.take();
  if (!thread_name(thread)) {
    throw ParseError(thread.place, fmt::format("expected a thread (P0, P1, ...), found {}", shown(thread)));
  }
  cursor_.expect(":");
  if (!is_register(cursor_.peek())) cursor_.fail("a register (r0, r1, ...)");
  const std::string name(cursor_.take().text);
  cursor_.expect("=", "after the register");
  pending_registers_.push_back({thread, name, initial_value()});
}

void Parser::declare_variable(const Token& name, Integer initial) {
  const auto before = variables_.find(name.text);
  if (!before) {
    variables_.declare(name, initial);
    return;
  }
  if (!variables_[*before].declared || variables_[*before].initial != initial) {
    throw ParseError(name.place, fmt::format("variable {} is declared twice", shown(name)));
  }
  warnings_.push_back({name.place, fmt::format("variable {} is declared twice", shown(name))});
}

void Parser::parse_variable_declaration() {
  if (!is_variable(cursor_.peek())) cursor_.fail("a declaration or '}'");
  const Token name = cursor_.take();
  if (cursor_.accept("=")) {
    declare_variable(name, initial_value());
    return;
  }
  if (!cursor_.accept("aliases")) cursor_.fail("'=' or 'aliases' after the variable");
  if (!is_variable(cursor_.peek())) cursor_.fail("a variable");
  const Token target = cursor_.take();
  const auto aliased = variables_.find(target.text);
  if (!aliased || !variables_[*aliased].declared) {
    throw ParseError(target.place, fmt::format("variable {} must be declared before its alias", shown(target)));
  }
  if (variables_.find(name.text)) {
    throw ParseError(name.place, fmt::format("variable {} is declared twice", shown(name)));
  }
  variables_.declare(name, variables_[*aliased].initial, *aliased);
}

/// `ssw`, and our own extension: which of two threads comes first at an interlock, and whose output
/// another one's input is.
void Parser::parse_pairs() {
  if (!cursor_.accept("{")) return;
  const auto thread = [&]() -> Token {
    if (!thread_id(cursor_.peek())) cursor_.fail("a thread (P0 or 0)");
    return cursor_.take();
  };
  while (!cursor_.accept("}")) {
    if (cursor_.accept(";")) continue;
    ThreadPairs Test::*list = &Test::system_synchronization;
    if (cursor_.accept("interlock")) {
      list = &Test::interlock_order;
    } else if (cursor_.accept("feeds")) {
      list = &Test::shader_inputs;
    } else {
      cursor_.expect("ssw", "or '}'");
    }
    const Token first = thread();
    pending_pairs_.push_back({list, first, thread()});
    if (!cursor_.sees("}")) cursor_.expect(";", "after a declaration");
  }
  cursor_.accept(";");
}

Thread Parser::parse_thread_header() {
  Thread out;
  const Token& name = cursor_.peek();
  const auto id = thread_name(name);
  if (!id) cursor_.fail("a thread (P0@sg 0, wg 0, qf 0)");
  out.place = cursor_.take().place;
  std::tie(out.kind, out.id) = *id;
  cursor_.expect("@", "after the thread's name");
  if (out.kind == ThreadKind::Shader) {
    parse_place(out);
  } else {
    host_.parse_head(out);
  }
  return out;
}

void Parser::parse_place(Thread& out) {
  const auto group = [&](std::string_view tag, std::string_view word) -> std::uint64_t {
    if (!cursor_.accept(word)) cursor_.expect(tag, "in the thread's place");
    if (cursor_.peek().kind != TokenKind::Number) cursor_.fail("a number");
    return static_cast<std::uint64_t>(number(cursor_.take()));
  };
  out.subgroup = group("sg", "subgroup");
  cursor_.expect(",");
  out.workgroup = group("wg", "workgroup");
  cursor_.expect(",");
  out.queue_family = group("qf", "queueFamily");
  while (cursor_.accept(",")) parse_stage(out);
  if (out.interlock_group != 0 && out.stage != model::Stage::Fragment) {
    throw ParseError(out.place, "only threads of stage fragment overlap");
  }
}

/// Our own extension: what the memory model asks of threads that are no compute invocations.
void Parser::parse_stage(Thread& thread) {
  if (cursor_.accept("call")) {
    thread.shader_call_group = group_number();
    return;
  }
  if (cursor_.accept("overlap")) {
    thread.interlock_group = group_number();
    return;
  }
  cursor_.expect("stage", "or 'call' or 'overlap' after the thread's place");
  for (const auto& [spelling, stage] : kStages) {
    if (cursor_.accept(spelling)) {
      thread.stage = stage;
      return;
    }
  }
  cursor_.fail("a stage (compute, vertex, tesscontrol, fragment, raytracing)");
}

std::uint32_t Parser::group_number() {
  const Token& token = cursor_.peek();
  if (token.kind != TokenKind::Number) cursor_.fail("a number");
  const Integer value = number(cursor_.take());
  if (value < 1 || value > std::numeric_limits<std::int32_t>::max()) {
    throw ParseError(token.place,
                     "a group of shader calls or overlapping fragments has a number from 1 to "
                     "2147483647");
  }
  return static_cast<std::uint32_t>(value);
}

void Parser::add_thread() {
  if (threads_.size() == kMostThreads) {
    throw ParseError(cursor_.peek().place, fmt::format("more than {} threads", kMostThreads));
  }
  Thread thread = parse_thread_header();
  const auto index = static_cast<std::uint32_t>(threads_.size());
  if (!thread_index_.emplace(ThreadName{thread.kind, thread.id}, index).second) {
    throw ParseError(thread.place, fmt::format("there are two threads {}", thread.name()));
  }
  check_number(thread);
  threads_.push_back(std::move(thread));
}

void Parser::check_number(const Thread& thread) {
  const auto before =
      std::count_if(threads_.begin(), threads_.end(), [&](const Thread& other) { return other.kind == thread.kind; });
  if (thread.id == static_cast<std::uint64_t>(before)) return;
  warnings_.push_back({thread.place, fmt::format("thread {} stands in the column of {}{}", thread.name(),
                                                 letter(thread.kind), before)});
}

/// The code of a thread in braces: it is understood once all threads are known.
void Parser::skip_body() {
  cursor_.expect("{", "before the thread's code");
  bodies_.push_back(cursor_.position());
  while (!cursor_.accept("}")) {
    if (cursor_.peek().kind == TokenKind::End) cursor_.fail("'}' behind the thread's code");
    cursor_.take();
  }
}

/// The row of the threads, or threads with their code behind each.
void Parser::parse_threads() {
  add_thread();
  if (cursor_.sees("{")) {
    skip_body();
    while (thread_name(cursor_.peek())) {
      add_thread();
      skip_body();
    }
  } else {
    while (cursor_.accept("|")) add_thread();
    cursor_.expect(";", "or '|' after a thread's place");
  }
  registers_.resize(threads_.size());
  labels_.resize(threads_.size());
  declare_registers();
  host_.begin(threads_);
}

void Parser::declare_registers() {
  for (const PendingRegister& pending : pending_registers_) {
    const auto found = thread_index_.find(*thread_name(pending.thread));
    if (found == thread_index_.end()) {
      warnings_.push_back({pending.thread.place, fmt::format("there is no thread {}", shown(pending.thread))});
      continue;
    }
    Registers& registers = registers_[found->second];
    const bool again = registers.has(pending.name);
    Register& declared = registers[registers.use(pending.name)];
    if (again) {
      const std::string message =
          fmt::format("register '{}' of thread {} is declared twice", pending.name, shown(pending.thread));
      if (declared.initial != pending.initial) throw ParseError(pending.thread.place, message);
      warnings_.push_back({pending.thread.place, message});
    }
    declared.initial = pending.initial;
  }
}

bool Parser::at_condition() const {
  return cursor_.peek().kind == TokenKind::End || cursor_.sees("exists") || cursor_.sees("forall") ||
         cursor_.sees("filter") || cursor_.sees("locations") || cursor_.sees("~") || cursor_.sees("not");
}

void Parser::parse_rows() {
  while (!at_condition()) {
    // A stray ';' is a row in which no thread does anything.
    if (cursor_.accept(";")) continue;
    for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
      parse_cell(thread);
      if (thread + 1 == threads_.size()) {
        if (!cursor_.sees(";")) {
          cursor_.fail(cursor_.sees("|") ? fmt::format("';' (there are {} threads)", threads_.size())
                                         : "'|' or ';' after an instruction");
        }
      } else if (!cursor_.sees("|")) {
        cursor_.fail(cursor_.sees(";") ? fmt::format("'|' (the row has no cell for {})", threads_[thread + 1].name())
                                       : "'|' or ';' after an instruction");
      }
      cursor_.take();
    }
  }
}

void Parser::parse_bodies() {
  const std::size_t end = cursor_.position();
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
    cursor_.go_to(bodies_[thread]);
    while (!cursor_.accept("}")) {
      if (cursor_.accept(";")) continue;
      parse_labels(thread);
      if (cursor_.sees("}") || cursor_.sees(";")) continue;
      parse_code(thread);
      cursor_.expect(";", "behind an instruction");
    }
  }
  cursor_.go_to(end);
}

void Parser::parse_cell(std::size_t thread) {
  parse_labels(thread);
  if (!cursor_.sees("|") && !cursor_.sees(";")) parse_code(thread);
}

void Parser::parse_labels(std::size_t thread) {
  std::vector<Instruction>& code = threads_[thread].code;
  while (is_label(cursor_.peek())) {
    const Token label = cursor_.take();
    cursor_.expect(":", "after the label");
    if (!labels_[thread].emplace(label.text, static_cast<std::uint32_t>(code.size())).second) {
      throw ParseError(label.place,
                       fmt::format("label {} is defined twice in thread {}", shown(label), threads_[thread].name()));
    }
    Instruction instruction;
    instruction.place = label.place;
    instruction.text = std::string(label.text) + ':';
    code.push_back(std::move(instruction));
  }
}

void Parser::parse_code(std::size_t thread) {
  std::vector<Instruction>& code = threads_[thread].code;
  const std::size_t begin = cursor_.peek().offset;
  const CellContext context{variables_, registers_[thread]};
  Token label;
  if (threads_[thread].kind != ThreadKind::Shader) {
    label = host_.parse_cell(static_cast<std::uint32_t>(thread), context);
    host_.name_cell(text_since(begin));
  } else {
    code.push_back(parse_instruction(cursor_, context, label));
    if (cursor_.sees("#")) parse_tags(code.back());
    code.back().text = text_since(begin);
  }
  if (label.kind != TokenKind::End) pending_targets_.push_back({thread, code.size() - 1, label});
}

std::string Parser::text_since(std::size_t begin) const {
  return text_of_cell(source_.substr(begin, cursor_.last_end() - begin));
}

/// Memory model relaxation annotations, to the end of the cell.
void Parser::parse_tags(Instruction& instruction) {
  if (!instruction.traits().may_have_tags)
    cursor_.fail("no tags (they belong to accesses, barriers and device operations)");
  cursor_.take();
  model::TagSet tags;
  do {
    const auto tag = cursor_.peek().kind == TokenKind::Tag ? model::Tag::parse(cursor_.peek().text) : std::nullopt;
    if (!tag) cursor_.fail("a tag (prefix:suffix)");
    tags.add(*tag);
    cursor_.take();
  } while (cursor_.accept(","));
  instruction.operation.tags = model::intern(tags);
}

void Parser::resolve_targets() {
  for (const PendingTarget& pending : pending_targets_) {
    const auto found = labels_[pending.thread].find(pending.label.text);
    if (found == labels_[pending.thread].end()) {
      throw ParseError(pending.label.place,
                       fmt::format("thread {} has no label {}", threads_[pending.thread].name(), shown(pending.label)));
    }
    threads_[pending.thread].code[pending.instruction].target = found->second;
  }
}

void Parser::skip_locations() {
  cursor_.expect("[", "after 'locations'");
  while (!cursor_.accept("]")) {
    if (cursor_.peek().kind == TokenKind::End) cursor_.fail("']' after the locations");
    // `x[]` and `x[0]` stand for arrays.
    if (cursor_.accept("[")) {
      if (!cursor_.sees("]")) cursor_.take();
      cursor_.expect("]", "after the index");
    } else {
      cursor_.take();
    }
  }
  cursor_.accept(";");
}

Quantifier Parser::expect_quantifier() {
  if (cursor_.accept("forall")) return Quantifier::ForAll;
  const bool negated = cursor_.accept("~") || cursor_.accept("not");
  if (!cursor_.accept("exists")) {
    cursor_.fail(negated ? "'exists'" : "'exists', '~exists', 'forall' or 'filter'");
  }
  return negated ? Quantifier::NotExists : Quantifier::Exists;
}

void Parser::parse_conditions(Test& test) {
  AssertionParser conditions(cursor_, variables_, thread_index_, registers_);
  while (cursor_.peek().kind != TokenKind::End) {
    const Token& keyword = cursor_.peek();
    if (cursor_.accept("locations")) {
      skip_locations();
      continue;
    }
    if (cursor_.accept("filter")) {
      if (test.filter) throw ParseError(keyword.place, "a test has one filter at most");
      test.filter = conditions.parse();
    } else {
      test.quantifier = expect_quantifier();
      if (test.assertion) throw ParseError(keyword.place, "a test has one assertion at most");
      test.assertion = conditions.parse();
    }
    cursor_.accept(";");
  }
  sort_observables(test, std::move(conditions.observables()));
}

void renumber(Assertion& assertion, const std::vector<std::size_t>& place) {
  assertion.left.observable = assertion.left.observed ? place[assertion.left.observable] : 0;
  assertion.right.observable = assertion.right.observed ? place[assertion.right.observable] : 0;
  for (Assertion& operand : assertion.operands) renumber(operand, place);
}

void Parser::sort_observables(Test& test, std::vector<Observable> observables) {
  std::vector<std::size_t> order(observables.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return observables[a].name < observables[b].name; });
  std::vector<std::size_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    test.observables.push_back(std::move(observables[order[i]]));
  }
  if (test.filter) renumber(*test.filter, place);
  if (test.assertion) renumber(*test.assertion, place);
}

std::uint32_t Parser::thread_index(const Token& token) const {
  const auto found = thread_index_.find(*thread_name(token));
  if (found != thread_index_.end()) return found->second;
  throw ParseError(token.place, fmt::format("there is no thread {}", shown(token)));
}

void Parser::resolve_pairs(Test& test) {
  for (const PendingPair& pair : pending_pairs_) {
    const std::uint32_t first = thread_index(pair.first);
    const std::uint32_t second = thread_index(pair.second);
    (test.*pair.list).emplace_back(first, second);
    if (first == second) {
      throw ParseError(pair.second.place, pair.list == &Test::system_synchronization
                                              ? "a thread cannot system-synchronize with itself"
                                              : "two threads are needed here");
    }
    const bool overlap =
        threads_[first].interlock_group != 0 && threads_[first].interlock_group == threads_[second].interlock_group;
    if (pair.list == &Test::interlock_order && !overlap) {
      throw ParseError(pair.second.place,
                       fmt::format("threads {} and {} do not overlap", shown(pair.first), shown(pair.second)));
    }
  }
}

Test Parser::parse() {
  Test test;
  parse_header();
  test.name = header_.name;
  test.comment = std::string(header_.comment);
  parse_declarations();
  parse_pairs();
  parse_threads();
  resolve_pairs(test);
  test.stacked = !bodies_.empty();
  if (test.stacked) {
    parse_bodies();
  } else {
    parse_rows();
  }
  resolve_targets();
  parse_conditions(test);
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    threads_[i].registers = registers_[i].release();
  }
  test.threads = std::move(threads_);
  test.locations = variables_.locations();
  check_cooperative(test);
  test.variables = variables_.release();
  host_.finish(test);
  return test;
}

std::vector<Diagnostic> Parser::warnings() {
  std::vector<Diagnostic> all = std::move(warnings_);
  for (Diagnostic& warning : variables_.warnings()) all.push_back(std::move(warning));
  std::stable_sort(all.begin(), all.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  return all;
}

}  // namespace

VulkanParse parse_vulkan(std::string_view text) {
  const std::string_view source = text::without_byte_order_mark(text);
  VulkanParse result;
  if (const auto other = other_language(source)) {
    result.errors.push_back(*other);
    return result;
  }
  try {
    const Tokens tokens = tokenize(source);
    Parser parser(source, tokens);
    result.test = parser.parse();
    result.test->comments = tokens.comments;
    result.warnings = parser.warnings();
  } catch (const ParseError& error) {
    result.errors.push_back(error.diagnostic());
  }
  return result;
}

}  // namespace heddle::litmus
