#pragma once

/// \file
/// Random text as it may come from outside, and what readers of several formats say of what was made of it.

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "runtime/text/readable.h"

namespace heddle {

/// Bytes that some format or some terminal takes for something else than text. No byte of it is zero.
inline std::string text_from_outside(std::mt19937& random) {
  static constexpr std::string_view kPieces[] = {"data",
                                                 "gr\xf6\xdf"
                                                 "e",
                                                 "größe",
                                                 "\x1b[2J",
                                                 "\x1b]0;title\x07",
                                                 "\x9b"
                                                 "31m",
                                                 "\xc2\x9b"
                                                 "31m",
                                                 "\n",
                                                 "\r",
                                                 "\t",
                                                 "\x7f",
                                                 "\x01",
                                                 "<",
                                                 ">",
                                                 "&",
                                                 "&amp;",
                                                 "]]>",
                                                 "<!--",
                                                 "--",
                                                 "\"",
                                                 "'",
                                                 "\\",
                                                 "\\x1b",
                                                 "%",
                                                 "%0A",
                                                 "::",
                                                 ",",
                                                 ":",
                                                 "\xef\xbb\xbf",
                                                 "\xef\xbf\xbf",
                                                 "\xe2\x80\xa8",
                                                 "\xe2\x80\xae",
                                                 "\xed\xa0\x80",
                                                 "\xc0\xaf",
                                                 "\xf0\x9f\xa7",
                                                 "{",
                                                 "}",
                                                 "</script>",
                                                 "::error::",
                                                 " -- "};
  std::string text;
  for (std::size_t left = random() % 6; left > 0; --left) {
    if (random() % 4 == 0) {
      text += static_cast<char>(1 + random() % 255);
    } else {
      text += kPieces[random() % std::size(kPieces)];
    }
  }
  return text;
}

/// Whether a text is UTF-8 and has no control characters but tabs and line feeds.
inline bool is_plain(std::string_view text) {
  return text::readable_lines(text) == text;
}

}  // namespace heddle
