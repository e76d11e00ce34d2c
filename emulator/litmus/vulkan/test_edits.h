#pragma once

/// \file
/// Edits of a program (heddle/edit.h) made to the instructions of a litmus test.

#include <heddle/detail/edit_record.h>

#include <string>
#include <string_view>
#include <vector>

#include "emulator/edits/sentence.h"
#include "emulator/litmus/vulkan/test.h"

namespace heddle::litmus {

/// An instruction of a test.
struct At {
  std::uint32_t thread = 0;
  std::uint32_t instruction = 0;
  friend bool operator==(const At&, const At&) = default;
};

/// A test with edits made to it, one after the other.
struct EditedTest {
  /// What is put in has the place of the instruction that it stands beside.
  Test test;
  /// The edits that met no instruction.
  std::vector<Edit> unmet;
  /// Why an edit was not made that no instruction of the dialect can have: a sentence each.
  std::vector<std::string> refused;

  bool made_all() const { return unmet.empty() && refused.empty(); }
};

/// Makes the edits of that file. An ordinal counts the instructions of its kind in its line from left to right; `first`
/// is the first of each column. All control barriers that are put in have one name, which the test has not: their
/// threads meet there in turn. Edits of calls are made to the text (call_edits.h), not here.
EditedTest with_edits(const Test& test, std::string_view file, const std::vector<Edit>& edits);

/// The edits in the order of the text; of one place as they are.
std::vector<Edit> in_order(std::vector<Edit> edits);

/// Whether a list has all edits of another one.
bool has_all(const std::vector<Edit>& edits, const std::vector<Edit>& others);

/// An edit of this instruction, in a file that has no name.
Edit edit_at(const Test& test, const At& at, EditKind kind);

/// How the test names what its edits change: "P0's `st.sc0 x, 1` (line 7)".
std::string sentence_of(const Test& test, const Edit& edit);
/// The edits of a change in one sentence.
std::string sentence_of(const Test& test, const std::vector<Edit>& edits);

}  // namespace heddle::litmus
