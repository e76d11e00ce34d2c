#pragma once

/// \file
/// The oracle of a game: the player's answers, one after the other.

#include <heddle/choice.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace heddle::lab {

/// Gives the answers of a list, and behind its end always the first one. Notes what it was asked.
///
/// The runner tosses a coin with 256 sides for whether a read is postponed: here it has the answers 0, the read is
/// executed, and 1, it is postponed.
class Script final : public Choice {
 public:
  /// What was asked and answered. Questions with one answer are not noted.
  struct Question {
    std::uint32_t answers = 0;
    std::uint32_t given = 0;
  };

  void load(std::vector<std::uint32_t> answers) {
    answers_ = std::move(answers);
    asked_.clear();
  }
  const std::vector<Question>& asked() const { return asked_; }
  /// What was answered, without what had one answer only.
  std::vector<std::uint32_t> given() const {
    std::vector<std::uint32_t> answers;
    for (const Question& question : asked_) answers.push_back(question.given);
    return answers;
  }
  /// The answers that come next if these questions are asked again, counting up as an odometer does; false behind the
  /// last ones.
  bool next(std::vector<std::uint32_t>& answers) const {
    answers = given();
    std::size_t last = asked_.size();
    while (last != 0 && asked_[last - 1].given + 1 == asked_[last - 1].answers) --last;
    answers.resize(last);
    if (last == 0) return false;
    ++answers.back();
    return true;
  }
  /// Whether an answer was out of range, or was never asked for.
  bool misfits() const { return misfit_ || answers_.size() > asked_.size(); }

  std::uint32_t below(std::uint32_t bound, ChoicePoint) override {
    if (bound == 1) return 0;
    const bool coin = bound == kCoin;
    const std::uint32_t answers = coin ? 2 : bound;
    std::uint32_t given = asked_.size() < answers_.size() ? answers_[asked_.size()] : 0;
    if (given >= answers) {
      misfit_ = true;
      given = 0;
    }
    asked_.push_back({answers, given});
    if (!coin) return given;
    return given == 0 ? kCoin - 1 : 0;
  }
  void clear() {
    load({});
    misfit_ = false;
  }

 private:
  static constexpr std::uint32_t kCoin = 256;

  std::vector<std::uint32_t> answers_;
  std::vector<Question> asked_;
  bool misfit_ = false;
};

}  // namespace heddle::lab
