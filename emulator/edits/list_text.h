#pragma once

/// \file
/// Lists of edits as edits_from_text reads them.

#include <heddle/edit.h>

#include <string>
#include <vector>

namespace heddle::edits {

inline std::string text_of(const std::vector<Edit>& edits) {
  std::string text;
  for (const Edit& edit : edits) text += to_text(edit) + '\n';
  return text;
}

}  // namespace heddle::edits
