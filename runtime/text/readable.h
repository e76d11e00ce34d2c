#pragma once

/// \file
/// Text that comes from outside (a name that a program gave, a path, an argument, a line of a file) as characters that
/// every format and every terminal takes. Such text is bytes: it need not be UTF-8, and may have control characters.
///
/// A byte that belongs to no such character becomes `\xNN`, as C++ spells it. U+FFFD in its place would make one name
/// of two and hide which byte it was; and XML 1.0 has no way to write most control characters at all, not even escaped.
/// A backslash stays one backslash, so that text which was made readable before does not change any more.

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::text {

/// The text as valid UTF-8 on one line. Escaped, byte by byte: what is not UTF-8; control characters (C0 but for the
/// tab, DEL, C1); the separators of lines and paragraphs (U+2028, U+2029); what turns the direction of text around
/// (U+202A to U+202E, U+2066 to U+2069); U+FFFE and U+FFFF.
std::string readable(std::string_view text);

/// The text as `readable` writes it, but for line feeds, which stay.
std::string readable_lines(std::string_view text);

/// Whether all of it is UTF-8, whatever its characters are.
bool is_utf8(std::string_view text);

/// How many bytes the first character has; 1 if no UTF-8 character begins there. The text is not empty.
std::size_t character_bytes(std::string_view text);

/// The longest beginning that has at most so many bytes and cuts no character in two.
std::string_view beginning(std::string_view text, std::size_t most_bytes);

/// The text without the byte order mark that some editors put before a file.
std::string_view without_byte_order_mark(std::string_view text);

/// The last part of a path: what stands behind its last slash.
std::string_view file_name(std::string_view path);

/// The text without spaces, tabs and carriage returns at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace heddle::text
