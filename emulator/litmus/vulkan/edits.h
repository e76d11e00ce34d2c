#pragma once

/// \file
/// What to write where in the text of a test, so that it becomes a changed one.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/litmus/diagnostic.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// Replaces a part of one line of a source text, or puts something in where `old_text` is empty.
struct TextEdit {
  Place place;
  std::string old_text;
  std::string new_text;
};

/// The edits that make `test`, which was parsed from `source`, into `changed`, which differs from it in operations, and
/// in instructions that are put in (Instruction::put_in) or taken out. They are in the order of the text. Nothing if
/// the dialect has no spelling for the change: the edited text has been parsed again, and means `changed`.
std::optional<std::vector<TextEdit>> edits_between(std::string_view source, const Test& test, const Test& changed);

/// The text of `changed`: that of the test after the edits, or, where the text has no place for them, the whole test
/// printed anew. Nothing if the dialect has no words for it.
std::optional<std::string> changed_text(std::string_view source, const Test& test, const Test& changed);

/// The edits that make one text into another that has the same lines, some of them changed, and lines put in between.
/// Nothing if that is not so.
std::optional<std::vector<TextEdit>> line_edits(std::string_view source, std::string_view changed);

/// The text after the edits, which must be in the order of the text and fit it.
std::string edited(std::string_view source, const std::vector<TextEdit>& edits);

}  // namespace heddle::litmus
