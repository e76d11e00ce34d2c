#include "emulator/cli/step/trace_face.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace heddle::cli {
namespace {

using namespace lab::terminal;

constexpr const char* kHelp =
    "The run of a program, as its trace has it. The source of the selected event is on the left, what caches hold "
    "behind it "
    "on the right, and the events are below.\n"
    "\n"
    "up, down        back and forward by an event (also page up, page down, Home, End)\n"
    "g               go to the event of a number\n"
    "s               when did this go stale? Of a read: what it was served, and what others wrote meanwhile\n"
    "[, ]            the stale read before, the next one\n"
    "f               filter: buffer data, invocation (3,0,0), time 100 200; several by commas; none\n"
    "/, n            search, next\n"
    "?               this page\n"
    "q               leave";

}  // namespace

TraceFace::TraceFace(TraceFilm& film, std::string title)
    : Face({" up/down time  s when stale  [ ] stale reads  f filter  / find  g go  ? help  q",
            "heddle step, on a trace", kHelp}),
      film_(film),
      title_(std::move(title)) {
  for (std::size_t i = 0; i < film_.events().size(); ++i) shown_.push_back(i);
  say(film_.cut() ? fmt::format("only the first {} events are shown", film_.events().size()) : "? is help");
}

// --- Drawing ---

const std::vector<std::string>& TraceFace::source(const std::string& file) {
  const auto [known, fresh] = sources_.try_emplace(file);
  if (!fresh) return known->second;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::string spaced;
    for (const char c : line) spaced += c == '\t' ? std::string(2, ' ') : std::string(1, c);
    known->second.push_back(std::move(spaced));
  }
  return known->second;
}

void TraceFace::draw_source(Canvas& canvas, int row, int height, int width) {
  const SourceLocation where = shown_.empty() ? SourceLocation{} : film_.place_of(film_.events()[current()]);
  if (where.line == 0) {
    canvas.write(row, 0, "No line of the source belongs to this event.", Style::Dim, width);
    return;
  }
  const std::string file = where.file;
  const auto line = static_cast<int>(where.line);
  const std::vector<std::string>& lines = source(file);
  canvas.write(row, 0, fmt::format("{}:{}", file.size() > 30 ? file.substr(file.size() - 30) : file, line), Style::Bold,
               width);
  if (lines.empty()) {
    canvas.write(row + 1, 0, file.empty() ? std::string(where.function) : "The file cannot be read.", Style::Plain,
                 width);
    return;
  }
  const int rows = height - 1;
  const int first = std::clamp(line - 1 - rows / 2, 0, std::max(static_cast<int>(lines.size()) - rows, 0));
  for (int i = 0; i < rows && first + i < static_cast<int>(lines.size()); ++i) {
    const bool is_current = first + i + 1 == line;
    canvas.write(
        row + 1 + i, 0,
        fmt::format("{}{:4} {}", is_current ? '>' : ' ', first + i + 1, lines[static_cast<std::size_t>(first + i)]),
        is_current ? Style::Bold : Style::Plain, width);
  }
}

void TraceFace::draw_caches(Canvas& canvas, int row, int height, int column) {
  canvas.write(row, column, "caches", Style::Bold);
  if (shown_.empty()) return;
  std::map<std::string, std::vector<std::string>> boxes;
  for (const auto& [write, line] : film_.lines_after(current() + 1)) {
    const FilmOperation& one = film_.operations()[write];
    boxes[film_.names().cache(line.agent, line.level)].push_back(
        fmt::format("{} = {} of event {}", film_.names().element(one.operation.locations),
                    film_.names().value(one.operation.locations, one.written), one.event));
  }
  for (auto& [name, what] : film_.held_after(current() + 1)) boxes[name].push_back(std::move(what));
  int at = row + 1;
  const int end = row + height;
  if (boxes.empty()) canvas.write(at, column, "Nothing is on its way.", Style::Dim);
  for (const auto& [name, lines] : boxes) {
    if (at >= end) break;
    canvas.write(at++, column, name, Style::Plain);
    for (const std::string& line : lines) {
      if (at >= end) break;
      canvas.write(at++, column + 2, line, Style::Moving);
    }
  }
  if (at >= end && !boxes.empty()) canvas.write(end - 1, canvas.columns() - 4, "...", Style::Dim);
}

