#pragma once

/// \file
/// What a screen shows, and what its keys do: knows no terminal.

#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "emulator/lab/terminal/canvas.h"
#include "emulator/lab/terminal/keys.h"

namespace heddle::lab::terminal {

/// Fewer rows or columns are no use.
inline constexpr int kFewestRows = 12;
inline constexpr int kFewestColumns = 40;

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

/// A screen: a title, what a class that derives draws below it, a message or a question, and the main keys at the foot.
class Face {
 public:
  virtual ~Face() = default;
  /// Draws everything, whatever the size of the canvas.
  void draw(Canvas& canvas);
  /// False once the user wants to leave.
  bool press(int key);

 protected:
  /// What stays the same as long as the face is shown.
  struct Texts {
    std::string_view keys;
    const char* help_title;
    const char* help;
  };
  explicit Face(const Texts& texts) : texts_(texts) {}

  virtual std::string title() const = 0;
  /// At the right end of the title's row.
  virtual std::string right_title() const { return ""; }
  /// Has the rows from 1 on, but for the last two.
  virtual void draw_middle(Canvas& canvas) = 0;
  virtual std::string message() const { return message_; }
  /// Any key but those that leave or show the help. What a BadRequest says becomes the message.
  virtual void command(int key) = 0;

  void say(std::string message) { message_ = std::move(message); }
  /// `answer` gets the text once it is typed. Until then all keys go to the question.
  void ask(std::string label, std::function<void(const std::string&)> answer);
  void open_page(std::string title, std::string text) { page_.open(std::move(title), std::move(text)); }

 private:
  Texts texts_;
  std::string message_;
  Prompt prompt_;
  std::function<void(const std::string&)> answer_;
  Page page_;
};

/// A row of dashes with the title of a list.
void draw_rule(Canvas& canvas, int row, const std::string& title);

/// The first entry that `matches`, from `begin` on and then from the start.
std::optional<std::size_t> find_around(std::size_t count, std::size_t begin,
                                       const std::function<bool(std::size_t)>& matches);

/// The number that is the whole text.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace heddle::lab::terminal
