#include <catch2/catch.hpp>

#include "tests/spirv/run_module.h"

using namespace heddle::spirv;

namespace {

Answer ask(const std::string& name, const DispatchOptions& options = {}) {
  return Ran(text_of("images/" + name + ".spvasm"), options).ask(true, 5);
}

}  // namespace

TEST_CASE("texels are read and written where their coordinates say, as their format says") {
  for (const char* name : {"integers", "small_floats", "normals", "atomics"}) {
    INFO(name);
    const Answer answer = ask(name);
    CHECK(answer.holds);
    CHECK_FALSE(answer.racy);
    CHECK(answer.complete);
    CHECK(answer.faults.empty());
  }
}

TEST_CASE("a texel is handed on by a handshake of image memory, and by no other") {
  const std::string text = text_of("images/message.spvasm");
  const Answer right = Ran(text).ask(true);
  CHECK(right.holds);
  CHECK_FALSE(right.racy);
  // Release and acquire of ImageMemory become those of UniformMemory.
  const std::string other = replaced(replaced(text, "OpConstant %uint 2052", "OpConstant %uint 68"),
                                     "OpConstant %uint 2050", "OpConstant %uint 66");
  REQUIRE(other != text);
  const Answer wrong = Ran(other).ask(true);
  CHECK_FALSE(wrong.holds);
  CHECK(wrong.racy);
}

TEST_CASE("a coordinate out of bounds is undefined behaviour, or with robust access reads zero") {
  CHECK(ask("bounds").faults.size() == 1);
  DispatchOptions options;
  options.robust = true;
  const Answer robust = ask("bounds", options);
  CHECK(robust.faults.empty());
  CHECK(robust.holds);
}

TEST_CASE("an atomic at a coordinate out of bounds does nothing with robust access") {
  // The atomics of two rows find one.
  const std::string text = replaced(text_of("images/atomics.spvasm"), "{{{0}}, {{0}}}", "{{{0}}}");
  const std::string open = replaced(replaced(text, "%img[1][0][0] == 4 and ", ""), "== 112", "== 111");
  CHECK(Ran(open).ask(true).faults.size() == 1);
  DispatchOptions options;
  options.robust = true;
  const Answer robust = Ran(open, options).ask(true);
  CHECK(robust.faults.empty());
  CHECK(robust.holds);
}

TEST_CASE("an image whose size nobody says is refused, and one whose size is said runs") {
  const std::string text = replaced(text_of("images/integers.spvasm"), "%img = {{1, 2, 3}, {4, 5, 6}}, ", "");
  const std::string open = replaced(text, " and %img[1][2] == 16 and %img[0][0] == 11", "");
  CHECK_THROWS_WITH(Ran(open), Catch::Contains("nothing says how large it is"));
  DispatchOptions options;
  options.extents[{0, 0}] = {3, 2, 1};
  const Answer answer = Ran(open, options).ask(true);
  CHECK(answer.faults.empty());
  // Its texels are any values.
  CHECK_FALSE(answer.holds);
}

TEST_CASE("an address of a variable that is unknown is refused") {
  const std::string text = text_of("images/integers.spvasm");
  CHECK_THROWS_WITH(Ran(replaced(text, "%out_ = {{0,", "%out_ = {{&%out_,")),
                    Catch::Contains("an address stands where no pointer"));
}
