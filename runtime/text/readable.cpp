#include "runtime/text/readable.h"

#include <array>
#include <cstdint>

namespace heddle::text {
namespace {

struct Character {
  char32_t code = 0;
  /// 0 if no character begins here.
  std::size_t bytes = 0;
};

/// The characters whose first bytes are in a range: how many bytes they have, and the least code that needs so many
/// (a lower one is spelled shorter).
struct Length {
  unsigned char mask;
  unsigned char pattern;
  std::size_t bytes;
  char32_t least;
};
constexpr std::array<Length, 4> kLengths = {
    {{0x80, 0x00, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}}};

constexpr bool is_surrogate(char32_t code) {
  return code >= 0xd800 && code <= 0xdfff;
}

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (const Length& length : kLengths) {
    if ((byte(0) & length.mask) != length.pattern) continue;
    if (text.size() < length.bytes) return {};
    char32_t code = byte(0) & static_cast<unsigned char>(~length.mask);
    for (std::size_t i = 1; i < length.bytes; ++i) {
      if ((byte(i) & 0xc0) != 0x80) return {};
      code = code << 6 | (byte(i) & 0x3f);
    }
    if (code < length.least || code > 0x10ffff || is_surrogate(code)) return {};
    return {code, length.bytes};
  }
  return {};
}

bool is_shown(char32_t code) {
  if (code == '\t') return true;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  if (code == 0x2028 || code == 0x2029) return false;
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return false;
  return code != 0xfffe && code != 0xffff;
}

void escape(std::string_view bytes, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 0xf];
  }
}

std::string readable(std::string_view text, bool lines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::string_view bytes = text.substr(0, character.bytes == 0 ? 1 : character.bytes);
    if (character.bytes != 0 && (is_shown(character.code) || (lines && character.code == '\n'))) {
      out += bytes;
    } else {
      escape(bytes, out);
    }
    text.remove_prefix(bytes.size());
  }
  return out;
}

}  // namespace

std::string readable(std::string_view text) {
  return readable(text, false);
}

std::string readable_lines(std::string_view text) {
  return readable(text, true);
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = first_character(text).bytes;
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::size_t character_bytes(std::string_view text) {
  const std::size_t bytes = first_character(text).bytes;
  return bytes == 0 ? 1 : bytes;
}

std::string_view beginning(std::string_view text, std::size_t most_bytes) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t bytes = character_bytes(text.substr(end));
    if (end + bytes > most_bytes) break;
    end += bytes;
  }
  return text.substr(0, end);
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace heddle::text
