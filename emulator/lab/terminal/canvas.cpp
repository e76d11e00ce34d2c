#include "emulator/lab/terminal/canvas.h"

#include <algorithm>

namespace heddle::lab::terminal {

void Canvas::write(int row, int column, std::string_view text, Style style, int width) {
  if (row < 0 || row >= rows_ || column < 0) return;
  const int end = width < 0 ? columns_ : std::min(columns_, column + width);
  for (const char c : text) {
    if (column >= end) return;
    const auto byte = static_cast<unsigned char>(c);
    // The first byte of a character of several stands for all.
    if ((byte & 0xc0u) == 0x80u) continue;
    text_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = byte < 32 || byte > 126 ? '?' : c;
    styles_[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = style;
    ++column;
  }
}

void Canvas::fill(int row, Style style) {
  if (row < 0 || row >= rows_) return;
  std::fill(styles_[static_cast<std::size_t>(row)].begin(), styles_[static_cast<std::size_t>(row)].end(), style);
}

void Canvas::box(int row, int column, int height, int width, std::string_view title, Style style) {
  if (width < 2 || height < 2) return;
  const std::string edge = '+' + std::string(static_cast<std::size_t>(width - 2), '-') + '+';
  write(row, column, edge, style, width);
  write(row, column + 2, title, Style::Bold, width - 4);
  for (int i = 1; i < height - 1; ++i) {
    write(row + i, column, "|", style);
    write(row + i, column + width - 1, "|", style);
  }
  write(row + height - 1, column, edge, style, width);
}

std::vector<std::string> wrapped(std::string_view text, int width) {
  std::vector<std::string> rows;
  const std::size_t most = static_cast<std::size_t>(std::max(width, 1));
  while (!text.empty()) {
    std::size_t end = text.find('\n');
    const bool has_end = end != std::string_view::npos && end <= most;
    if (!has_end) {
      end = std::min(most, text.size());
      const std::size_t blank = text.size() <= most ? std::string_view::npos : text.rfind(' ', most);
      if (blank != std::string_view::npos && blank != 0) end = blank;
    }
    rows.emplace_back(text.substr(0, end));
    const bool skips = end < text.size() && (text[end] == ' ' || text[end] == '\n');
    text.remove_prefix(end + (skips ? 1 : 0));
  }
  return rows;
}

}  // namespace heddle::lab::terminal
