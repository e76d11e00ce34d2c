#include "emulator/cli/races/patch_file.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <vector>

#include "emulator/cli/terminal.h"
#include "emulator/edits/source_patch.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

void say(const std::string& what) {
  print_readable(stderr, "heddle: " + what + '\n');
}

/// Nothing if it cannot be read, or has changed since the program was compiled.
std::optional<std::string> source_of(const std::string& file, const std::string& program) {
  std::error_code error;
  const fs::file_time_type compiled = fs::last_write_time(program, error);
  const fs::file_time_type written = error ? fs::file_time_type() : fs::last_write_time(file, error);
  if (error || written > compiled) {
    say(fmt::format("'{}' {}: no patch of it is written", file,
                    error ? "cannot be read" : "has changed since the program was compiled"));
    return std::nullopt;
  }
  std::ifstream in(file, std::ios::binary);
  return std::string{std::istreambuf_iterator<char>(in), {}};
}

/// Why no changes were found that make the program clean.
std::string why_none(const TriedChanges& tried) {
  if (!tried.failure_stays.empty())
    return "with the changes that end its data races the program still fails as it does without: no patch is written";
  const std::string none = "changes that make the program clean were found: no patch is written";
  if (tried.interrupted) return "interrupted before " + none;
  return tried.ended_early ? "the time was up before " + none + "; " + tried.more_time : "no " + none;
}

}  // namespace

void write_patch(const RaceReport& report, const TriedChanges& tried, const std::string& program,
                 const std::string& path) {
  if (report.together.empty()) return say(why_none(tried));
  if (fs::exists(path)) return say(fmt::format("'{}' is there already: no patch is written", path));
  std::vector<Edit> edits;
  for (const CandidateChange& change : report.together)
    edits.insert(edits.end(), change.edits.begin(), change.edits.end());
  const edits::SourcePatch patch =
      edits::patch_of(edits, [&](const std::string& file) { return source_of(file, program); });
  for (const std::string& sentence : patch.to_type) say("to be typed: " + sentence);
  if (patch.diff.empty()) return;
  std::ofstream out(path, std::ios::binary);
  out << patch.diff;
  out.close();
  if (!out) return say(fmt::format("'{}' cannot be written", path));
  say(fmt::format("the patch is in '{}': patch -p0 < {}", path, path));
}

}  // namespace heddle::cli
