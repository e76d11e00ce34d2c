#include "emulator/advice/barrier_place.h"

#include <algorithm>

#include "emulator/advice/source_blocks.h"
#include "runtime/text/readable.h"

namespace heddle::advice {
namespace {

/// A stretch of the source: from one line on, in the order in which an invocation comes there, up to another one.
struct Stretch {
  Step from;
  Step to;
  /// Its end stands in a loop that was gone through before.
  bool goes_round = false;
  /// Its end is known to be in another round than its beginning.
  bool is_of_two_rounds = false;
};

class Places {
 public:
  explicit Places(const History& history) : history_(history), a_(history.first_step()), b_(history.second_step()) {}

  BarrierAnswer find() const {
    const std::size_t by_first = executions(a_, history_.first);
    const std::size_t by_second = executions(a_, history_.second);
    if (a_.is_at(b_)) {
      // Both come to their one line as often: nothing is between two executions of it.
      if (by_second == by_first) return {};
      return offered({{a_, a_, true}});
    }
    if (are_branches_in_source()) return between_branches();
    const bool is_behind = std::string_view(a_.file) == b_.file && a_.line < b_.line;
    // Without a loop each invocation comes to the upper line first, whichever it was of these two.
    if (std::string_view(a_.file) == b_.file && b_.line < a_.line && !share_a_loop()) return offered({{b_, a_}});
    const Stretch forward{a_, b_, comes_again(history_.second)};
    const Stretch back{b_, a_, comes_again(history_.first)};
    if (is_of_later_round() || (is_behind && by_second > by_first)) return offered({back, forward});
    return offered({forward, back});
  }

 private:
  // How often the invocation of this step has come to this line so far: from another line, or from what the line wrote
  // to what it reads.
  std::size_t executions(const Step& line, std::size_t until) const {
    std::size_t count = 0;
    const Step* before = nullptr;
    for (std::size_t i = 0; i <= until; ++i) {
      const Step& step = history_.steps[i];
      if (step.of_second != history_.steps[until].of_second) continue;
      const bool goes_on = before && before->is_at(step) && !(before->writes && !step.writes);
      if (step.is_at(line) && !goes_on) ++count;
      before = &step;
    }
    return count;
  }

  std::size_t times(const Step& line, std::size_t until) const {
    return static_cast<std::size_t>(std::count_if(
        history_.steps.begin(), history_.steps.begin() + static_cast<std::ptrdiff_t>(until) + 1,
        [&](const Step& step) { return step.of_second == history_.steps[until].of_second && step.is_at(line); }));
  }
  // Whether the first access is one of a later round of a loop than the second: its invocation came to the line of the
  // second as often before.
  bool is_of_later_round() const { return times(b_, history_.first) >= times(b_, history_.second); }

  // Whether the line of this step stands in a loop that its invocation went through before.
  bool comes_again(std::size_t step) const {
    const Step& at = history_.steps[step];
    bool left = false;
    for (std::size_t i = step; i-- > 0;) {
      if (history_.steps[i].of_second != at.of_second) continue;
      if (!history_.steps[i].is_at(at)) {
        left = true;
      } else if (left) {
        return true;
      }
    }
    return false;
  }

  // Whether each invocation that went from the one line to the other one passed a control barrier on the way.
  bool has_barrier(const Stretch& stretch) const {
    bool passed_one = false;
    for (const bool of_second : {false, true}) {
      bool on_the_way = false;
      bool passed = false;
      for (const Step& step : history_.steps) {
        if (step.of_second != of_second) continue;
        if (on_the_way && step.is_at(stretch.to)) {
          if (!passed) return false;
          passed_one = true;
        }
        if (step.is_at(stretch.from)) {
          on_the_way = true;
          passed = false;
        } else if (step.is_at(stretch.to)) {
          on_the_way = false;
        }
        passed = passed || step.is_control_barrier;
      }
    }
    return passed_one;
  }

  std::string name(const Step& step) const {
    const std::string line = std::to_string(step.line);
    const std::string_view path = step.file;
    if (path == b_.file) return "line " + line;
    return std::string(text::file_name(path)) + ":" + line;
  }

