#pragma once

/// \file
/// A page of characters, before it comes to a terminal.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::lab::terminal {

/// How a character looks. Every meaning is spelled out as well, so that a terminal without any of these says the same.
enum class Style : std::uint8_t {
  Plain,
  Bold,
  /// Titles, and what is selected: inverse.
  Inverse,
  /// What is stale, or in doubt.
  Warning,
  /// What is wrong: a race.
  Wrong,
  /// What is on its way.
  Moving,
  Dim,
};

/// Rows and columns count from 0. What does not fit is cut off.
class Canvas {
 public:
  Canvas(int rows, int columns)
      : columns_(columns < 0 ? 0 : columns),
        rows_(rows < 0 ? 0 : rows),
        text_(static_cast<std::size_t>(rows_), std::string(static_cast<std::size_t>(columns_), ' ')),
        styles_(static_cast<std::size_t>(rows_), std::vector<Style>(static_cast<std::size_t>(columns_), Style::Plain)) {
  }

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  const std::string& row(int row) const { return text_[static_cast<std::size_t>(row)]; }
  Style style(int row, int column) const {
    return styles_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
  }

  /// `width` columns at most, where that is given. A character that is not printable ASCII becomes a question mark.
  void write(int row, int column, std::string_view text, Style style = Style::Plain, int width = -1);
  /// The whole row in one style.
  void fill(int row, Style style);
  /// A box of lines with a title in its upper edge; it has room for `height - 2` rows.
  void box(int row, int column, int height, int width, std::string_view title, Style style = Style::Plain);

 private:
  int columns_;
  int rows_;
  std::vector<std::string> text_;
  std::vector<std::vector<Style>> styles_;
};

/// Cuts a text at blanks into rows of `width` columns at most.
std::vector<std::string> wrapped(std::string_view text, int width);

}  // namespace heddle::lab::terminal
