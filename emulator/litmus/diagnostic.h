#pragma once

/// \file
/// What a parser says about a file that it does not like.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace heddle::litmus {

/// A position in a source text, both counted from 1; a column is a byte.
struct Place {
  std::uint32_t line = 1;
  std::uint32_t column = 1;

  friend bool operator==(const Place&, const Place&) = default;
};

/// A comment behind the header of a test.
struct Comment {
  std::string text;  ///< with its marks
  Place place;
  bool begins_line =
      false;  ///< nothing but blanks and comments stands before it in its line, or in its cell of a table
};

struct Diagnostic {
  Place place;
  std::string message;
};

/// "file:line:column: message", as readable text.
std::string describe(std::string_view file, const Diagnostic& diagnostic);

/// A text that is no litmus test: thrown by the parsers' insides, never out of a parser.
class ParseError : public std::runtime_error {
 public:
  ParseError(Place place, const std::string& message) : std::runtime_error(message), place_(place) {}
  Place place() const { return place_; }
  Diagnostic diagnostic() const { return {place_, what()}; }

 private:
  Place place_;
};

}  // namespace heddle::litmus