  // Whether it ends in another round of a loop than it begins.
  static bool ends_in_next_round(const Stretch& stretch) {
    const bool is_before =
        std::string_view(stretch.from.file) == stretch.to.file && stretch.from.line < stretch.to.line;
    return stretch.is_of_two_rounds || (stretch.goes_round && !is_before);
  }

  std::string text_of(const Stretch& stretch) const {
    if (stretch.from.is_at(stretch.to)) return "between one execution of " + name(stretch.from) + " and the next";
    if (ends_in_next_round(stretch))
      return "between " + name(stretch.from) + " and the next execution of " + name(stretch.to);
    return "between " + name(stretch.from) + " and " + name(stretch.to);
  }

  // In the first of these stretches that has none.
  BarrierAnswer offered(std::initializer_list<Stretch> stretches) const {
    BarrierAnswer answer;
    for (const Stretch& stretch : stretches) {
      if (has_barrier(stretch)) {
        answer.why_not = "one stands " + text_of(stretch) + " already";
        continue;
      }
      answer = in_source(stretch);
      if (answer.place) return answer;
    }
    return answer;
  }

  bool share_a_loop() const {
    const SourceBlocks source(b_.file);
    const std::vector<SourceBlock> blocks = around_both(source, b_.line, a_.line);
    return blocks.empty() || comes_again(history_.first) || comes_again(history_.second) ||
           std::any_of(blocks.begin(), blocks.end(),
                       [](const SourceBlock& block) { return block.kind == SourceBlock::Kind::Loop; });
  }

  bool are_branches_in_source() const {
    if (std::string_view(a_.file) != b_.file) return false;
    const SourceBlocks source(b_.file);
    const auto [upper, lower] = std::minmax(a_.line, b_.line);
    const std::vector<SourceBlock> blocks = around_both(source, upper, lower);
    return !blocks.empty() && are_branches(source, blocks.front(), upper, lower);
  }

  // An invocation takes one branch each time, so that it came to the condition as often as to both lines together.
  // Where both invocations came there as often no barrier is between the two, wherever it stands; else one round of a
  // loop is before the other one.
  BarrierAnswer between_branches() const {
    const auto rounds = [&](std::size_t until) { return executions(a_, until) + executions(b_, until); };
    const std::size_t of_first = rounds(history_.first);
    const std::size_t of_second = rounds(history_.second);
    if (of_first == of_second)
      return {std::nullopt, branches_text(std::min(a_.line, b_.line), std::max(a_.line, b_.line))};
    if (of_first < of_second) return offered({{a_, b_, true, true}});
    return offered({{b_, a_, true, true}});
  }

  static std::string branches_text(std::uint32_t upper, std::uint32_t lower) {
    return "lines " + std::to_string(upper) + " and " + std::to_string(lower) + " are in two branches of one condition";
  }

  // The innermost one first.
  static std::vector<SourceBlock> around_both(const SourceBlocks& source, std::uint32_t upper, std::uint32_t lower) {
    std::vector<SourceBlock> blocks = source.around(upper);
    std::erase_if(blocks, [&](const SourceBlock& block) { return !block.has(lower); });
    return blocks;
  }

