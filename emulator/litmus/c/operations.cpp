#include <algorithm>
#include <array>

#include "emulator/litmus/c/body_parser.h"
#include "emulator/mu/order.h"

namespace heddle::litmus::c {

using mu::Binary;
using mu::Op;

namespace {

constexpr std::string_view kExplicit = "_explicit";

std::optional<Binary> fetch_operation(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Binary>, 8> kKnown{{{"add", Binary::Add},
                                                                              {"sub", Binary::Subtract},
                                                                              {"and", Binary::And},
                                                                              {"or", Binary::Or},
                                                                              {"xor", Binary::Xor},
                                                                              {"nand", Binary::Nand},
                                                                              {"max", Binary::Maximum},
                                                                              {"min", Binary::Minimum}}};
  for (const auto& [known, binary] : kKnown)
    if (name == known) return binary;
  return std::nullopt;
}

bool takes(std::string_view& name, std::string_view prefix) {
  if (name.substr(0, prefix.size()) != prefix) return false;
  name.remove_prefix(prefix.size());
  return true;
}

bool is_of_mu(std::string_view name) {
  static constexpr std::array<std::string_view, 13> kKnown{
      "cmpxchg",    "insertvalue",       "extractvalue", "new_thread", "futex_wait", "futex_wait_timeout",
      "futex_wake", "futex_cmp_requeue", "bind",         "unbind",     "swap_stack", "define",
      "call"};
  return std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end();
}

}  // namespace

bool BodyParser::call(const Token& token) {
  const Nested nested(*this);
  std::string_view name = token.text;
  if (is_of_mu(name) && declarations_.format != Format::Mu)
    fail_at(token.place, described(token) + " needs a file that begins with `Mu`");
  lexer_.expect("(");
  if (name == "kill_dependency") return pass(Op::KillDependency);
  if (name == "atomic_thread_fence") return fence(token);
  if (name == "cmpxchg") return value_compare_exchange(token);
  if (name == "insertvalue") return pass(Op::InsertValue);
  if (name == "extractvalue") return pass(Op::ExtractValue);
  if (name == "new_thread") return new_thread(token);
  if (takes(name, "futex_")) return futex(token);
  if (name == "bind" || name == "unbind" || name == "swap_stack") return stack(token);
  if (name == "define") return define(token);
  if (name == "call") return call_function(token);
  if (!takes(name, "atomic_")) fail_at(token.place, described(token) + " is not a known call");
  const bool ordered = name.size() > kExplicit.size() && name.substr(name.size() - kExplicit.size()) == kExplicit;
  if (ordered) name.remove_suffix(kExplicit.size());
  if (name == "load") return load(token, ordered);
  if (name == "store") return store(token, ordered);
  if (name == "exchange") return exchange(token, ordered);
  if (name == "compare_exchange_strong") return compare_exchange(token, false, ordered);
  if (name == "compare_exchange_weak") return compare_exchange(token, true, ordered);
  if (takes(name, "fetch_") && fetch_operation(name)) return fetch(token, name, ordered);
  fail_at(token.place, described(token) + " is not a known call");
}

MemoryOrder BodyParser::order(Ordered operation) {
  const Token token = lexer_.expect_name("a memory order");
  const auto known = mu::memory_order(token.text);
  if (!known) fail_at(token.place, described(token) + " is not a memory order");
  const bool atomic = declarations_.format == Format::C;
  if (!may_have(operation, *known) || (atomic && !is_atomic(*known)))
    fail_at(token.place, mu::refusal(operation, *known, atomic));
  return *known;
}

MemoryOrder BodyParser::order(Ordered operation, bool ordered) {
  if (!ordered) return MemoryOrder::SeqCst;
  comma();
  return order(operation);
}

bool BodyParser::load(const Token& name, bool ordered) {
  expression();
  const MemoryOrder given = order(Ordered::Load, ordered);
  close();
  perform(Op::Load, name).order = given;
  return true;
}

bool BodyParser::store(const Token& name, bool ordered) {
  expression();
  comma();
  expression();
  const MemoryOrder given = order(Ordered::Store, ordered);
  close();
  perform(Op::Store, name).order = given;
  return false;
}

bool BodyParser::exchange(const Token& name, bool ordered) {
  expression();
  comma();
  expression();
  const MemoryOrder given = order(Ordered::ReadModifyWrite, ordered);
  close();
  perform(Op::Exchange, name).order = given;
  return true;
}

bool BodyParser::fetch(const Token& name, std::string_view operation, bool ordered) {
  expression();
  comma();
  expression();
  const MemoryOrder given = order(Ordered::ReadModifyWrite, ordered);
  close();
  mu::Instruction& instruction = perform(Op::FetchModify, name);
  instruction.order = given;
  instruction.binary = *fetch_operation(operation);
  return true;
}

// `e` is `&r`, a register with a value, or an address: of a location that is loaded before, and stored to after a
// failure.
bool BodyParser::compare_exchange(const Token& name, bool weak, bool ordered) {
  expression();
  const std::uint32_t address = keep();
  comma();
  std::optional<std::uint32_t> expected_register;
  std::uint32_t expected_address = 0;
  const Token begin = lexer_.peek();
  Lexer ahead = lexer_;
  if (ahead.accept("&") && ahead.peek().kind == TokenKind::Name && scope_.parameters.count(ahead.peek().text) == 0) {
    lexer_.next();
    this->name(lexer_.next());
    expected_register = code().back().index;
    code().pop_back();
  } else {
    expression();
    expected_address = keep();
  }
  const std::string expected_text = lexer_.text_from(begin);
  comma();
  expression();
  const std::uint32_t fresh = keep();
  const MemoryOrder success = order(Ordered::CompareExchangeSuccess, ordered);
  const MemoryOrder failure = order(Ordered::CompareExchangeFailure, ordered);
  close();
  get(address);
  if (expected_register) {
    get(*expected_register);
  } else {
    get(expected_address);
    perform(Op::Load, name).order = MemoryOrder::NotAtomic;
  }
  get(fresh);
  mu::Instruction& operation = perform(Op::CompareExchange, name);
  operation.order = success;
  operation.failure = failure;
  operation.weak = weak;
  const std::uint32_t succeeded = keep();
  const std::uint32_t found = keep();
  get(succeeded);
  emit(Op::Unary).unary = mu::Unary::Not;
  const std::uint32_t test = here();
  emit(Op::JumpIfFalse);
  if (expected_register) {
    get(found);
    emit(Op::Set, *expected_register);
  } else {
    get(expected_address);
    get(found);
    perform(Op::Store, name).order = MemoryOrder::NotAtomic;
  }
  code()[test].target = here();
  get(succeeded);
  return true;
}

bool BodyParser::value_compare_exchange(const Token& name) {
  expression();
  comma();
  expression();
  comma();
  expression();
  comma();
  const MemoryOrder success = order(Ordered::CompareExchangeSuccess);
  comma();
  const MemoryOrder failure = order(Ordered::CompareExchangeFailure);
  close();
  mu::Instruction& operation = perform(Op::CompareExchange, name);
  operation.order = success;
  operation.failure = failure;
  emit(Op::Pop);
  return true;
}

bool BodyParser::fence(const Token& name) {
  const Token token = lexer_.peek();
  const auto known = mu::memory_order(token.text);
  const bool in_c = declarations_.format == Format::C;
  if (in_c && known == MemoryOrder::Relaxed) {
    lexer_.next();
    close();
    return false;
  }
  MemoryOrder given = MemoryOrder::Acquire;
  if (in_c && known == MemoryOrder::Consume) {
    lexer_.next();
  } else {
    given = order(Ordered::Fence);
  }
  close();
  perform(Op::Fence, name).order = given;
  return false;
}

bool BodyParser::pass(Op op) {
  expression();
  close();
  emit(op);
  return true;
}

bool BodyParser::new_thread(const Token& name) {
  const Token thread = lexer_.expect_name("the name of a thread");
  close();
  scope_.creations.push_back({std::string(thread.text), here(), thread.place});
  perform(Op::NewThread, name);
  return false;
}

bool BodyParser::futex(const Token& name) {
  const bool waits = name.text != "futex_wake" && name.text != "futex_cmp_requeue";
  const int more = name.text == "futex_cmp_requeue" ? 3 : 1;
  expression();
  for (int i = 0; i < more; ++i) {
    comma();
    expression();
  }
  close();
  const Op op = waits ? Op::FutexWait : more == 3 ? Op::FutexRequeue : Op::FutexWake;
  perform(op, name).weak = name.text == "futex_wait_timeout";
  return true;
}

bool BodyParser::stack(const Token& name) {
  const Token stack = lexer_.expect_name("the name of a stack");
  close();
  if (scope_.parameters.count(stack.text) != 0)
    fail_at(stack.place, described(stack) + " is a parameter; a stack needs another name");
  auto& stacks = declarations_.stacks;
  auto found = std::find(stacks.begin(), stacks.end(), stack.text);
  if (found == stacks.end()) {
    stacks.emplace_back(stack.text);
    declarations_.stack_places.push_back(stack.place);
    found = stacks.end() - 1;
  }
  if (name.text == "swap_stack") perform(Op::UnbindCurrent, name);
  perform(name.text == "unbind" ? Op::Unbind : Op::Bind, name).index =
      static_cast<std::uint32_t>(found - stacks.begin());
  return false;
}

bool BodyParser::define(const Token& name) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> versions;
  do {
    expression();
    const std::uint32_t function = keep();
    comma();
    expression();
    versions.emplace_back(function, keep());
  } while (lexer_.accept(","));
  close();
  emit(Op::BundleBegin);
  for (const auto& [function, version] : versions) {
    get(function);
    get(version);
    perform(Op::Define, name);
  }
  return false;
}

bool BodyParser::call_function(const Token& name) {
  expression();
  const bool returns = lexer_.accept(",");
  std::uint32_t function = 0;
  std::uint32_t argument = 0;
  if (returns) {
    function = keep();
    expression();
    argument = keep();
    get(function);
  }
  close();
  perform(Op::Call, name);
  if (!returns) return true;
  emit(Op::Pop);
  get(argument);
  emit(Op::KillDependency);
  return true;
}

}  // namespace heddle::litmus::c
