#pragma once

/// \file
/// Aligned columns.

#include <string>
#include <vector>

#include "emulator/cli/terminal.h"

namespace heddle::cli {

struct Cell {
  std::string text;
  Colour colour = Colour::Plain;
  bool right = false;  ///< aligned to the right, as numbers are
};

/// A table whose columns are as wide as their widest cell.
class Table {
 public:
  /// What stands between two columns.
  explicit Table(std::string separator = "  ") : separator_(std::move(separator)) {}

  void add_row(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  /// The rows, each with `indent` before and a line end behind it, without blanks at its end.
  std::string print(const Painter& paint, const std::string& indent) const;

 private:
  std::string separator_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace heddle::cli
