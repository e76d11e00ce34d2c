#pragma once

/// \file
/// Edits of a program as edits of its source: a unified diff.

#include <heddle/detail/edit_record.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace heddle::edits {

/// What edits are in the source.
struct SourcePatch {
  /// A unified diff, for `patch -p0`; empty where none of them could be written.
  std::string diff;
  /// What is to be typed, since the words of the source are not known: a sentence each.
  std::vector<std::string> to_type;
};

/// `source` gives the text of a file; nothing where that may not be changed.
SourcePatch patch_of(const std::vector<Edit>& edits,
                     const std::function<std::optional<std::string>(const std::string& file)>& source);

}  // namespace heddle::edits
