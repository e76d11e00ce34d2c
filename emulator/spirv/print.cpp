#include "emulator/spirv/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "emulator/spirv/numbers.h"
#include "emulator/spirv/tokens.h"

namespace heddle::spirv {
namespace {

/// One place for values in a format.
struct Place {
  std::string_view flags;
  std::string_view width;  ///< with the precision behind it
  std::size_t count = 1;   ///< components of a vector
  char conversion = 0;
  std::size_t length = 0;  ///< of all of it
};

std::string_view take(std::string_view text, std::size_t& at, std::string_view of) {
  const std::size_t begin = at;
  at = std::min(text.find_first_not_of(of, at), text.size());
  return text.substr(begin, at - begin);
}

/// The place at the beginning of the text, which is behind '%'.
Place place_in(std::string_view text) {
  Place out;
  std::size_t at = 0;
  out.flags = take(text, at, "-+ #0");
  out.width = take(text, at, "0123456789.");
  if (at + 1 < text.size() && text[at] == 'v' && text[at + 1] >= '2' && text[at + 1] <= '4') {
    out.count = static_cast<std::size_t>(text[at + 1] - '0');
    at += 2;
  }
  take(text, at, "hl");
  if (at < text.size()) out.conversion = text[at++];
  out.length = at;
  return out;
}

std::string format_of(const Place& place, char type) {
  const auto has = [&](char flag) { return place.flags.find(flag) != std::string_view::npos; };
  std::string out = "{:";
  if (has('-')) out += '<';
  if (!has('-') && !has('0')) out += '>';
  if (has('+')) out += '+';
  if (has('#')) out += '#';
  if (has('0') && !has('-')) out += '0';
  return out + std::string(place.width) + type + '}';
}

std::string one(const Place& place, std::uint64_t bits, const ScalarType& type) {
  if (is_token(bits)) return "(undefined)";
  const auto spell = [](const std::string& format, auto value) {
    return fmt::vformat(format, fmt::make_format_args(value));
  };
  switch (place.conversion) {
    case 'd':
    case 'i':
      return spell(format_of(place, 'd'), signed_value(bits, type.bits));
    case 'u':
      return spell(format_of(place, 'd'), bits);
    case 'x':
    case 'X':
    case 'o':
      return spell(format_of(place, place.conversion), bits);
    default:
      return spell(format_of(place, place.conversion),
                   type.kind == ScalarType::Kind::Float ? float_value(bits, type.bits) : static_cast<double>(bits));
  }
}

}  // namespace

std::string printed(std::string_view format, const std::vector<std::uint64_t>& values,
                    const std::vector<ScalarType>& types) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      out += format[at++];
      continue;
    }
    if (format.substr(at, 2) == "%%") {
      out += '%';
      at += 2;
      continue;
    }
    const Place place = place_in(format.substr(at + 1));
    const std::string_view known = "diuxXofFeEgGaA";
    const bool prints = place.conversion != 0 && known.find(place.conversion) != std::string_view::npos &&
                        next + place.count <= values.size();
    if (!prints) {
      out += format[at++];
      continue;
    }
    for (std::size_t i = 0; i < place.count; ++i, ++next)
      out += (i == 0 ? "" : ", ") + one(place, values[next], types[next]);
    at += 1 + place.length;
  }
  return out;
}

}  // namespace heddle::spirv