void TraceFace::draw_events(Canvas& canvas, int row, int height) {
  draw_rule(canvas, row, filter_text_.empty() ? "events" : "events: " + filter_text_);
  if (shown_.empty()) {
    canvas.write(row + 1, 1, "No event passes the filter: f, then none, takes it away.");
    return;
  }
  // Only what is near is spelled out: a trace may be long.
  const int rows = height - 1;
  const int selected = choice_.selected();
  const int first = std::clamp(selected - rows / 2, 0, std::max(static_cast<int>(shown_.size()) - rows, 0));
  for (int i = 0; i < rows && first + i < static_cast<int>(shown_.size()); ++i) {
    const std::size_t number = shown_[static_cast<std::size_t>(first + i)];
    const FilmEvent& event = film_.events()[number];
    const bool is_selected = first + i == selected;
    canvas.write(row + 1 + i, 0, is_selected ? ">" : " ", Style::Bold);
    canvas.write(row + 1 + i, 1, fmt::format("{} {}", number, film_.text(event)),
                 is_selected                          ? Style::Inverse
                 : film_.is_stale(event)              ? Style::Warning
                 : event.kind == FilmEventKind::Moved ? Style::Moving
                                                      : Style::Plain);
  }
}

std::string TraceFace::title() const {
  return fmt::format(" {}  event {} of {}", title_, shown_.empty() ? 0 : current(), film_.events().size());
}

void TraceFace::draw_middle(Canvas& canvas) {
  const int top = std::max((canvas.rows() - 4) / 2, 4);
  const int left = canvas.columns() / 2;
  draw_source(canvas, 1, top, left - 1);
  draw_caches(canvas, 1, top, left);
  draw_events(canvas, 1 + top, canvas.rows() - 3 - top);
}

// --- Keys ---

// The nearest one that is shown.
void TraceFace::go_to(std::size_t event) {
  const auto at = std::lower_bound(shown_.begin(), shown_.end(), event);
  const auto index = std::min<std::ptrdiff_t>(at - shown_.begin(), static_cast<std::ptrdiff_t>(shown_.size()) - 1);
  choice_.select(static_cast<int>(std::max<std::ptrdiff_t>(index, 0)));
}

void TraceFace::search(bool next) {
  if (word_.empty() || shown_.empty()) return;
  const auto begin = static_cast<std::size_t>(choice_.selected()) + (next ? 1 : 0);
  const auto found = find_around(shown_.size(), begin, [&](std::size_t at) {
    return film_.text(film_.events()[shown_[at]]).find(word_) != std::string::npos;
  });
  if (found) return choice_.select(static_cast<int>(*found));
  say(fmt::format("no event that is shown has \"{}\"", word_));
}

void TraceFace::next_stale(int direction) {
  for (int at = choice_.selected() + direction; at >= 0 && at < static_cast<int>(shown_.size()); at += direction) {
    if (!film_.is_stale(film_.events()[shown_[static_cast<std::size_t>(at)]])) continue;
    return choice_.select(at);
  }
  say(direction > 0 ? "no stale read comes behind this" : "no stale read comes before this");
}

void TraceFace::filter(const std::string& text) {
  const std::optional<FilmFilter> filter = film_filter(text);
  if (!filter) {
    say("a filter is: buffer NAME, invocation PART OF ITS NAME, time FROM TO, or none");
    return;
  }
  const std::size_t before = current();
  filter_ = *filter;
  filter_text_ = filter_.all() ? "" : text;
  shown_.clear();
  for (std::size_t i = 0; i < film_.events().size(); ++i)
    if (film_.passes_filter(i, filter_)) shown_.push_back(i);
  go_to(before);
}

void TraceFace::command(int key) {
  if (choice_.press(key, static_cast<int>(shown_.size()))) return;
  switch (key) {
    case 's':
      if (!shown_.empty() && film_.operation_of(film_.events()[current()]))
        open_page("When did this go stale?", film_.stale_story(film_.events()[current()].operation));
      break;
    case '[':
      next_stale(-1);
      break;
    case ']':
      next_stale(1);
      break;
    case 'f':
      ask("show only (buffer data, invocation (3,0,0), time 100 200, none)",
          [this](const std::string& text) { filter(text); });
      break;
    case '/':
      ask("search for", [this](const std::string& word) {
        word_ = word;
        search(false);
      });
      break;
    case 'n':
      search(true);
      break;
    case 'g':
      ask("go to event", [this](const std::string& text) {
        const auto event = number_of<std::size_t>(text);
        if (!event) return say(fmt::format("\"{}\" is no number of an event", text));
        go_to(*event);
      });
      break;
    default:
      break;
  }
}

}  // namespace heddle::cli
