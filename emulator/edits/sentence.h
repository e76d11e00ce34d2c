#pragma once

/// \file
/// What an edit does, in a sentence for people who see more of the program than its lines.

#include <heddle/detail/edit_record.h>
#include <heddle/operation.h>

#include <functional>
#include <string>

namespace heddle::edits {

/// What a sentence knows of the instruction of its edit.
struct Setting {
  /// Where it is, behind "in": "P0's `st.sc0 x, 1` (line 7)". As "line 7", if nothing is given here.
  std::function<std::string(const Edit&)> place;
  /// What it did before; null if that is not known.
  const Operation* before = nullptr;
  /// Whether the source knows heddle's names of semantics (kReleaseBuffers).
  bool have_names = true;
};

std::string sentence_of(const Edit& edit, const Setting& setting);

}  // namespace heddle::edits
