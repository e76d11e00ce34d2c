// Data races for people.

#include <heddle/report.h>

#include <fmt/format.h>

#include <algorithm>

#include "emulator/report/cures.h"
#include "emulator/report/readable_report.h"
#include "emulator/report/report_text.h"
#include "emulator/report/source_text.h"
#include "runtime/counted.h"

namespace heddle {
namespace {

class Writer {
 public:
  explicit Writer(bool colour) : colour_(colour) {}

  std::string paint(std::string_view text, const char* code) const {
    return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
  }

  /// The calls of the earlier access of the example are those of others like it, and perhaps its own.
  std::string access(const char* which, const RacingAccess& access, bool is_earlier, bool came_first = false) const {
    std::string text = label(which, "") + fmt::format("{}{} at {}\n", paint(access.operation, "1"),
                                                      report::values(access), report::place(access.where));
    const std::string line = report::source_line(access.where.file, access.where.line);
    if (!line.empty()) text += fmt::format("          {:>5} | {}\n", access.where.line, paint(line, "36"));
    if (access.at_declaration)
      text +=
          "          (where the variable is declared: where a conversion reads it is known of programs with debug "
          "information, -g; inv.load always names its line)\n";
    for (std::size_t way = 0; way < access.calls.size(); ++way)
      text += call(way != 0 ? "or " : is_earlier ? "for example " : "", access.calls[way]);
    text += "          by " + to_string(access.invocation);
    if (!access.invocation.host_thread) text += fmt::format(", dispatch {}", access.dispatch);
    return text + (came_first ? "\n          (in this run it came before the other one)\n" : "\n");
  }

  // One way to a helper.
  std::string call(const char* before, const std::vector<SourceLocation>& calls) const {
    std::string text;
    for (const SourceLocation& call : calls) {
      text += fmt::format("          {}called at {}\n", text.empty() ? before : "", report::place(call));
      const std::string line = report::source_line(call.file, call.line);
      if (!line.empty()) text += fmt::format("          {:>5} | {}\n", call.line, paint(line, "36"));
    }
    return text;
  }

  // Padded before it is painted: terminals do not count escapes, fmt does.
  std::string label(std::string_view text, const char* code) const {
    const std::string padding(text.size() < 8 ? 8 - text.size() : 0, ' ');
    return "  " + (*code ? paint(text, code) : std::string(text)) + padding;
  }

 private:
  bool colour_;
};

// A member says more than its bytes.
std::string bytes(const DataRace& race) {
  if (race.size_bytes == 0 || !race.member.empty()) return "";
  if (race.size_bytes == 1) return fmt::format(", byte {}", race.offset_bytes);
  return fmt::format(", bytes {} to {}", race.offset_bytes, race.offset_bytes + race.size_bytes - 1);
}

std::string others(const DataRace& race) {
  std::string text;
  for (const RacedObject& other : race.other_objects) text += (text.empty() ? " and " : ", ") + other.name;
  return text;
}

// How often the two lines raced in each object.
std::string counts(const DataRace& race) {
  std::uint64_t own = race.count;
  for (const RacedObject& other : race.other_objects) own -= other.count;
  std::string text = race.object + " " + runtime::counted(own, "time", "times");
  for (const RacedObject& other : race.other_objects)
    text += ", " + other.name + " " + runtime::counted(other.count, "time", "times");
  return text;
}

std::string_view kind(const DataRace& race) {
  if (!race.excuse.empty()) return "suppressed data race";
  return race.same_value ? "data race of equal writes" : "data race";
}

// So many related races are told one by one.
constexpr std::size_t kMostRelated = 8;

std::string also(const Writer& writer, const DataRace& race, const DataRace& other) {
  std::string text = writer.label("also", "33") + fmt::format("{}{}: {} at {}, {} at {}{}\n", report::element(other),
                                                              others(other), other.first.operation,
                                                              report::place(other.first.where), other.second.operation,
                                                              report::place(other.second.where), report::times(other));
  if (!other.other_objects.empty()) text += writer.label("", "") + counts(other) + "\n";
  if (!other.changes.empty() && !report::cures(race, other))
    text += writer.label("", "") + other.changes.front() + "\n";
  return text;
}

// The related races from number `from` on, in a line.
std::string also_more(const Writer& writer, const DataRace& race, std::size_t from) {
  std::uint64_t count = 0;
  for (std::size_t i = from; i < race.related.size(); ++i) count += race.related[i].count;
  return writer.label("also", "33") + fmt::format("{} more pairs of lines, {} in all (as JSON each of them is told)\n",
                                                  race.related.size() - from, runtime::counted(count, "time", "times"));
}

}  // namespace

std::string to_string(const DataRace& given, bool colour) {
  const DataRace race = report::readable(given);
  const Writer writer(colour);
  const char* code = race.excuse.empty() && !race.same_value ? "1;31" : "1;33";
  std::string text = fmt::format("{} on {}{}{}{}\n", writer.paint(kind(race), code), report::element(race), bytes(race),
                                 others(race), report::times(race));
  if (!race.other_objects.empty()) text += writer.label("objects", "") + counts(race) + "\n";
  if (!race.excuse.empty()) text += writer.label("because", "33") + race.excuse + "\n";
  text += writer.access("first", race.first, !race.second_came_first) +
          writer.access("second", race.second, race.second_came_first, race.second_came_first);
  text += writer.label("why", "33") + race.reason + "\n";
  for (std::size_t i = 0; i < race.changes.size(); ++i)
    text += writer.label(i == 0 ? "change" : "or", "32") + race.changes[i] + "\n";
  if (race.tried_runs != 0) text += writer.label("", "") + report::tried(race.tried_runs) + "\n";
  if (!race.no_change.empty())
    text += writer.label(race.changes.empty() ? "change" : "", "") + (race.changes.empty() ? "none: " : "") +
            race.no_change + "\n";
  const std::size_t told = race.related.size() > kMostRelated + 1 ? kMostRelated : race.related.size();
  for (std::size_t i = 0; i < told; ++i) text += also(writer, race, race.related[i]);
  if (told < race.related.size()) text += also_more(writer, race, told);
  if (!race.replay.empty()) text += writer.label("again", "") + race.replay + "\n";
  if (!race.replays)
    text += writer.label("", "") +
            "(a run on several cores does not come again: that command looks for the race from one seed, and where it "
            "finds none, another HEDDLE_SEED may)\n";
  return text;
}

Finding to_finding(const DataRace& race) {
  Finding finding;
  finding.kind = FindingKind::DataRace;
  finding.message = fmt::format("{} of {} and {} at {}: {}", race.second.operation, report::element(race),
                                race.first.operation, report::place(race.first.where), race.reason);
  for (std::size_t i = 0; i < race.changes.size(); ++i)
    finding.message += fmt::format("{} {}", i == 0 ? "; change:" : ", or", race.changes[i]);
  finding.invocation = race.second.invocation;
  finding.where = race.second.where;
  finding.object = race.object;
  finding.index = race.index == DataRace::kNoElement ? 0 : race.index;
  finding.replay = race.replay;
  return finding;
}

}  // namespace heddle
