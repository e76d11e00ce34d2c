#include "emulator/litmus/khronos/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "emulator/litmus/khronos/instruction.h"
#include "emulator/litmus/khronos/line.h"
#include "runtime/text/readable.h"

namespace heddle::litmus::khronos {

namespace {

constexpr std::size_t kMostThreads = 1024;
/// Parentheses around conditions.
constexpr int kDeepestNesting = 256;

class Parser {
 public:
  void parse_line(std::string_view text, std::uint32_t number);
  Test finish();

 private:
  void parse_thread(Line& line, Place place);
  void parse_instruction(Line& line);
  void parse_same_location(Line& line);
  void parse_synchronization(Line& line, Place place);
  void parse_claim(Line& line, bool satisfiable, Place place);
  void parse_conjunction(Line& line, std::vector<Condition>& out, int depth);
  Condition parse_condition(Line& line);
  Comparison parse_comparison(Line& line);
  std::uint32_t variable(const Token& name);
  std::uint32_t representative(std::uint32_t location);
  void number_locations();

  struct PendingSynchronization {
    Place place;
    std::uint64_t first;
    std::uint64_t second;
  };

  Test test_;
  std::uint32_t queue_family_ = 0;
  std::uint32_t workgroup_ = 0;
  std::uint32_t subgroup_ = 0;
  bool in_thread_ = false;
  std::map<std::string, std::uint32_t, std::less<>> variables_;
  std::map<std::string, std::uint32_t, std::less<>> barriers_;
  std::map<std::uint64_t, std::uint32_t> threads_;
  std::vector<PendingSynchronization> synchronization_;
  std::vector<std::uint32_t> same_location_;  // of each variable: a variable of the same location
};

void Parser::parse_line(std::string_view text, std::uint32_t number) {
  Line line(text, number);
  if (line.text().size() < 2 || line.text().substr(0, 2) == "//") return;
  const Token first = line.peek();
  if (first.is("NEWQF") || first.is("NEWWG") || first.is("NEWSG")) {
    line.take();
    // A new group brings new groups inside it.
    ++subgroup_;
    if (!first.is("NEWSG")) ++workgroup_;
    if (first.is("NEWQF")) ++queue_family_;
    in_thread_ = false;
    line.finish();
  } else if (line.accept("NEWTHREAD")) {
    parse_thread(line, first.place);
  } else if (line.accept("SSW")) {
    parse_synchronization(line, first.place);
  } else if (line.accept("SLOC")) {
    parse_same_location(line);
  } else if (line.accept("SATISFIABLE")) {
    parse_claim(line, true, first.place);
  } else if (line.accept("NOSOLUTION")) {
    parse_claim(line, false, first.place);
  } else {
    parse_instruction(line);
  }
}

void Parser::parse_thread(Line& line, Place place) {
  if (test_.threads.size() == kMostThreads) {
    throw ParseError(place, fmt::format("more than {} threads", kMostThreads));
  }
  Thread thread;
  thread.number = test_.threads.empty() ? 0 : test_.threads.back().number + 1;
  if (!line.done()) {
    if (line.peek().kind != TokenKind::Number) line.fail("the thread's number");
    thread.number = static_cast<std::uint64_t>(line.expect_number());
  }
  line.finish();
  thread.subgroup = subgroup_;
  thread.workgroup = workgroup_;
  thread.queue_family = queue_family_;
  const auto index = static_cast<std::uint32_t>(test_.threads.size());
  if (!threads_.emplace(thread.number, index).second) {
    throw ParseError(place, "there are two threads " + std::to_string(thread.number));
  }
  test_.threads.push_back(std::move(thread));
  in_thread_ = true;
}

std::uint32_t Parser::variable(const Token& name) {
  const auto index = static_cast<std::uint32_t>(test_.variables.size());
  const auto [place, added] = variables_.emplace(name.text, index);
  if (added) {
    test_.variables.push_back({text::readable(name.text), 0});
    same_location_.push_back(index);
  }
  return place->second;
}

void Parser::parse_instruction(Line& line) {
  if (line.peek().kind != TokenKind::Word) line.fail("an instruction");
  Instruction out;
  out.text = text::readable(line.text());
  out.place = line.peek().place;
  out.operation = khronos_operation(line.take());
  if (!in_thread_) throw ParseError(out.place, "expected 'NEWTHREAD' before the first instruction");
  if (out.operation.is_access()) {
    out.variable = variable(line.expect_name("a variable"));
    if (line.accept("=")) {
      if (out.operation.reads()) out.reads = line.expect_number();
      if (out.operation.writes()) out.writes = line.expect_number();
    }
  } else if (out.operation.kind == OperationKind::ControlBarrier) {
    const Token& name = line.expect_name("the barrier's instance");
    // The name alone says which dynamic instance it is, whatever workgroups its threads are in.
    const auto next = static_cast<std::uint32_t>(barriers_.size());
    out.barrier_instance = barriers_.emplace(std::string(name.text), next).first->second;
  }
  line.finish();
  test_.threads.back().code.push_back(std::move(out));
}

void Parser::parse_same_location(Line& line) {
  const std::uint32_t first = variable(line.expect_name("a variable"));
  do {
    const std::uint32_t second = variable(line.expect_name("a variable"));
    same_location_[representative(second)] = representative(first);
  } while (!line.done());
}

std::uint32_t Parser::representative(std::uint32_t location) {
  while (same_location_[location] != location) {
    // Halving the path on the way keeps long chains of SLOC cheap.
    same_location_[location] = same_location_[same_location_[location]];
    location = same_location_[location];
  }
  return location;
}

void Parser::parse_synchronization(Line& line, Place place) {
  const auto thread = [&] { return static_cast<std::uint64_t>(line.expect_number()); };
  PendingSynchronization pending{place, 0, 0};
  pending.first = thread();
  pending.second = thread();
  line.finish();
  synchronization_.push_back(pending);
}

void Parser::parse_claim(Line& line, bool satisfiable, Place place) {
  Claim claim;
  claim.place = place;
  claim.text = text::readable(line.text());
  claim.satisfiable = satisfiable;
  claim.chains = !line.accept("NOCHAINS");
  parse_conjunction(line, claim.conditions, 0);
  line.finish();
  test_.claims.push_back(std::move(claim));
}

Comparison Parser::parse_comparison(Line& line) {
  if (line.accept("=") || line.accept("==")) return Comparison::Equal;
  if (line.accept("!=")) return Comparison::NotEqual;
  if (line.accept("<")) return Comparison::Less;
  if (line.accept(">")) return Comparison::Greater;
  if (line.accept("<=") || line.accept("=<")) return Comparison::LessEqual;
  if (line.accept(">=")) return Comparison::GreaterEqual;
  line.fail("a comparison (=, !=, <, >, <=, >=)");
}

void Parser::parse_conjunction(Line& line, std::vector<Condition>& out, int depth) {
  if (depth > kDeepestNesting) {
    throw ParseError(line.peek().place, fmt::format("nested more than {} deep", kDeepestNesting));
  }
  do {
    if (line.accept("(")) {
      parse_conjunction(line, out, depth + 1);
      line.expect(")");
    } else {
      out.push_back(parse_condition(line));
    }
  } while (line.accept("&&"));
}

Condition Parser::parse_condition(Line& line) {
  Condition out;
  while (line.accept("!") || line.accept("not")) out.negated = !out.negated;
  if (line.accept("#")) {
    out.kind = Condition::Kind::Cardinality;
    const Token& name = line.expect_name("a relation");
    std::string_view relation = name.text;
    if (relation.substr(0, 2) == "X.") relation.remove_prefix(2);
    if (!std::binary_search(kRelations.begin(), kRelations.end(), relation)) {
      std::string known;
      for (const std::string_view each : kRelations) {
        known += known.empty() ? "" : ", ";
        known += each;
      }
      throw ParseError(name.place, "expected a relation (" + known + "), found " + shown(name));
    }
    out.relation = relation;
    out.comparison = parse_comparison(line);
    out.count = line.expect_number();
  } else {
    if (line.accept("consistent")) {
      out.kind = Condition::Kind::Consistent;
    } else if (line.accept("locordcomplete")) {
      out.kind = Condition::Kind::LocordComplete;
    } else if (line.accept("racefree")) {
      out.kind = Condition::Kind::RaceFree;
    } else {
      line.fail("consistent[X], locordcomplete[X], racefree[X] or a cardinality such as #dr=0");
    }
    line.expect("[");
    line.expect("X");
    line.expect("]");
  }
  return out;
}

void Parser::number_locations() {
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < test_.variables.size(); ++i) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    test_.variables[i].location = numbers.emplace(representative(i), next).first->second;
  }
  test_.locations = static_cast<std::uint32_t>(numbers.size());
}

