#pragma once

/// \file
/// Instructions of front ends that are no C++: a number for each, with its text and its place.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "emulator/trace/instructions.h"

namespace heddle::run {

/// The number of an instruction in its table, from 0.
enum class InstructionId : std::uint32_t {};

/// Numbers instructions by their texts, files and lines. What it gives out lives as long as it does.
class InstructionTable final : public trace::Instructions {
 public:
  /// The number of the instruction with this text in this line of the file: always the same one.
  InstructionId add(std::string_view text, std::string_view file, std::uint32_t line);
  std::size_t count() const { return places_.size(); }
  /// What an operation of the instruction says as `Operation::where`. The text stands as its function.
  const SourceLocation& where(InstructionId instruction) const {
    return places_[static_cast<std::size_t>(instruction)];
  }

  SourceLocation place_of(const SourceLocation& where) const override { return where; }

 private:
  /// The one copy of these words.
  const char* kept(std::string_view words);

  std::map<std::string, const char*, std::less<>> words_;
  std::map<std::tuple<const char*, const char*, std::uint32_t>, InstructionId> known_;
  std::deque<SourceLocation> places_;
};

}  // namespace heddle::run
