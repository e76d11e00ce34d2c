#pragma once

/// \file
/// The resident workgroups of one worker, and whose turn it is.

#include <heddle/choice.h>
#include <heddle/detail/check.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/admission.h"
#include "runtime/pick.h"

namespace heddle::runtime {

/// The workgroups that have begun and not ended, in the order in which they began.
class Residents {
 public:
  bool empty() const { return all_.empty(); }
  const std::vector<Group*>& all() const { return all_; }
  /// The one whose turn it is. There is one.
  Group& in_turn() const { return *all_[turn_]; }

  void begin(Group& g) { all_.push_back(&g); }
  void end(Group& g) {
    // Mostly the last one.
    if (all_.back() == &g) [[likely]] {
      all_.pop_back();
    } else {
      remove(g);
    }
  }
  /// Takes back `begin`, for there was no memory for the workgroup.
  void take_back(Group& g) {
    if (!empty() && all_.back() == &g) all_.pop_back();
  }

  /// Its invocations have finished, and the stack that runs it is to go on.
  void note_complete(Group& g) { complete_.push_back(&g); }
  bool has_complete() const { return !complete_.empty(); }
  Group& take_complete() {
    Group& g = *complete_.back();
    complete_.pop_back();
    return g;
  }

  /// An oracle chooses whose turn it is: a resident (there is one), or the next workgroup that may begin, and then this
  /// returns false.
  [[gnu::always_inline]] bool choose(Choice& choice, const Admission& admission) {
    const auto residents = static_cast<std::uint32_t>(all_.size());
    const std::uint32_t options = residents + (admission.can_admit() ? 1 : 0);
    turn_ = 0;
    if (options > 1) {
      const std::uint32_t chosen = choice.below(options, ChoicePoint::Workgroup);
      HEDDLE_CHECK(chosen < options, "an oracle chose a workgroup that is not among those it was asked of");
      if (chosen == residents) return false;
      turn_ = chosen;
    }
    if (in_turn().waited) in_turn().walk.jump(choice);
    return true;
  }
  /// Gives the turn to `g`, or to the first resident if `g` is none of them. Null: who has the turn keeps it, if he is
  /// still resident.
  void turn_to(const Group* g);

  /// Asks `pick` of up to `count` workgroups, from the one behind whose turn it is on, round and round. The first of
  /// which it says anything gets the turn, and this returns what it said.
  template <typename Picks>
  Pick pick_behind(std::size_t count, Picks pick) {
    for (std::size_t k = 1; k <= count; ++k) {
      const std::size_t turn = (turn_ + k) % all_.size();
      const Pick next = pick(*all_[turn]);
      if (next.kind == Pick::Nothing) continue;
      turn_ = turn;
      return next;
    }
    return {};
  }

 private:
  [[gnu::noinline]] void remove(Group& g);

  std::vector<Group*> all_;
  std::vector<Group*> complete_;
  std::size_t turn_ = 0;
};

}  // namespace heddle::runtime
