#include <catch2/catch.hpp>

#include "emulator/spirv/header.h"
#include "tests/spirv/run_module.h"

using namespace heddle::spirv;

namespace {

std::string message_of(const std::string& text) {
  try {
    read_header(text, ";");
  } catch (const Error& error) {
    return std::to_string(error.position().line) + ": " + error.what();
  }
  return "";
}

std::string message_of_module(const std::string& text) {
  try {
    const Ran ran(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a header gives inputs, conditions and a configuration") {
  const Header header = read_header(
      "; about it\n\n"
      "; @Input: %in = {{3, -4}}, %total = {0}\n"
      "; @Output: forall (%total[0] == 7 and not %in[0][1] > 0x10)\n"
      "; @Output: forall %total[0] != 1 or %total[0] <= 2,\n"
      "; @Config: 2, 3, 4\n"
      "; @Other: 5\n"
      "OpNop\n; @Config: 1, 1, 1\n",
      ";");
  REQUIRE(header.inputs.size() == 2);
  CHECK(header.inputs[0].value.members[0].members[1].text == "-4");
  REQUIRE(header.condition);
  CHECK(header.condition->kind == Condition::Kind::All);
  CHECK(header.condition->operands[1].kind == Condition::Kind::Any);
  REQUIRE(header.configuration);
  CHECK(header.configuration->workgroups == 4);
  REQUIRE(header.warnings.size() == 2);
  CHECK(header.warnings[1] ==
        "line 9: @Config stands behind the first line that is no comment, and is ignored: put it above");
}

TEST_CASE("a header that cannot be meant is an error at its line") {
  CHECK(message_of("; x\n; @Config: 1, 0, 1\n").starts_with("2: "));
  CHECK(message_of("; @Config: 1, 1, 1\n; @Config: 1, 1, 1\n") == "2: there is one @Config at most");
  CHECK(message_of("; @Output: exists (%a == 1)\n; @Output: exists (%a == 2)\n") ==
        "2: there is one @Output with exists at most");
  CHECK(message_of("; @Output: exists (%a == 1)\n; @Output: forall (%a == 2)\n") ==
        "2: the @Output lines of a file have one quantifier");
  CHECK(message_of("; @Input: %a = 1, %a = 2\n") == "1: %a has an input already");
  CHECK_FALSE(message_of("; @Filter: (%a == 1\n").empty());
  CHECK_FALSE(message_of("; @Output: ~exists (%a == 1)\n").empty());
  CHECK(message_of("; @Output: forall (%a == 1 and %b[2] != -3)\n").empty());
}

TEST_CASE("an input has exactly the members that the type has, and a name that the module has") {
  const std::string text = text_of("cases/add.spvasm");
  REQUIRE(message_of_module(text).empty());
  CHECK(message_of_module(replaced(text, "%cell = {0}", "%cell = {0, 1}")) ==
        "braces have 2 values where the type has 1");
  CHECK(message_of_module(replaced(text, "%cell = {0}", "%cell = 0")) ==
        "a number stands where braces with 1 values do");
  CHECK(message_of_module(replaced(text, "%cell = {0}", "%sell = {0}")) == "the module has no %sell, or several");
  CHECK(message_of_module(replaced(text, "(%cell[0]", "(%cell[1]")) == "%cell[1] is out of bounds");
  CHECK(message_of_module(replaced(text, "(%cell[0]", "(%cell")) == "%cell is no scalar: more indices follow");
}

TEST_CASE("an input of a specialization constant is a number, which an option beats") {
  const std::string header = "; @Input: %size = 7\n; @Output: forall (%cell[0] == 7)\n";
  const auto module_with = [&](const std::string& text) {
    std::string out = replaced(text_of("cases/add.spvasm"), "%uint = OpTypeInt 32 0",
                               "%uint = OpTypeInt 32 0\n%size = OpSpecConstant %uint 3\n"
                               "%double = OpSpecConstantOp %uint IAdd %size %size");
    const std::string first = "OpDecorate ";
    out.replace(out.find(first), first.size(), "OpDecorate %size SpecId 4\n" + first);
    return text + out;
  };
  CHECK(message_of_module(module_with(header)).empty());
  CHECK(message_of_module(module_with("; @Input: %size = {7}\n")) ==
        "%size is a specialization constant, and its input is one number");
  CHECK(message_of_module(module_with("; @Input: %size = 1.5\n")) == "@Input: \"1.5\" is no value of %size");
  CHECK(message_of_module(module_with("; @Input: %double = 7\n")) ==
        "%double has no memory that an input could fill, and is no specialization constant");
}
