#include "emulator/cli/litmus/edited.h"

#include <fmt/format.h>
#include <heddle/edit.h>

#include <cstdio>
#include <stdexcept>

#include "emulator/cli/input_file.h"
#include "emulator/cli/terminal.h"
#include "emulator/litmus/token.h"
#include "emulator/litmus/vulkan/parser.h"
#include "emulator/litmus/vulkan/source_edits.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMostEdits = std::size_t{1} << 20;

std::vector<Edit> read_edits(const std::string& file) {
  try {
    return edits_from_text(read_input(file, kMostEdits));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

/// The edits that may be of this file, and which of them it has an instruction for, which `met` notes.
std::vector<Edit> edits_for(const std::string& file, const std::string& source, const std::vector<Edit>& edits,
                            std::vector<bool>& met) {
  std::vector<Edit> made;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (!litmus::is_of_file(edits[i], file) || !litmus::edited_source(source, file, {edits[i]}).unmet.empty()) continue;
    met[i] = true;
    made.push_back(edits[i]);
  }
  return made;
}

}  // namespace

Texts edited_texts(const std::vector<std::string>& files, const std::string& edits) {
  const std::vector<Edit> all = read_edits(edits);
  std::vector<bool> met(all.size());
  Texts texts;
  for (const std::string& file : files) {
    std::string source = read_input(file, litmus::kLongestSource + 1);
    // What is no such test is told of where it is read.
    if (litmus::parse_vulkan(source).test) {
      const std::vector<Edit> mine = edits_for(file, source, all, met);
      litmus::EditedSource made = litmus::edited_source(source, file, mine);
      if (!made.text) throw InputError(fmt::format("{}: {}", file, made.refused.front()));
      source = *std::move(made.text);
    }
    texts.emplace(file, std::move(source));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!met[i])
      throw InputError(fmt::format("{}: the edit '{}' meets no instruction: see which lines and columns the test has",
                                   edits, to_text(all[i])));
  return texts;
}

ExitCode print_texts(const Texts& texts) {
  for (const auto& [file, text] : texts) print_readable(stdout, text);
  return ExitCode::Fine;
}

}  // namespace heddle::cli
