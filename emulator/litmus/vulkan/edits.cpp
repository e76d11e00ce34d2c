#include "emulator/litmus/vulkan/edits.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "emulator/litmus/token.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/rows.h"
#include "emulator/litmus/vulkan/spelling.h"

namespace heddle::litmus {
namespace {

bool means_the_same(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.atomic == b.atomic && a.storage_class == b.storage_class && a.scope == b.scope &&
         a.semantics == b.semantics && a.operands == b.operands && a.available_scope == b.available_scope &&
         a.visible_scope == b.visible_scope && a.tags == b.tags;
}

/// Whether both tests have the same operations, instruction by instruction.
bool means_the_same(const Test& a, const Test& b) {
  return std::equal(a.threads.begin(), a.threads.end(), b.threads.begin(), b.threads.end(),
                    [](const Thread& x, const Thread& y) {
                      return std::equal(x.code.begin(), x.code.end(), y.code.begin(), y.code.end(),
                                        [](const Instruction& i, const Instruction& k) {
                                          return i.kind == k.kind && means_the_same(i.operation, k.operation) &&
                                                 i.barrier.id == k.barrier.id && i.target == k.target;
                                        });
                    });
}

/// The mnemonic and its tags at this place, as far as they are written without blanks.
std::string_view word_at(std::string_view source, Place place) {
  const std::size_t begin = offset_of(source, place);
  std::size_t end = begin;
  while (end < source.size() &&
         (std::isalnum(static_cast<unsigned char>(source[end])) != 0 || source[end] == '.' || source[end] == '_'))
    ++end;
  return source.substr(begin, end - begin);
}

/// The call at this place, up to the parenthesis that ends it.
std::string_view call_at(std::string_view source, const Tokens& words, Place place) {
  const std::size_t begin = offset_of(source, place);
  int depth = 0;
  for (const Token& token : words.tokens) {
    if (token.offset < begin) continue;
    if (token.is("(")) ++depth;
    if (token.is(")") && --depth == 0) return source.substr(begin, token.end_offset() - begin);
  }
  return source.substr(begin, 0);
}

/// What an instruction becomes in its own spelling: a call as a whole, and otherwise the mnemonic with its tags.
std::optional<TextEdit> edit_of(std::string_view source, const Tokens& words, const Test& test, std::size_t thread,
                                const Instruction& now, const Instruction& then) {
  const std::optional<std::string> text =
      now.is_call ? spell(test, test.threads[thread], then, Spelling::Calls) : spell_tags(then);
  if (!text) return std::nullopt;
  return TextEdit{now.place, std::string(now.is_call ? call_at(source, words, now.place) : word_at(source, now.place)),
                  *text};
}

/// An instruction that is put in, as a row of its own, or a line of its own in braces.
std::optional<std::string> row_of(const Test& test, std::size_t thread, const Instruction& instruction) {
  const std::optional<std::string> text =
      spell(test, test.threads[thread], instruction, instruction.is_call ? Spelling::Calls : Spelling::Tags);
  if (!text) return std::nullopt;
  if (test.stacked) return "\n  " + *text + with_tags(instruction) + ';';
  return row_with(test, thread, *text + with_tags(instruction));
}

/// Puts it in behind the instruction whose place it has.
std::optional<TextEdit> row_behind(std::string_view source, const Tokens& words, const Test& test, std::size_t thread,
                                   const Instruction& instruction) {
  const std::optional<std::string> row = row_of(test, thread, instruction);
  const std::optional<Place> end = end_of_row(source, words, instruction.place);
  if (!row || !end) return std::nullopt;
  return TextEdit{*end, "", *row};
}

/// Puts it in before that one: in braces in front of it, and else behind the row before.
std::optional<TextEdit> row_before(std::string_view source, const Tokens& words, const Test& test, std::size_t thread,
                                   const Instruction& instruction) {
  const std::optional<std::string> row = row_of(test, thread, instruction);
  if (!row) return std::nullopt;
  if (test.stacked) return TextEdit{instruction.place, "", row->substr(row->find_first_not_of("\n ")) + "\n  "};
  const std::optional<Place> end = end_of_row_before(source, words, instruction.place);
  if (!end) return std::nullopt;
  return TextEdit{*end, "", *row};
}

/// Takes an instruction out; its cell stays, empty.
std::optional<TextEdit> without(std::string_view source, const Tokens& words, const Test& test,
                                const Instruction& instruction) {
  std::string text = cell_at(source, words, instruction.place);
  if (test.stacked) text += ';';
  if (text.find_first_of("\r\n") != text.npos) return std::nullopt;
  return TextEdit{instruction.place, text, ""};
}

/// What a thread's column becomes; false where the dialect has no words for a change.
bool add_edits_of(std::string_view source, const Tokens& words, const Test& test, const Test& changed,
                  std::size_t thread, std::vector<TextEdit>& edits) {
  const std::vector<Instruction>& then = changed.threads[thread].code;
  std::size_t at = 0;
  const auto is_next = [&](const Instruction& now, PutIn put_in) {
    return at < then.size() && then[at].place == now.place && then[at].put_in == put_in;
  };
  bool has_words = true;
  const auto add = [&](const std::optional<TextEdit>& edit) {
    has_words = has_words && edit.has_value();
    if (edit) edits.push_back(*edit);
  };
  for (const Instruction& now : test.threads[thread].code) {
    for (; is_next(now, PutIn::Before); ++at) add(row_before(source, words, test, thread, then[at]));
    if (!is_next(now, PutIn::No)) {
      add(without(source, words, test, now));
    } else if (!means_the_same(now.operation, then[at++].operation)) {
      add(edit_of(source, words, test, thread, now, then[at - 1]));
    }
    for (; is_next(now, PutIn::Behind); ++at) add(row_behind(source, words, test, thread, then[at]));
  }
  return has_words;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == text.npos) return lines;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::optional<std::vector<TextEdit>> edits_between(std::string_view source, const Test& test, const Test& changed) {
  const Tokens words = tokenize(source);
  std::vector<TextEdit> edits;
  for (std::size_t t = 0; t < test.threads.size(); ++t)
    if (!add_edits_of(source, words, test, changed, t, edits)) return std::nullopt;
  std::stable_sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  const VulkanParse again = parse_vulkan(edited(source, edits));
  if (!again.test || !means_the_same(*again.test, changed)) return std::nullopt;
  return edits;
}

std::optional<std::string> changed_text(std::string_view source, const Test& test, const Test& changed) {
  if (const auto edits = edits_between(source, test, changed)) return edited(source, *edits);
  if (!fits(changed, spelling_of(test))) return std::nullopt;
  std::string text = spell(changed, spelling_of(test));
  const VulkanParse again = parse_vulkan(text);
  if (!again.test || !means_the_same(*again.test, changed)) return std::nullopt;
  return text;
}

std::optional<std::vector<TextEdit>> line_edits(std::string_view source, std::string_view changed) {
  const std::vector<std::string_view> now = lines_of(source);
  const std::vector<std::string_view> then = lines_of(changed);
  if (then.size() < now.size()) return std::nullopt;
  std::vector<TextEdit> edits;
  std::size_t more = then.size() - now.size();
  std::size_t at = 0;
  for (std::size_t i = 0; i < now.size(); ++i, ++at) {
    // A line that comes again within as many lines as there are more stands behind those.
    std::size_t ahead = 0;
    while (ahead <= more && then[at + ahead] != now[i]) ++ahead;
    if (ahead > more) {
      edits.push_back({{static_cast<std::uint32_t>(i + 1), 1}, std::string(now[i]), std::string(then[at])});
      continue;
    }
    std::string put_in;
    for (; ahead > 0; --ahead, --more, ++at) put_in += '\n' + std::string(then[at]);
    if (put_in.empty()) continue;
    if (i == 0) return std::nullopt;
    edits.push_back({{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(now[i - 1].size() + 1)}, "", put_in});
  }
  if (edited(source, edits) != changed) return std::nullopt;
  return edits;
}

std::string edited(std::string_view source, const std::vector<TextEdit>& edits) {
  std::string out;
  std::size_t done = 0;
  for (const TextEdit& edit : edits) {
    const std::size_t begin = offset_of(source, edit.place);
    out.append(source.substr(done, begin - done)).append(edit.new_text);
    done = begin + edit.old_text.size();
  }
  return out.append(source.substr(done));
}

}  // namespace heddle::litmus