Test Parser::finish() {
  for (const PendingSynchronization& pending : synchronization_) {
    const auto index = [&](std::uint64_t number) {
      const auto found = threads_.find(number);
      if (found != threads_.end()) return found->second;
      throw ParseError(pending.place, "there is no thread " + std::to_string(number));
    };
    if (pending.first == pending.second) {
      throw ParseError(pending.place, "a thread cannot system-synchronize with itself");
    }
    test_.system_synchronization.emplace_back(index(pending.first), index(pending.second));
  }
  number_locations();
  return std::move(test_);
}

}  // namespace

ParseResult parse(std::string_view text) {
  const std::string_view source = text::without_byte_order_mark(text);
  ParseResult result;
  try {
    if (source.size() > kLongestSource) {
      throw ParseError({}, fmt::format("the file is longer than {} bytes", kLongestSource));
    }
    Parser parser;
    std::uint32_t number = 0;
    std::size_t begin = 0;
    while (begin < source.size()) {
      const std::size_t end = std::min(source.find('\n', begin), source.size());
      parser.parse_line(source.substr(begin, end - begin), ++number);
      begin = end + 1;
    }
    result.test = parser.finish();
    if (result.test->threads.empty()) {
      result.test.reset();
      throw ParseError({number + 1, 1}, "expected 'NEWTHREAD', found end of file");
    }
  } catch (const ParseError& error) {
    result.errors.push_back(error.diagnostic());
  }
  return result;
}

}  // namespace heddle::litmus::khronos
