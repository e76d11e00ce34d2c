#include "emulator/advice/program_order.h"

#include <algorithm>
#include <optional>

#include "emulator/advice/source_blocks.h"

namespace heddle::advice {
namespace {

/// The first line of the innermost function around this one.
std::optional<std::uint32_t> function_of(const SourceBlocks& source, std::uint32_t line) {
  for (const SourceBlock& block : source.around(line))
    if (block.kind == SourceBlock::Kind::Function) return block.first_line;
  return std::nullopt;
}

}  // namespace

bool second_stands_first(const History& history) {
  const Step& first = history.first_step();
  const Step& second = history.second_step();
  const auto came_before = [&](std::size_t until, const Step& line) {
    const auto end = history.steps.begin() + static_cast<std::ptrdiff_t>(until);
    return std::any_of(history.steps.begin(), end, [&](const Step& step) {
      return step.of_second == history.steps[until].of_second && step.is_at(line);
    });
  };
  if (first.is_at(second) || came_before(history.second, first)) return false;
  if (came_before(history.first, second)) return true;
  if (std::string_view(first.file) != second.file || second.line > first.line) return false;
  const SourceBlocks source(second.file);
  const auto function = function_of(source, first.line);
  return function && function == function_of(source, second.line);
}

}  // namespace heddle::advice
