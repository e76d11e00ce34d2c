#include "emulator/litmus/khronos/parser.h"

#include <catch2/catch.hpp>
#include <string>

using namespace heddle;
using namespace heddle::litmus;

namespace {

khronos::Test parse(const std::string& source) {
  const khronos::ParseResult result = khronos::parse(source);
  INFO(source);
  for (const Diagnostic& error : result.errors) UNSCOPED_INFO(describe("T", error));
  REQUIRE(result.test);
  return *result.test;
}

std::string error_of(const std::string& source) {
  const khronos::ParseResult result = khronos::parse(source);
  INFO(source);
  REQUIRE_FALSE(result.test);
  REQUIRE(result.errors.size() == 1);
  return describe("T", result.errors.front());
}

khronos::Instruction instruction(const std::string& line) {
  return parse("NEWTHREAD\n" + line + "\n").threads[0].code.at(0);
}

std::string error_in(const std::string& line) {
  return error_of("NEWTHREAD\n" + line + "\n");
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a new group opens new groups inside it, and there is no way back") {
  const khronos::Test test = parse(
      "NEWQF\nNEWWG\nNEWSG\nNEWTHREAD\nNEWTHREAD\nNEWSG\nNEWTHREAD\nNEWWG\nNEWTHREAD\nNEWQF\n"
      "NEWTHREAD\n");
  const auto& t = test.threads;
  REQUIRE(t.size() == 5);
  CHECK(t[0].subgroup == t[1].subgroup);
  CHECK(t[1].subgroup != t[2].subgroup);
  CHECK(t[1].workgroup == t[2].workgroup);
  CHECK(t[2].workgroup != t[3].workgroup);
  CHECK(t[2].subgroup != t[3].subgroup);
  CHECK(t[2].queue_family == t[3].queue_family);
  CHECK(t[3].queue_family != t[4].queue_family);
  CHECK(t[3].workgroup != t[4].workgroup);
}

TEST_CASE("threads are counted from 0, or from the number that one has") {
  const khronos::Test test = parse("NEWTHREAD\nNEWTHREAD\nNEWTHREAD 7\nNEWTHREAD\nSSW 8 1\n");
  CHECK(test.threads[1].number == 1);
  CHECK(test.threads[2].number == 7);
  CHECK(test.threads[3].number == 8);
  REQUIRE(test.system_synchronization.size() == 1);
  CHECK(test.system_synchronization[0] == std::pair<std::uint32_t, std::uint32_t>(3, 1));
  CHECK(contains(error_of("NEWTHREAD 1\nNEWTHREAD 1\n"), "T:2:1: there are two threads 1"));
  CHECK(contains(error_of("NEWTHREAD\nSSW 0 1\n"), "T:2:1: there is no thread 1"));
  CHECK(contains(error_of("NEWTHREAD\nSSW 0 0\n"), "with itself"));
}

TEST_CASE("comments, short lines and blanks mean nothing") {
  const khronos::Test test = parse("// NEWTHREAD\n\nx\n \t\r\nNEWTHREAD\r\n  st.sc0 x = 1  \r\n//\nSATISFIABLE #dr=0");
  CHECK(test.threads.size() == 1);
  CHECK(test.threads[0].code[0].text == "st.sc0 x = 1");
  CHECK(test.threads[0].code[0].place == Place{6, 3});
  CHECK(test.claims.size() == 1);
}

TEST_CASE("the tokens of an instruction come in any order") {
  const Operation first = instruction("ld.atom.acq.scopewg.sc0.semsc0.semvis x = 1").operation;
  const Operation second = instruction("semvis.sc0.acq.semsc0.ld.scopewg.atom x = 1").operation;
  for (const Operation& operation : {first, second}) {
    CHECK(operation.kind == OperationKind::Read);
    CHECK(operation.atomic);
    CHECK(operation.scope == Scope::Workgroup);
    CHECK(operation.semantics ==
          (MemorySemantics::Acquire | MemorySemantics::UniformMemory | MemorySemantics::MakeVisible));
  }
}

TEST_CASE("rmw is ld.st.atom, one operation with two values") {
  for (const std::string word : {"rmw.scopedev.sc1", "ld.st.atom.scopedev.sc1"}) {
    const khronos::Instruction rmw = instruction(word + " x = 1 2");
    CHECK(rmw.operation.kind == OperationKind::ReadModifyWrite);
    CHECK(rmw.operation.atomic);
    CHECK(rmw.reads == Integer{1});
    CHECK(rmw.writes == Integer{2});
  }
  CHECK(contains(error_in("ld.st.scopedev.sc1 x"), "an rmw must be atomic"));
}

TEST_CASE("a value is optional") {
  CHECK_FALSE(instruction("ld.sc0 x").reads);
  CHECK(instruction("ld.sc0 x=0").reads == Integer{0});
  CHECK_FALSE(instruction("st.sc0 x").writes);
  CHECK(instruction("st.sc0 x = 0x10").writes == Integer{16});
  CHECK(instruction("st.sc0 x = -1").writes == Integer{-1});
  CHECK(contains(error_in("st.sc0 x = "), "expected a number, found the end of the line"));
  CHECK(contains(error_in("st.sc0 x = 1 2"), "expected the end of the line, found '2'"));
}

TEST_CASE("av, vis and nonpriv make an access non-private, at their scope") {
  CHECK_FALSE(instruction("st.sc0 x").operation.is_non_private());
  CHECK(instruction("st.nonpriv.sc0 x").operation.is_non_private());
  const Operation store = instruction("st.av.scopesg.sc0 x").operation;
  CHECK(store.is_non_private());
  CHECK(store.available_scope == Scope::Subgroup);
  const Operation load = instruction("ld.vis.scopeqf.sc0 x").operation;
  CHECK(load.visible_scope == Scope::QueueFamily);
  CHECK(contains(error_in("ld.av.scopesg.sc0 x"), "no availability operation"));
  CHECK(contains(error_in("st.vis.scopesg.sc0 x"), "no visibility operation"));
  CHECK(contains(error_in("st.av.sc0 x"), "expected one scope"));
}

TEST_CASE("barriers with equal names are one instance, also in several workgroups") {
  const khronos::Test test =
      parse("NEWTHREAD\ncbar.scopewg 0\ncbar.acq.rel.scopewg.semsc0 1\nNEWWG\nNEWTHREAD\ncbar.scopewg 0\n");
  const auto& t = test.threads;
  CHECK(t[0].code[0].barrier_instance == t[1].code[0].barrier_instance);
  CHECK(t[0].code[0].barrier_instance != t[0].code[1].barrier_instance);
  CHECK(acquires(t[0].code[1].operation.semantics));
  CHECK(releases(t[0].code[1].operation.semantics));
  CHECK(contains(error_in("cbar.scopewg"), "expected the barrier's instance"));
}

TEST_CASE("combinations without a meaning are errors") {
  CHECK(contains(error_in("ld.st.membar.sc0 x"), "more than one kind"));
  CHECK(contains(error_in("atom.sc0 x"), "expected ld, st, rmw"));
  CHECK(contains(error_in("ld.atom.sc0 x"), "expected one scope"));
  CHECK(contains(error_in("ld.atom.scopewg.scopedev.sc0 x"), "expected one scope"));
  CHECK(contains(error_in("ld.sc0.sc1 x"), "expected one storage class"));
  CHECK(contains(error_in("st.atom.acq.scopewg.sc0.semsc0 x"), "cannot acquire"));
  CHECK(contains(error_in("ld.atom.rel.scopewg.sc0.semsc0 x"), "cannot release"));
  CHECK(contains(error_in("membar.acq.scopewg.semsc0.semav"), "needs a release"));
  CHECK(contains(error_in("membar.scopewg"), "expected a memory order"));
  CHECK(error_in("ld.sc0.fast x") == "T:2:8: expected an instruction token, found 'fast'");
  CHECK(contains(error_of("st.sc0 x = 1\n"), "expected 'NEWTHREAD'"));
  CHECK(contains(error_of(""), "T:1:1: expected 'NEWTHREAD', found end of file"));
}

TEST_CASE("SLOC joins locations transitively") {
  const khronos::Test test = parse("NEWTHREAD\nst.sc0 a\nst.sc0 b\nst.sc0 c\nst.sc0 d\nSLOC a b\nSLOC c b\n");
  const auto& v = test.variables;
  CHECK(v[0].location == v[1].location);
  CHECK(v[0].location == v[2].location);
  CHECK(v[0].location != v[3].location);
  CHECK(test.locations == 2);
}

TEST_CASE("a claim is a conjunction of conditions") {
  const khronos::Test test = parse(
      "NEWTHREAD\nSATISFIABLE consistent[X] && #dr=0\nNOSOLUTION NOCHAINS (#rs=2) && #X.rs > 1\n"
      "SATISFIABLE locordcomplete[X] && racefree[X] && !consistent[X] && (#sw>=1 && #sw<=3)\n");
  REQUIRE(test.claims.size() == 3);
  const khronos::Claim& first = test.claims[0];
  CHECK(first.text == "SATISFIABLE consistent[X] && #dr=0");
  CHECK(first.satisfiable);
  CHECK(first.chains);
  CHECK(first.conditions[0].kind == khronos::Condition::Kind::Consistent);
  CHECK(first.conditions[1].relation == "dr");
  CHECK(first.conditions[1].comparison == Comparison::Equal);
  const khronos::Claim& second = test.claims[1];
  CHECK_FALSE(second.satisfiable);
  CHECK_FALSE(second.chains);
  CHECK(second.conditions[0].count == 2);
  CHECK(second.conditions[1].relation == "rs");
  CHECK(second.conditions[1].comparison == Comparison::Greater);
  const khronos::Claim& third = test.claims[2];
  CHECK(third.conditions.size() == 5);
  CHECK(third.conditions[2].negated);
  CHECK(contains(error_in("SATISFIABLE #colour=1"), "expected a relation"));
  CHECK(contains(error_in("SATISFIABLE"), "found the end of the line"));
  CHECK(contains(error_in("SATISFIABLE consistent[Y]"), "expected 'X'"));
  CHECK(contains(error_in("SATISFIABLE " + std::string(100000, '(')), "nested more than"));
}
