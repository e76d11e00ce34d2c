#include <catch2/catch.hpp>

#include "tests/mu/litmus_text.h"

using namespace heddle::litmus;

namespace {

std::string body(const std::string& text) {
  return error_of("Mu t\n{}\nP0 (int* x) {\n" + text + "\n}");
}

}  // namespace

TEST_CASE("bad input of the C dialect is refused with line, column and reason") {
  CHECK(body("int r0 = z;") == "4:10: `z` is neither a parameter nor a register that has a value");
  CHECK(body("int r0; int r1 = r0;") == "4:18: the register `r0` is read before it has a value");
  CHECK(body("int r0 = frobnicate(x);") == "4:10: `frobnicate` is not a known call");
  CHECK(body("float r0 = 1;") == "4:1: `float` is not a known type");
  CHECK(body("x = 1;") == "4:1: `x` is a location; a store to it is `*x = ...`");
  CHECK(body("*x = 1") == "5:1: `;` is missing before `}`");
  CHECK(body("new_thread(P7);") == "4:12: there is no thread `P7`");
  CHECK(body("int r0 = atomic_thread_fence(ACQUIRE);") == "4:10: `atomic_thread_fence` gives no value");
  CHECK(body("*x = 99999999999999999999;") == "4:6: `99999999999999999999` is no number of 64 bits");
  CHECK(error_of("C t\n{}\nP0 () { bind(s); }") == "3:9: `bind` needs a file that begins with `Mu`");
  CHECK(error_of("C t\n{}\nP0 () {}\nP0 () {}") == "4:1: there are two threads `P0`");
  CHECK(error_of("C t\n{}\nP0 () {}\nexists (y=1)") == "4:9: there is no location `y`");
  CHECK(error_of("C t").substr(0, 4) == "1:4:");
  CHECK(error_of("C t\n{ x = 1 /* }").find("no end") != std::string::npos);
}

TEST_CASE("an error of the C dialect quotes whole characters, and escapes bytes that are none") {
  CHECK(body("int r0 = é;").find("`é`") != std::string::npos);
  CHECK(body("int r0 = \xc3;").find("`\\xc3`") != std::string::npos);
  CHECK(body("int r0 = " + std::string(100, 'z') + ";").find('`' + std::string(40, 'z') + "...`") != std::string::npos);
}

TEST_CASE("expressions nested beyond 256 deep are refused, and any bytes are") {
  CHECK(body("int r0 = " + std::string(1000, '(') + "1").find("256 deep") != std::string::npos);
  CHECK(body("int r0 = " + std::string(1000, '-') + "1;").find("256 deep") != std::string::npos);
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = body(std::string("*x = 1 ") + static_cast<char>(byte) + " 2;");
    CHECK((text.empty() || text.substr(0, 1) == "4" || text.substr(0, 1) == "6" || text.substr(0, 1) == "5"));
  }
}

TEST_CASE("a thread that one execution creates twice is an error") {
  CHECK_THROWS_AS(answer_of("Mu t\n{}\nP0 () { new_thread(P1); new_thread(P1); }\nP1 () {}"), ParseError);
}

TEST_CASE("an address that lies outside of every location ends the thread") {
  CHECK(undefined("P0 (int* x) { int r0 = *(x + 1); }") == "address");
  CHECK(undefined("P0 (int* x) { int r0 = *(x + 0); }") == "");
  const std::string loaded =
      "P0 (int* x, int* y) { int r0 = atomic_load_explicit(x, RELAXED); int r1 = *(y + r0); }"
      "P1 (int* x) { atomic_store_explicit(x, 1, RELAXED); }";
  CHECK(undefined(loaded) == "address");
}

TEST_CASE("of an address an offset may be added and taken away, and what else takes numbers is undefined") {
  const auto of_address = [](const std::string& computed) {
    return undefined("P0 (int* x) { int q = &x; int r0 = " + computed + "; }", "C");
  };
  for (const char* const fine :
       {"q + 2", "2 + q", "q - 2", "q == q", "q != 2", "!q", "q && 1", "q || 0", "q ? 1 : 2"}) {
    INFO(fine);
    CHECK(of_address(fine) == "");
  }
  for (const char* const wrong : {"q * 2", "2 * q", "q / 2", "2 / q", "q % 2", "q & 1", "1 | q", "q ^ 1", "q << 1",
                                  "1 << q", "q >> 1", "-q", "~q", "2 - q", "q + q"}) {
    INFO(wrong);
    CHECK(of_address(wrong) == "address");
  }
  // An address that is loaded is one, too, and a number that is loaded from the same cell is none.
  const std::string loaded =
      "P0 (int* x, int* y) { int r0 = atomic_load_explicit(y, RELAXED); int r1 = r0 * 2; }"
      "P1 (int* x, int* y) { atomic_store_explicit(y, x, RELAXED); }";
  CHECK(undefined(loaded, "C") == "address");
  CHECK(undefined(with(loaded, "y, x,", "y, 7,"), "C") == "");
}

TEST_CASE("the limit and the bound cut, and the answer says so") {
  const std::string spin =
      "C t\n{}\nP0 (int* x) { while (atomic_load(x) == 0) {} }\nP1 (int* x) { atomic_store(x, 1); }";
  Question question;
  CHECK(!answer_of(spin, question).complete);
  CHECK(answer_of(spin, question).executions == 2);
  question.bound = 4;
  CHECK(answer_of(spin, question).executions == 4);
  question.limit = 1;
  CHECK(answer_of(spin, question).executions == 1);
}
