#include "emulator/lab/terminal/face.h"

#include <algorithm>

#include "emulator/lab/session.h"

namespace heddle::lab::terminal {
namespace {

// Whether the canvas is large enough; else it says how large it has to be.
bool draws_size(Canvas& canvas) {
  if (canvas.rows() >= kFewestRows && canvas.columns() >= kFewestColumns) return true;
  canvas.write(0, 0, "The terminal has");
  canvas.write(1, 0, std::to_string(canvas.columns()) + 'x' + std::to_string(canvas.rows()) + " characters;");
  canvas.write(2, 0, std::to_string(kFewestColumns) + 'x' + std::to_string(kFewestRows) + " are needed.");
  canvas.write(3, 0, "q leaves.");
  return false;
}

}  // namespace

bool Choices::press(int key, int entries) {
  constexpr int kPage = 10;
  switch (key) {
    case kKeyUp:
      --selected_;
      break;
    case kKeyDown:
      ++selected_;
      break;
    case kKeyPageUp:
      selected_ -= kPage;
      break;
    case kKeyPageDown:
      selected_ += kPage;
      break;
    case kKeyHome:
      selected_ = 0;
      break;
    case kKeyEnd:
      selected_ = entries - 1;
      break;
    default:
      return false;
  }
  selected_ = std::clamp(selected_, 0, std::max(entries - 1, 0));
  return true;
}

void Choices::draw(Canvas& canvas, int row, int height, const std::vector<std::string>& texts,
                   const std::vector<Style>& styles, bool active) {
  const int entries = static_cast<int>(texts.size());
  selected_ = std::clamp(selected_, 0, std::max(entries - 1, 0));
  first_ = std::clamp(first_, selected_ - height + 1, selected_);
  first_ = std::clamp(first_, 0, std::max(entries - height, 0));
  for (int i = 0; i < height && first_ + i < entries; ++i) {
    const int entry = first_ + i;
    const bool is_selected = active && entry == selected_;
    canvas.write(row + i, 0, is_selected ? ">" : " ", Style::Bold);
    canvas.write(row + i, 1, texts[static_cast<std::size_t>(entry)],
                 is_selected ? Style::Inverse : styles[static_cast<std::size_t>(entry)]);
  }
  if (first_ > 0) canvas.write(row, canvas.columns() - 3, "^^^", Style::Dim);
  if (first_ + height < entries) canvas.write(row + height - 1, canvas.columns() - 3, "vvv", Style::Dim);
}

bool Prompt::press(int key) {
  if (key == kKeyEnter) {
    open_ = false;
    return true;
  }
  if (key == kKeyEscape || key == kKeyInterrupt) {
    open_ = false;
  } else if (key == kKeyBackspace) {
    if (!text_.empty()) text_.pop_back();
  } else if (key >= 32 && key < 127) {
    text_ += static_cast<char>(key);
  }
  return false;
}

void Page::press(int key) {
  constexpr int kRows = 10;
  if (key == kKeyDown || key == kKeyPageDown) {
    first_ += key == kKeyDown ? 1 : kRows;
  } else if (key == kKeyUp || key == kKeyPageUp) {
    first_ = std::max(first_ - (key == kKeyUp ? 1 : kRows), 0);
  } else if (key != kKeyResize) {
    text_.clear();
  }
}

void Page::draw(Canvas& canvas) const {
  if (!is_open()) return;
  const std::vector<std::string> lines = wrapped(text_, canvas.columns() - 8);
  const int height = std::min(canvas.rows() - 2, static_cast<int>(lines.size()) + 2);
  const int width = canvas.columns() - 4;
  const int top = (canvas.rows() - height) / 2;
  for (int i = 0; i < height; ++i) canvas.write(top + i, 2, std::string(static_cast<std::size_t>(width), ' '));
  canvas.box(top, 2, height, width, ' ' + title_ + ' ');
  const int room = height - 2;
  const int first = std::clamp(first_, 0, std::max(static_cast<int>(lines.size()) - room, 0));
  for (int i = 0; i < room && first + i < static_cast<int>(lines.size()); ++i)
    canvas.write(top + 1 + i, 4, lines[static_cast<std::size_t>(first + i)], Style::Plain, width - 4);
  if (first + room < static_cast<int>(lines.size()))
    canvas.write(top + height - 1, 4, " down: more; Esc: back ", Style::Bold, width - 4);
}

void Face::draw(Canvas& canvas) {
  if (!draws_size(canvas)) return;
  canvas.fill(0, Style::Inverse);
  canvas.write(0, 0, title(), Style::Inverse);
  const std::string right = right_title();
  canvas.write(0, canvas.columns() - static_cast<int>(right.size()), right, Style::Inverse);
  draw_middle(canvas);
  const int foot = canvas.rows() - 1;
  canvas.write(foot - 1, 0, prompt_.open() ? prompt_.label() + ": " + prompt_.text() + '_' : message(), Style::Bold);
  canvas.fill(foot, Style::Inverse);
  canvas.write(foot, 0, texts_.keys, Style::Inverse);
  page_.draw(canvas);
}

bool Face::press(int key) {
  if (page_.is_open()) {
    page_.press(key);
    return true;
  }
  try {
    if (prompt_.open()) {
      if (prompt_.press(key)) answer_(prompt_.text());
      return true;
    }
    message_.clear();
    if (key == 'q' || key == kKeyInterrupt) return false;
    if (key == '?') {
      page_.open(texts_.help_title, texts_.help);
    } else {
      command(key);
    }
  } catch (const BadRequest& bad) {
    message_ = bad.what();
  }
  return true;
}

void Face::ask(std::string label, std::function<void(const std::string&)> answer) {
  prompt_.ask(std::move(label));
  answer_ = std::move(answer);
}

void draw_rule(Canvas& canvas, int row, const std::string& title) {
  const std::string dashes(static_cast<std::size_t>(canvas.columns()), '-');
  canvas.write(row, 0, "-- " + title + ' ' + dashes, Style::Dim);
}

std::optional<std::size_t> find_around(std::size_t count, std::size_t begin,
                                       const std::function<bool(std::size_t)>& matches) {
  for (std::size_t k = 0; k < count; ++k)
    if (const std::size_t at = (begin + k) % count; matches(at)) return at;
  return std::nullopt;
}

}  // namespace heddle::lab::terminal
