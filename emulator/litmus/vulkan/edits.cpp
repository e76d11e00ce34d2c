#include "emulator/litmus/vulkan/edits.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "emulator/litmus/token.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/spelling.h"
#include "runtime/text/readable.h"

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
                                          return i.kind == k.kind && means_the_same(i.operation, k.operation);
                                        });
                    });
}

/// Where a place is in the text, counted from 0; the end of the text for one behind it.
std::size_t offset_of(std::string_view source, Place place) {
  // Places are counted from where the parser begins.
  std::size_t line_begin = source.size() - text::without_byte_order_mark(source).size();
  for (std::uint32_t line = 1; line < place.line && line_begin < source.size(); ++line) {
    const std::size_t end = source.find_first_of("\r\n", line_begin);
    if (end == std::string_view::npos) return source.size();
    line_begin = end + (source.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return std::min(line_begin + place.column - 1, source.size());
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

/// Puts an instruction behind the one whose place it has: into a row of its own, or a line of its own in braces.
std::optional<TextEdit> row_behind(std::string_view source, const Tokens& words, const Test& test, std::size_t thread,
                                   const Instruction& instruction) {
  const std::optional<std::string> text =
      spell(test, test.threads[thread], instruction, instruction.is_call ? Spelling::Calls : Spelling::Tags);
  const std::size_t begin = offset_of(source, instruction.place);
  const auto end = std::find_if(words.tokens.begin(), words.tokens.end(),
                                [&](const Token& token) { return token.offset >= begin && token.is(";"); });
  if (!text || end == words.tokens.end()) return std::nullopt;
  std::string row = test.stacked ? "\n  " : "\n ";
  if (test.stacked) {
    row += *text + with_tags(instruction);
  } else {
    for (std::size_t t = 0; t < test.threads.size(); ++t) {
      if (t != 0) row += "| ";
      if (t == thread) row += *text + with_tags(instruction) + ' ';
    }
  }
  return TextEdit{{end->place.line, end->place.column + 1}, "", row + ';'};
}

}  // namespace

std::optional<std::vector<TextEdit>> edits_between(std::string_view source, const Test& test, const Test& changed) {
  const Tokens words = tokenize(source);
  std::vector<TextEdit> edits;
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    const std::vector<Instruction>& then = changed.threads[t].code;
    std::size_t at = 0;
    for (const Instruction& now : test.threads[t].code) {
      if (!means_the_same(now.operation, then[at].operation)) {
        const std::optional<TextEdit> edit = edit_of(source, words, test, t, now, then[at]);
        if (!edit) return std::nullopt;
        edits.push_back(*edit);
      }
      for (++at; at < then.size() && then[at].place == now.place; ++at) {
        const std::optional<TextEdit> row = row_behind(source, words, test, t, then[at]);
        if (!row) return std::nullopt;
        edits.push_back(*row);
      }
    }
  }
  std::stable_sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  });
  const VulkanParse again = parse_vulkan(edited(source, edits));
  if (!again.test || !means_the_same(*again.test, changed)) return std::nullopt;
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
