#pragma once

/// \file
/// Edits of a program (heddle/edit.h) made to the text of a litmus test.

#include <heddle/detail/edit_record.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/litmus/vulkan/edits.h"

namespace heddle::litmus {

struct EditedSource {
  /// The text of the changed test, which was read again; nothing if an edit was not made.
  std::optional<std::string> text;
  /// The edits of the text, in its order; nothing where the whole test had to be printed anew.
  std::optional<std::vector<TextEdit>> edits;
  /// The edits of this file that met no instruction or call.
  std::vector<Edit> unmet;
  /// Why an edit was not made that the dialect has no words for: a sentence each.
  std::vector<std::string> refused;
};

/// Makes the edits of that file, each to the test as it was parsed from the text, which must be one of the Vulkan
/// dialect. Edits of calls change cells of the host's and batches' columns, and put rows in beside them.
EditedSource edited_source(std::string_view source, std::string_view file, const std::vector<Edit>& edits);

/// Whether an edit is one of that file.
bool is_of_file(const Edit& edit, std::string_view file);

}  // namespace heddle::litmus
