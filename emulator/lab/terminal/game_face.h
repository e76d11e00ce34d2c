#pragma once

/// \file
/// A game on a litmus test as a screen: threads in columns, caches in boxes, moves by key.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/lab/guide.h"
#include "emulator/lab/session.h"
#include "emulator/lab/terminal/face.h"

namespace heddle::lab::terminal {

class GameFace final : public Face {
 public:
  /// Nothing else asks the session.
  explicit GameFace(std::unique_ptr<Session> session);

  Session& session() { return *session_; }

 private:
  enum class List { Moves, Forbidden, History, Outcomes };

  // Drawing, from top to bottom; what returns a row returns the one behind its last one.
  std::string title() const override;
  std::string right_title() const override;
  void draw_middle(Canvas& canvas) override;
  int draw_threads(Canvas& canvas, int row, int height);
  int draw_caches(Canvas& canvas, int row);
  void draw_list(Canvas& canvas, int row, int height);
  std::string message() const override;
  std::string own_cache(std::uint32_t thread, bool& stale);
  std::string shared_cache(CacheLevel level, const std::string& id);
  std::string memory_row();
  /// What the host or the device domain has of each variable that was written.
  std::string domain_row(bool of_host);
  std::vector<std::string> list_texts(std::vector<Style>& styles);
  std::string list_title() const;

  // Keys. Those that return a bool are false where the key is none of theirs.
  void command(int key) override;
  Choices& choices();
  bool turn_page(int key);
  bool ask_or_tell(int key);
  void change_game(int key);
  void tell_races();
  void choose();
  void choose_number(int number);
  void next_list();
  void play(Policy policy);
  void search(bool from_start);
  void set_breakpoint(const std::string& text);
  void jump(const std::string& text);
  void where_from();
  void show_outcome(std::size_t which);
  void explore();
  void show_reason(const std::string& title, const std::string& text, std::string_view clause);
  void moved();

  std::unique_ptr<Session> session_;
  List list_ = List::Moves;
  Choices moves_;
  Choices forbidden_;
  Choices past_;
  Choices results_;
  std::string word_;
  std::uint64_t seed_ = 1;
  std::uint32_t first_thread_ = 0;
  std::optional<Outcomes> outcomes_;
};

}  // namespace heddle::lab::terminal
