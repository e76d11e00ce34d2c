#include "emulator/cli/table.h"

#include <algorithm>

namespace heddle::cli {

std::string Table::print(const Painter& paint, const std::string& indent) const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    if (row.size() > widths.size()) widths.resize(row.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], width(row[i].text));
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += separator_;
      const std::string padding(widths[i] - width(row[i].text), ' ');
      if (row[i].right) line += padding;
      line += paint(row[i].colour, row[i].text);
      if (!row[i].right) line += padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace heddle::cli
