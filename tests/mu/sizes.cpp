// Tests that are longer than anybody writes them: a program that makes tests does.
#include <catch2/catch.hpp>

#include <string>

#include "emulator/litmus/c/answer.h"

using namespace heddle::litmus;
using heddle::litmus::c::Answer;

namespace {

c::Test parsed(const std::string& source) {
  c::Parse parse = c::parse(source);
  REQUIRE(parse.errors.empty());
  return std::move(*parse.test);
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

/// One thread, with this text in it.
std::string one_thread(const std::string& body, const std::string& condition) {
  return "C t\n{ }\nP0(int* x) {\n" + body + "\n}\nexists (" + condition + ")\n";
}

/// So many loads of a variable that another thread stores to once.
std::string loads(const std::string& type, const std::string& load, const std::string& store, int times) {
  std::string body;
  for (int i = 0; i < times; ++i) body += "int r" + std::to_string(i) + " = " + load + ";\n";
  return "C t\n{ }\nP0(" + type + " y) {\n" + body + "}\nP1(" + type + " y) { " + store + " }\nexists (0:r0=1)\n";
}

std::string error_of(const std::string& source) {
  const c::Parse parse = c::parse(source);
  if (!parse.test) return describe("t", parse.errors.front());
  try {
    c::answer(*parse.test, {});
  } catch (const ParseError& error) {
    return describe("t", error.diagnostic());
  }
  return "";
}

}  // namespace

TEST_CASE("an expression of thirty thousand operators has its value") {
  constexpr int kMany = 30000;
  const auto value = [&](const std::string& first, const std::string& more, const std::string& wanted) {
    INFO(first << more << "...");
    const Answer answer =
        c::answer(parsed(one_thread("int r1 = *x; int r0 = " + first + repeated(more, kMany) + "; if (r0) { r1 = 5; }",
                                    "0:r0=" + wanted)),
                  {});
    CHECK(answer.holds);
    CHECK(answer.executions == 1);
  };
  value("1", "+1", "30001");
  value("1", "-1", "-29999");
  value("7", "*1", "7");
  value("4", "|1", "5");
  value("5", "&1", "1");
  value("1", "^1", "1");
  value("2", "==1", "0");
  value("1", "<<0", "1");
  value("1", "&&1", "1");
  value("0", "||0", "0");
  // A value that only the load knows.
  value("r1", "+r1", "0");
  value("1", "+(r1+1)", "30001");
}

TEST_CASE("what is nested too deep is an error that names its place") {
  constexpr int kDeep = 30000;
  const auto error = [](const std::string& body, const std::string& condition = "0:r0=1") {
    const std::string text = error_of(one_thread(body, condition));
    CHECK(text.substr(0, 4) == (condition == "0:r0=1" ? "t:4:" : "t:6:"));
    return text.substr(text.rfind(": ") + 2);
  };
  const std::string expected = "this is nested more than 256 deep";
  CHECK(error("int r0 = " + repeated("(", kDeep) + "1" + repeated(")", kDeep) + ";") == expected);
  CHECK(error("int r0 = " + repeated("~", kDeep) + "1;") == expected);
  CHECK(error("int r0 = " + repeated("1 ? 1 : ", kDeep) + "1;") == expected);
  CHECK(error("int r0 = 1; " + repeated("if (r0) {} else ", kDeep) + "{}") == expected);
  CHECK(error("int r0 = 1; " + repeated("{", kDeep) + repeated("}", kDeep)) == expected);
  CHECK(error("int r0 = 1;", repeated("~", kDeep) + "(0:r0=1)") == expected);
  CHECK(error("int r0 = 1;", repeated("(", kDeep) + "0:r0=1" + repeated(")", kDeep)) == expected);
}

// Each of them for itself would be judged with all others: that takes the third power of their number.
TEST_CASE("loads that have one source each are one execution, however many they are") {
  std::string body;
  for (int i = 0; i < 3000; ++i) body += "*x = " + std::to_string(i) + "; int r" + std::to_string(i) + " = *x;\n";
  const Answer alone = c::answer(parsed(one_thread(body, "0:r2999=2999")), {});
  CHECK(alone.holds);
  CHECK(alone.executions == 1);
  // A plain load does not see what does not happen before it.
  const Answer racing = c::answer(parsed(loads("int*", "*y", "*y = 1;", 3000)), {});
  CHECK_FALSE(racing.holds);
  CHECK(racing.racy());
  CHECK(racing.executions == 1);
}

TEST_CASE("a limit ends the search although each of many loads has a choice") {
  Question question;
  question.limit = 3;
  const Answer found = c::answer(
      parsed(loads("atomic_int*", "atomic_load_explicit(y, memory_order_relaxed)", "atomic_store(y, 1);", 300)),
      question);
  CHECK(found.executions == 3);
  CHECK_FALSE(found.complete);
}

TEST_CASE("an execution with too many operations or choices is an error at the last of them") {
  const std::string choices =
      error_of(loads("atomic_int*", "atomic_load_explicit(y, memory_order_relaxed)", "atomic_store(y, 1);", 1600));
  CHECK(choices ==
        "t:1605:21: an execution that comes to here has more than 1500 choices, which are too many to list all "
        "executions; take some operations out");
  const std::string operations = error_of(one_thread(repeated("*x = 1;\n", 8200), "x=1"));
  CHECK(operations ==
        "t:8195:1: an execution that comes to here has more than 8192 operations, which are too many to list all "
        "executions; take some operations out");
}

TEST_CASE("a file of fifty thousand variables, all of which are asked for, has its answer") {
  std::string declared;
  std::string asked;
  for (int i = 0; i < 50000; ++i) {
    const std::string name = "v" + std::to_string(i);
    declared += name + "=1;";
    asked += (i == 0 ? "" : " /\\ ") + name + "=1";
  }
  const Answer found =
      c::answer(parsed("C t\n{ " + declared + " }\nP0(int* v0) {\nint r0 = *v0;\n}\nexists (" + asked + ")\n"), {});
  CHECK(found.holds);
}
