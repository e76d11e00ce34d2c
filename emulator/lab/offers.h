#pragma once

/// \file
/// Which moves there are: those that can be made now, and those that a player may wonder about.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulator/lab/move.h"
#include "emulator/lab/words.h"
#include "emulator/lab/world.h"

namespace heddle::lab {

/// What a move is to a player.
enum class OfferKind : std::uint8_t {
  /// A thread goes on, and has no choice in how.
  Step,
  /// A thread reads one of several values.
  Read,
  /// A thread reads what is older than the machine would keep.
  Older,
  /// A thread goes on without the value of its read.
  Postpone,
  /// A thread takes the value of a read that it went on without.
  Answer,
  /// A thread leaves a barrier at which it is to be chosen who synchronizes.
  Choose,
  /// No thread goes on: as MoveKind says.
  Deliver,
  Invalidate,
  Finish,
};

/// A move, and what it would do.
struct Offer {
  Move move;
  OfferKind kind = OfferKind::Step;
  std::string text;
  /// The instruction's line; 0 where there is none.
  std::uint32_t line = 0;
  /// Whether it reads, and then what: index of the variable, value, and write.
  bool reads = false;
  std::uint32_t variable = 0;
  trace::Value value = 0;
  OperationIndex write = model::kInitialValue;
  bool stale = false;
  /// Deliver: ids of caches.
  std::string from;
  std::string to;
};

/// Finds offers; tries each of them on a world of its own.
class Offers {
 public:
  Offers(const Played& played, const Rules& rules) : trial_(played, rules), words_(played, trial_.chronicle()) {}

  /// Each of them keeps the execution consistent: by the machine's promise, or else by the judge's word.
  /// All moves that `world`, which is where `done` leads to, allows. Threads first, in their order, of each the
  /// ways in which it can go on, those that read something old first, and what only the judge allows behind them; then
  /// deliveries, then invalidations.
  std::vector<Offer> all(World& world, std::span<const Move> done);
  /// One thread's alone.
  void go(std::uint32_t thread, std::span<const Move> done, std::vector<Offer>& offers);

 private:
  /// Reads of one thread that the judge allows, and that the machine does not offer.
  void older(std::uint32_t thread, std::span<const Move> done, std::vector<Offer>& offers);
  void finish(std::span<const Move> done, std::vector<Offer>& offers);
  /// Whether what the trial's last move led to is consistent, if that is not certain. The trial is of no use then.
  bool holds();
  void deliver(World& world, std::span<const Move> done, std::vector<Offer>& offers);
  void invalidate(World& world, std::vector<Offer>& offers);
  /// What the thread's move, which the trial made last, has done: `told` is how many operations there were before,
  /// `late` how many of its reads were late.
  Offer describe(const Move& move, std::size_t told, std::size_t late) const;

  World trial_;
  Words words_;
};

/// A move that cannot be made.
struct Forbidden {
  /// "x1.3", "x1.init", "b1"
  std::string id;
  std::uint32_t thread = 0;
  /// Whether it is a read; else the thread cannot go on at all.
  bool reads = false;
  std::uint32_t variable = 0;
  OperationIndex write = model::kInitialValue;
  trace::Value value = 0;
  std::string text;
};

/// Values that were written, or were there to begin with, and that the next reads of threads cannot have now; threads
/// that cannot go on.
std::vector<Forbidden> forbidden_moves(const World& world, std::span<const Offer> offers);

}  // namespace heddle::lab