  // The innermost block that a barrier could stand in. In another round of a loop it may stand behind conditions.
  BarrierAnswer in_source(const Stretch& stretch) const {
    BarrierAnswer answer;
    BarrierPlace place{text_of(stretch), b_.file, 0, 0, stretch.from, stretch.to};
    if (std::string_view(a_.file) != b_.file) {
      answer.place = place;
      return answer;
    }
    const SourceBlocks source(b_.file);
    const std::uint32_t upper = std::min(a_.line, b_.line);
    const std::uint32_t lower = std::max(a_.line, b_.line);
    std::vector<SourceBlock> blocks = around_both(source, upper, lower);
    // Where another round begins a condition ends.
    const bool goes_round = ends_in_next_round(stretch);
    if (goes_round)
      while (!blocks.empty() && blocks.front().kind == SourceBlock::Kind::Condition) blocks.erase(blocks.begin());
    if (blocks.empty()) {
      answer.place = place;
      return answer;
    }
    const SourceBlock& around = blocks.front();
    // All who come to the block come to such a line, too: those that did not come to the line did not come to the
    // block.
    const auto comes_with_block = [&](std::uint32_t line) {
      const std::vector<SourceBlock> of_line = source.around(line);
      return of_line.front().first_line == around.first_line && of_line.front().last_line == around.last_line &&
             source.is_unconditional(line);
    };
    if (around.kind != SourceBlock::Kind::Function && (comes_with_block(upper) || comes_with_block(lower))) {
      place.first_line = around.first_line;
      place.last_line = around.last_line;
    } else if (around.kind == SourceBlock::Kind::Function && comes_with_block(lower) &&
               source.returns_before(around, lower)) {
      place.first_line = upper;
      place.last_line = around.last_line;
    }
    answer.place = place;
    return answer;
  }

  // Whether the lines are in blocks of which the second one follows an `else`, right within this one.
  static bool are_branches(const SourceBlocks& source, const SourceBlock& around, std::uint32_t upper,
                           std::uint32_t lower) {
    const auto child = [&](std::uint32_t line) {
      std::optional<SourceBlock> outermost;
      for (const SourceBlock& block : source.around(line))
        if (block.first_line >= around.first_line && block.last_line <= around.last_line &&
            (block.first_line != around.first_line || block.last_line != around.last_line))
          outermost = block;
      return outermost;
    };
    const std::optional<SourceBlock> one = child(upper);
    const std::optional<SourceBlock> other = child(lower);
    return one && other && other->is_else && one->last_line <= other->first_line;
  }

  const History& history_;
  const Step& a_;
  const Step& b_;
};

// The blocks around the lower one of two lines, the innermost first.
using Blocks = std::vector<SourceBlock>;

bool are_left_early(const Blocks& around, std::uint32_t upper) {
  return std::any_of(around.begin(), around.end(), [&](const SourceBlock& block) {
    return block.has(upper) && block.kind == SourceBlock::Kind::Loop && block.is_left_early;
  });
}

bool are_behind_condition(const Blocks& around, std::uint32_t upper) {
  bool is_in_loop = false;
  bool is_behind_condition = false;
  for (const SourceBlock& block : around) {
    if (block.kind == SourceBlock::Kind::Function) break;
    if (!block.has(upper)) continue;
    is_behind_condition = block.kind == SourceBlock::Kind::Condition;
    if (is_in_loop && is_behind_condition) return true;
    is_in_loop = is_in_loop || !is_behind_condition;
  }
  return is_behind_condition;
}

std::string end_of_round(const Blocks& around, std::uint32_t upper, const History& history) {
  const auto innermost = std::find_if(around.begin(), around.end(), [&](const SourceBlock& block) {
    return block.has(upper) && block.kind != SourceBlock::Kind::Condition;
  });
  if (innermost == around.end() || innermost->kind != SourceBlock::Kind::Loop) return "";
  const bool has_barrier = std::any_of(history.steps.begin(), history.steps.end(), [&](const Step& step) {
    return step.is_control_barrier && std::string_view(step.file) == history.second_step().file &&
           innermost->has(step.line);
  });
  return has_barrier ? "" : "at the end of each round of the loop in line " + std::to_string(innermost->first_line);
}

}  // namespace

Rounds rounds_of(const History& history) {
  const Step& a = history.first_step();
  const Step& b = history.second_step();
  if (std::string_view(a.file) != b.file) return {};
  const std::uint32_t upper = std::min(a.line, b.line);
  const Blocks around = SourceBlocks(b.file).around(std::max(a.line, b.line));
  return {are_left_early(around, upper), are_behind_condition(around, upper), end_of_round(around, upper, history)};
}

BarrierAnswer barrier_place(const History& history) {
  return Places(history).find();
}

}  // namespace heddle::advice
