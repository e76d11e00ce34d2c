// Data races for people.

#include <heddle/report.h>

#include <fmt/format.h>

#include <algorithm>

#include "emulator/report/report_text.h"
#include "emulator/report/cures.h"
#include "emulator/report/source_text.h"

namespace heddle {
namespace {

class Writer {
 public:
  explicit Writer(bool colour) : colour_(colour) {}

  std::string paint(std::string_view text, const char* code) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  std::string access(const char* which, const RacingAccess& access) const {
    std::string text =
        label(which, "") + fmt::format("{}{} at {}\n", paint(access.operation, "1"),
                                       report::values(access), report::place(access.where));
    const std::string line = report::source_line(access.where.file, access.where.line);
    if (!line.empty())
      text += fmt::format("          {:>5} | {}\n", access.where.line, paint(line, "36"));
    if (access.at_declaration)
      text += "          (where the variable is declared; inv.load and inv.store would name the access itself)\n";
    return text + fmt::format("          by {}, dispatch {}\n", to_string(access.invocation),
                              access.dispatch);
  }

  // Padded before it is painted: terminals do not count escapes, fmt does.
  std::string label(std::string_view text, const char* code) const {
    const std::string padding(text.size() < 8 ? 8 - text.size() : 0, ' ');
    return "  " + (*code ? paint(text, code) : std::string(text)) + padding;
  }

 private:
  bool colour_;
};

std::string times(const DataRace& race) {
  std::string text = race.count > 1 ? fmt::format(", {} times", race.count) : "";
  if (race.runs > 1) text += fmt::format(" in {} runs", race.runs);
  return text;
}

std::string object(const DataRace& race) {
  return fmt::format("{}[{}]", race.object.empty() ? "memory" : race.object, race.index);
}

std::string bytes(const DataRace& race) {
  if (race.size_bytes == 0) return "";
  if (race.size_bytes == 1) return fmt::format(", byte {}", race.offset_bytes);
  return fmt::format(", bytes {} to {}", race.offset_bytes,
                     race.offset_bytes + race.size_bytes - 1);
}

std::string_view kind(const DataRace& race) {
  if (!race.excuse.empty()) return "suppressed data race";
  return race.same_value ? "data race of equal writes" : "data race";
}

}  // namespace

std::string to_string(const DataRace& race, bool colour) {
  const Writer writer(colour);
  const char* code = race.excuse.empty() && !race.same_value ? "1;31" : "1;33";
  std::string text = fmt::format("{} on {}{}{}\n", writer.paint(kind(race), code), object(race),
                                 bytes(race), times(race));
  if (!race.excuse.empty()) text += writer.label("because", "33") + race.excuse + "\n";
  text += writer.access("first", race.first) + writer.access("second", race.second);
  text += writer.label("why", "33") + race.reason + "\n";
  for (std::size_t i = 0; i < race.changes.size(); ++i)
    text += writer.label(i == 0 ? "change" : "or", "32") + race.changes[i] + "\n";
  for (const DataRace& other : race.related) {
    text += writer.label("also", "33") +
            fmt::format("{}: {} at {}, {} at {}{}\n", object(other), other.first.operation,
                        report::place(other.first.where), other.second.operation,
                        report::place(other.second.where), times(other));
    if (!other.changes.empty() && !report::cures(race, other))
      text += writer.label("", "") + other.changes.front() + "\n";
  }
  if (!race.replay.empty()) text += writer.label("again", "") + race.replay + "\n";
  if (!race.replays)
    text += writer.label("", "") +
            "(the machine interleaved this run, so no seed replays it; that command's runs replay)\n";
  return text;
}

Finding to_finding(const DataRace& race) {
  Finding finding;
  finding.kind = FindingKind::DataRace;
  finding.message = fmt::format("{} of {} and {} at {}: {}", race.second.operation, object(race),
                                race.first.operation, report::place(race.first.where), race.reason);
  for (std::size_t i = 0; i < race.changes.size(); ++i)
    finding.message += fmt::format("{} {}", i == 0 ? "; change:" : ", or", race.changes[i]);
  finding.invocation = race.second.invocation;
  finding.where = race.second.where;
  finding.object = race.object;
  finding.index = race.index;
  finding.replay = race.replay;
  return finding;
}

}  // namespace heddle
