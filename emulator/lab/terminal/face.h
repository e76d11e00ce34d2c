#pragma once

/// \file
/// What a screen shows, and what its keys do: knows no terminal.

#include <string>
#include <vector>

#include "emulator/lab/terminal/canvas.h"
#include "emulator/lab/terminal/keys.h"

namespace heddle::lab::terminal {

class Face {
 public:
  virtual ~Face() = default;
  /// Draws everything, whatever the size of the canvas.
  virtual void draw(Canvas& canvas) = 0;
  /// False once the user wants to leave.
  virtual bool press(int key) = 0;
};

/// Fewer rows or columns are no use.
inline constexpr int kFewestRows = 12;
inline constexpr int kFewestColumns = 40;

/// Whether the canvas is large enough; else it says how large it has to be.
bool draws_size(Canvas& canvas);

/// A list in which one entry is selected, of which as many are shown as there is room for.
class Choices {
 public:
  int selected() const { return selected_; }
  void select(int entry) { selected_ = entry; }
  /// Up, down, page and ends; false for any other key.
  bool press(int key, int entries);
  /// Draws the rows of `texts` that are around the selected one.
  void draw(Canvas& canvas, int row, int height, const std::vector<std::string>& texts,
            const std::vector<Style>& styles, bool active);

 private:
  int selected_ = 0;
  int first_ = 0;
};

/// A line of text that is typed at the foot of the screen.
class Prompt {
 public:
  bool open() const { return open_; }
  const std::string& text() const { return text_; }
  const std::string& label() const { return label_; }
  void ask(std::string label) {
    label_ = std::move(label);
    text_.clear();
    open_ = true;
  }
  /// True once the text is there (Enter). Escape gives it up.
  bool press(int key);

 private:
  bool open_ = false;
  std::string label_;
  std::string text_;
};

/// A text over the middle of the screen, which any key takes away that does not scroll it.
class Page {
 public:
  void open(std::string title, std::string text) {
    title_ = std::move(title);
    text_ = std::move(text);
    first_ = 0;
  }
  bool is_open() const { return !text_.empty(); }
  void press(int key);
  void draw(Canvas& canvas) const;

 private:
  std::string title_;
  std::string text_;
  int first_ = 0;
};

}  // namespace heddle::lab::terminal
