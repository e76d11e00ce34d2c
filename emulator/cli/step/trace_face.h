#pragma once

/// \file
/// A film of a trace as a screen: source left, caches right, events below, forward and back.

#include <map>
#include <string>
#include <vector>

#include "emulator/cli/trace/film.h"
#include "emulator/lab/terminal/face.h"

namespace heddle::cli {

class TraceFace final : public lab::terminal::Face {
 public:
  /// The film must outlive it. `title` is the trace's name.
  TraceFace(TraceFilm& film, std::string title);

 private:
  std::string title() const override;
  void draw_middle(lab::terminal::Canvas& canvas) override;
  void command(int key) override;
  void draw_source(lab::terminal::Canvas& canvas, int row, int height, int width);
  void draw_caches(lab::terminal::Canvas& canvas, int row, int height, int column);
  void draw_events(lab::terminal::Canvas& canvas, int row, int height);
  const std::vector<std::string>& source(const std::string& file);
  /// The event that is selected, by its number in the film.
  std::size_t current() const { return shown_.empty() ? 0 : shown_[static_cast<std::size_t>(choice_.selected())]; }
  void filter(const std::string& text);
  void go_to(std::size_t event);
  void search(bool next);
  void next_stale(int direction);

  TraceFilm& film_;
  std::string title_;
  FilmFilter filter_;
  std::string filter_text_;
  /// The events that pass the filter.
  std::vector<std::size_t> shown_;
  lab::terminal::Choices choice_;
  std::string word_;
  /// Lines of the files that were looked at; none of one that cannot be read.
  std::map<std::string, std::vector<std::string>> sources_;
};

}  // namespace heddle::cli
