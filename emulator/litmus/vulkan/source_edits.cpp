#include "emulator/litmus/vulkan/source_edits.h"

#include <heddle/edit.h>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/litmus/vulkan/host_test.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/rows.h"
#include "emulator/litmus/vulkan/test_edits.h"

namespace heddle::litmus {
namespace {

struct CallCell {
  std::uint32_t thread = 0;
  Place place;
};

/// The cells of columns of the host and of batches, from left to right in each line.
std::vector<CallCell> cells_of(const Test& test) {
  std::vector<CallCell> cells;
  for (std::uint32_t t = 0; t < test.threads.size(); ++t) {
    if (test.threads[t].kind != ThreadKind::Host) continue;
    for (const Instruction& one : test.threads[t].code)
      // (One call may be several operations.)
      if (one.kind != InstructionKind::Label && (cells.empty() || !(cells.back().place == one.place)))
        cells.push_back({t, one.place});
  }
  if (test.host)
    for (const Batch& batch : test.host->batches)
      for (const BatchCommand& command : batch.commands) cells.push_back({batch.thread, command.place});
  std::stable_sort(cells.begin(), cells.end(), [](const CallCell& a, const CallCell& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  return cells;
}

/// Nothing if it stands where no row ends.
std::optional<TextEdit> text_edit_of(std::string_view source, const Tokens& words, const Test& test,
                                     const CallCell& cell, const Edit& edit) {
  if (edit.kind == EditKind::PutCall) {
    const auto place =
        edit.behind ? end_of_row(source, words, cell.place) : end_of_row_before(source, words, cell.place);
    if (!place) return std::nullopt;
    return TextEdit{*place, "", row_with(test, cell.thread, edit.text)};
  }
  std::string old = cell_at(source, words, cell.place);
  if (old.find_first_of("\r\n") != old.npos) return std::nullopt;
  return TextEdit{cell.place, std::move(old), edit.kind == EditKind::SetCall ? edit.text : ""};
}

void make_call_edits(std::string_view source, const Test& test, const std::vector<Edit>& edits,
                     std::vector<TextEdit>& made, EditedSource& out) {
  const Tokens words = tokenize(source);
  const std::vector<CallCell> cells = cells_of(test);
  for (const Edit& edit : edits) {
    std::uint32_t ordinal = 0;
    bool met = false;
    for (const CallCell& cell : cells) {
      if (cell.place.line != edit.line || (edit.column != 0 && cell.place.column != edit.column)) continue;
      if (edit.ordinal != 0 && ++ordinal != edit.ordinal) continue;
      met = true;
      const auto one = text_edit_of(source, words, test, cell, edit);
      if (one) made.push_back(*one);
      if (!one) out.refused.push_back(fmt::format("cannot {}: its cell has several lines", sentence_of(edit)));
    }
    if (!met) out.unmet.push_back(edit);
  }
}

std::string without_end(std::string text) {
  while (!text.empty() && text.back() == '.') text.pop_back();
  return text;
}

/// Makes edits of both kinds; they come to nothing if the text is no test then.
void make_text(std::string_view source, const Test& test, const Test& changed, std::vector<TextEdit> calls,
               EditedSource& out) {
  out.edits = edits_between(source, test, changed);
  if (calls.empty()) {
    out.text = changed_text(source, test, changed);
    if (!out.text) out.refused.emplace_back("the dialect has no words for these edits together");
    return;
  }
  if (!out.edits) {
    out.refused.emplace_back("the dialect has no words for the edits of instructions, where others are of calls");
    return;
  }
  out.edits->insert(out.edits->begin(), calls.begin(), calls.end());
  std::stable_sort(out.edits->begin(), out.edits->end(), [](const TextEdit& a, const TextEdit& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  std::string text = edited(source, *out.edits);
  const VulkanParse again = parse_vulkan(text);
  if (again.test) {
    out.text = std::move(text);
    return;
  }
  const Diagnostic& error = again.errors.front();
  out.refused.push_back(
      fmt::format("what the edits make is no test: line {}: {}", error.place.line, without_end(error.message)));
}

}  // namespace

bool is_of_file(const Edit& edit, std::string_view file) {
  if (edit.file.empty() || file == edit.file) return true;
  return file.size() > edit.file.size() && file.ends_with(edit.file) && file[file.size() - edit.file.size() - 1] == '/';
}

EditedSource edited_source(std::string_view source, std::string_view file, const std::vector<Edit>& edits) {
  EditedSource out;
  const VulkanParse parse = parse_vulkan(source);
  if (!parse.test) {
    out.refused.push_back(fmt::format("line {}: {}", parse.errors.front().place.line, parse.errors.front().message));
    return out;
  }
  std::vector<Edit> of_calls;
  std::vector<Edit> of_instructions;
  for (const Edit& edit : edits)
    if (is_of_file(edit, file)) (edit.of == EditedKind::Call ? of_calls : of_instructions).push_back(edit);
  EditedTest changed = with_edits(*parse.test, file, of_instructions);
  out.unmet = std::move(changed.unmet);
  out.refused = std::move(changed.refused);
  std::vector<TextEdit> calls;
  make_call_edits(source, *parse.test, of_calls, calls, out);
  if (out.unmet.empty() && out.refused.empty()) make_text(source, *parse.test, changed.test, std::move(calls), out);
  return out;
}

}  // namespace heddle::litmus
