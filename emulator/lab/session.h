#pragma once

/// \file
/// A game on what is played: its moves, and the way back.

#include <heddle/choice.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/judge/judgement.h"
#include "emulator/lab/offers.h"
#include "emulator/lab/world.h"

namespace heddle::lab {

/// Where automatic play stops.
struct Breakpoint {
  enum class Kind : std::uint8_t {
    /// A thread has come to this line, and has not executed it.
    Line,
    /// The variable was accessed, or a write of it delivered.
    Variable,
    /// There is a data race more than before.
    Race,
    /// The game has ended, and the assertion's condition holds.
    AsAsked,
  };
  Kind kind = Kind::Race;
  std::uint32_t line = 0;
  std::uint32_t variable = 0;
};

/// How automatic play chooses.
enum class Policy : std::uint8_t {
  /// By the toss of a coin.
  Random,
  /// Everything is delivered at once, and the newest is read.
  Eager,
  /// Nothing is delivered but by the threads, and the oldest is read.
  Lazy,
};

enum class Stop : std::uint8_t {
  End,
  Break,
  Most,
  /// What was read that is older than the machine would keep leaves no move that the judge allows.
  Stuck,
};

/// A move that was made.
struct Entry {
  Move move;
  std::string text;
  std::vector<std::string> effects;
  /// Go: index of the thread, and the line of what it did.
  std::optional<std::uint32_t> thread;
  std::uint32_t line = 0;
  /// The number of its operation.
  std::optional<OperationIndex> operation;
};

/// What the judge says of everything done so far, as if it ended here. Of a game that has ended, and that the test's
/// filter discards, there are no races: nobody asks about it.
struct Verdict {
  bool consistent = true;
  std::vector<model::OperationPair> races;
  /// Each race in a sentence or two.
  std::vector<std::string> race_texts;
};

/// One at a time asks it.
class Session {
 public:
  Session(std::shared_ptr<const Played> played, const Rules& rules);

  const Played& played() const { return *played_; }
  /// For another session on it.
  const std::shared_ptr<const Played>& shared() const { return played_; }
  const Rules& rules() const { return rules_; }
  World& world() { return *world_; }
  const World& world() const { return *world_; }
  Words words() const { return Words(*played_, world_->chronicle()); }

  /// All moves that were made and not given up; those from at() on are undone.
  const std::vector<Entry>& history() const { return history_; }
  std::size_t at() const { return at_; }
  std::span<const Move> done() const { return std::span(moves_).first(at_); }

  /// The moves that can be made now.
  const std::vector<Offer>& offers();
  /// Makes the move of that id, which is one of the offers; what was undone is given up. Throws BadRequest.
  void make(std::string_view id);
  /// Goes to where `to` moves are done. Throws BadRequest beyond the last one.
  void jump(std::size_t to);

  /// Moves a bookmark that is there already here.
  void set_bookmark(const std::string& name) { bookmarks_[name] = at_; }
  bool remove_bookmark(const std::string& name) { return bookmarks_.erase(name) != 0; }
  const std::map<std::string, std::size_t>& bookmarks() const { return bookmarks_; }

  void set_breakpoints(std::vector<Breakpoint> breakpoints) { breakpoints_ = std::move(breakpoints); }
  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }

  /// Plays on, `most` moves at most. Draws from `seed` alone. `why` says which breakpoint stopped it.
  Stop play(Policy policy, std::uint64_t seed, std::size_t most, std::string& why);

  const Verdict& verdict();
  /// The execution so far, as if it ended here, with the place of each step in it. Its operations name the test.
  model::Execution execution(trace::Recorder& recorder);
  /// The final values of a game that has ended.
  Outcome outcome() const;
  std::optional<run::RunEnd> end() const { return world_->end(); }
  /// Whether the test's filter lets a game that has ended count. What it discards is no execution of the test.
  bool passes_filter() const;
  /// Whether a game that has ended counts, and the assertion's condition holds at its end.
  bool satisfies_assertion() const;
  /// What the end of the game means for the test, in a sentence or two.
  std::string end_in_words() const;

 private:
  void make(const Offer& offer);
  void moved_to(std::size_t at);
  const Offer& choose(Policy policy, SeededChoice& choice);
  std::optional<std::string> broken(const std::vector<std::uint32_t>& lines_before, std::size_t races_before);
  std::vector<std::uint32_t> next_lines() const;

  std::shared_ptr<const Played> played_;
  Rules rules_;
  std::unique_ptr<World> world_;
  /// For what would happen.
  std::unique_ptr<World> trial_;
  Offers finder_;
  std::vector<Move> moves_;
  std::vector<Entry> history_;
  std::size_t at_ = 0;
  std::map<std::string, std::size_t> bookmarks_;
  std::vector<Breakpoint> breakpoints_;
  /// What is known of this position, once it is asked for.
  std::optional<std::vector<Offer>> offers_;
  std::optional<Verdict> verdict_;
};

}  // namespace heddle::lab
