#pragma once

/// \file
/// The machine's dice: everything that it leaves to chance is drawn here.

#include <heddle/choice.h>

namespace heddle::memory {

/// Asks a `Choice`, at the machine's point of it, for each number that the machine needs.
///
/// The same answers give the same numbers. A choice that is a `SeededChoice` draws at the place, where a virtual call
/// would cost more; its answers are what it would have answered.
class Draws {
 public:
  /// `choice` must outlive the draws.
  explicit Draws(Choice& choice) : choice_(&choice), seeded_(dynamic_cast<SeededChoice*>(&choice)) {}

  /// Draws from `seeded` from now on, which answers as the choice would; null: asks the choice.
  void draw_from(SeededChoice* seeded) { seeded_ = seeded; }
  /// A number below `bound`, which is at least 1.
  std::uint32_t below(std::uint32_t bound) {
    return seeded_ ? seeded_->below(bound, ChoicePoint::Memory) : asked_below(bound);
  }
  /// True in `of_256` of 256 cases. Never and always are not drawn.
  bool chance(std::uint32_t of_256) {
    if (of_256 - 1 >= 255) return of_256 != 0;
    return below(256) < of_256;
  }

 private:
  [[gnu::noinline]] std::uint32_t asked_below(std::uint32_t bound) {
    return choice_->below(bound, ChoicePoint::Memory);
  }

  Choice* choice_;
  /// The choice, if it is a SeededChoice that draws at the place; else null.
  SeededChoice* seeded_;
};

}  // namespace heddle::memory
