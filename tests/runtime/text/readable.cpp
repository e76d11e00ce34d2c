#include "runtime/text/readable.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <random>
#include <string>

#include "runtime/text/json_text.h"

using namespace heddle;
using nlohmann::json;

TEST_CASE("text without control characters stays as it is, in any language") {
  for (const char* const same : {"", "data", "a\tb", "größe", "資料", "\xf0\x9f\xa7\xb5", "a\\xf6", "\xef\xbb\xbfx"})
    CHECK(text::readable(same) == same);
}

TEST_CASE("a byte that is no character is escaped alone, and what is around it stays") {
  CHECK(text::readable("gr\xf6\xdf"
                       "e") == "gr\\xf6\\xdfe");
  // Cut in the middle, spelled longer than needed, a half of a UTF-16 pair, beyond the last character.
  CHECK(text::readable("\xc3") == "\\xc3");
  CHECK(text::readable("\xe2\x82xyz") == "\\xe2\\x82xyz");
  CHECK(text::readable("\xc0\xaf") == "\\xc0\\xaf");
  CHECK(text::readable("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");
  CHECK(text::readable("\xed\xa0\x80") == "\\xed\\xa0\\x80");
  CHECK(text::readable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
}

TEST_CASE("what a terminal obeys is escaped, in one byte or in several") {
  CHECK(text::readable("\x1b[2J\x07") == "\\x1b[2J\\x07");
  CHECK(text::readable("\x7f") == "\\x7f");
  // U+009B is an escape and a bracket in one.
  CHECK(text::readable("\xc2\x9b"
                       "2J") == "\\xc2\\x9b2J");
  CHECK(text::readable("\xe2\x80\xae") == "\\xe2\\x80\\xae");
  CHECK(text::readable(std::string_view("\0", 1)) == "\\x00");
  CHECK(text::readable("\xef\xbf\xbf") == "\\xef\\xbf\\xbf");
}

TEST_CASE("line feeds stay in lines, and in a line they do not") {
  CHECK(text::readable("a\nb") == "a\\x0ab");
  CHECK(text::readable_lines("a\nb") == "a\nb");
  CHECK(text::readable_lines("a\r\nb") == "a\\x0d\nb");
}

TEST_CASE("a beginning has whole characters") {
  CHECK(text::beginning("größe", 3) == "gr");
  CHECK(text::beginning("größe", 4) == "grö");
  CHECK(text::beginning("größe", 99) == "größe");
  CHECK(text::beginning("\xff\xff", 1) == "\xff");
}

TEST_CASE("a byte order mark is skipped once, and only at the beginning") {
  CHECK(text::without_byte_order_mark("\xef\xbb\xbfx\xef\xbb\xbf") == "x\xef\xbb\xbf");
  CHECK(text::without_byte_order_mark("\xef\xbb") == "\xef\xbb");
}

TEST_CASE(
    "of any bytes readable text is made that JSON takes, that stays what it is, and that is one for equal bytes") {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 12, '\0');
    // Many of these are parts of characters of several bytes.
    for (char& byte : bytes) byte = static_cast<char>(random() % 3 == 0 ? random() : 0x80 + random() % 0x80);
    const std::string shown = text::readable(bytes);
    CAPTURE(shown);
    CHECK(json::parse(json(shown).dump()) == shown);
    CHECK(text::is_utf8(shown));
    CHECK(text::readable(shown) == shown);
    CHECK(std::all_of(shown.begin(), shown.end(),
                      [](char c) { return static_cast<unsigned char>(c) >= 0x20 || c == '\t'; }));
    // The library for JSON knows by itself what is UTF-8.
    bool utf8 = true;
    try {
      json(bytes).dump();
    } catch (const json::exception&) {
      utf8 = false;
    }
    CHECK(text::is_utf8(bytes) == utf8);
  }
}

TEST_CASE("JSON text has every key and every value in readable form, however deep") {
  const json value = {{"a\xff", {1, {{"b", "c\x1b"}}}}, {"lines", "1\n2"}};
  const json read = json::parse(text::json_text(value));
  CHECK(read == json{{"a\\xff", {1, {{"b", "c\\x1b"}}}}, {"lines", "1\n2"}});
}
