#include "emulator/report/report_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/report/readable_report.h"
#include "emulator/report/source_text.h"
#include "runtime/counted.h"

namespace heddle::report {
namespace {

using runtime::counted;

// What would do at one place stands together.
std::string advice_text(const RaceReport& report) {
  std::string text;
  const OrderingAdvice* last = nullptr;
  for (const OrderingAdvice& advice : report.advice) {
    if (!last || last->where.line != advice.where.line || last->operation != advice.operation ||
        std::string_view(last->where.file) != advice.where.file) {
      text += fmt::format("advice on {} at {}\n", advice.operation, place(advice.where));
      const std::string line = source_line(advice.where.file, advice.where.line);
      if (!line.empty()) text += fmt::format("          {:>5} | {}\n", advice.where.line, line);
    }
    text += fmt::format("  {}: more was not needed in {}\n", advice.enough, counted(advice.runs, "run", "runs"));
    last = &advice;
  }
  if (!report.advised) return text;
  text += fmt::format("advice holds for {}, each change alone",
                      counted(report.recorded, "recorded execution", "recorded executions"));
  if (report.left_out > 0)
    text += fmt::format("; {} left out (too long, with races, or too many)", counted(report.left_out, "was", "were"));
  return text + "\n";
}

// So many races are told in full in one text. The others have a line each.
constexpr std::size_t kMostInFull = 50;

// How many pairs of lines are told with it.
std::string with_related(const DataRace& race) {
  return race.related.empty() ? ""
                              : fmt::format(", and {} like it",
                                            counted(race.related.size(), "more pair of lines", "more pairs of lines"));
}

std::string in_a_line(const DataRace& given) {
  const DataRace race = readable(given);
  return fmt::format("data race on {}: {} at {}, {} at {}{}{}\n", element(race), race.first.operation,
                     place(race.first.where), race.second.operation, place(race.second.where), times(race),
                     with_related(race));
}

}  // namespace

std::string values(const RacingAccess& access) {
  if (!access.read.empty() && !access.written.empty())
    return fmt::format(" from {} to {}", access.read, access.written);
  return access.read.empty() && access.written.empty() ? "" : " of " + access.read + access.written;
}

std::string times(const DataRace& race) {
  std::string text = race.count > 1 ? fmt::format(", {} times", race.count) : "";
  if (race.runs > 1) text += fmt::format(" in {} runs", race.runs);
  return text;
}

std::string tried(std::uint64_t runs) {
  return fmt::format("(tried: in {} with it this race did not come back, and nothing new came)",
                     counted(runs, "run", "runs"));
}

std::string together_text(const RaceReport& report) {
  if (report.together.empty()) return "";
  std::string text =
      fmt::format("{}, and {} clean:\n",
                  report.together.size() == 1 ? "this change" : fmt::format("these {} changes", report.together.size()),
                  counted(report.together_runs, "run was", "runs were"));
  for (const CandidateChange& change : report.together) text += "  " + change.text + "\n";
  return text;
}

std::string element(const DataRace& race) {
  if (race.index == DataRace::kNoElement) return race.object + race.member;
  if (!race.texel.empty()) return fmt::format("texel {} of {}{}", race.texel, race.object, race.member);
  return fmt::format("{}[{}]{}", race.object.empty() ? "memory" : race.object, race.index, race.member);
}

std::string summary(const DataRace& race) {
  std::string text =
      fmt::format("data race on {}: {}{} and {}{} at {}; {}", element(race), race.second.operation, values(race.second),
                  race.first.operation, values(race.first), place(race.first.where), race.reason);
  for (std::size_t i = 0; i < race.changes.size(); ++i) text += (i == 0 ? "; change: " : ", or: ") + race.changes[i];
  return text;
}

std::string summary(const RaceReport& report) {
  std::string text =
      counted(report.races.size(), "data race", "data races") + " in " + counted(report.runs, "run", "runs");
  if (!report.notices.empty()) text += fmt::format(", {} of equal writes", report.notices.size());
  if (!report.suppressed.empty()) text += fmt::format(", {} suppressed", report.suppressed.size());
  if (report.ended_early == 0) return text;
  // What was not looked at is no absence of races.
  return text +
         (report.runs == 1 ? std::string("; it ended early")
                           : fmt::format("; {} of them ended early", report.ended_early)) +
         ", and what would have raced after that is not known";
}

std::string summary(const OrderingAdvice& advice) {
  return fmt::format("{} at {}: {}; more was not needed in {}", advice.operation, place(advice.where), advice.enough,
                     counted(advice.runs, "run", "runs"));
}

std::string people_text(const RaceReport& report, bool colour) {
  std::string text = together_text(report);
  if (!text.empty()) text += "\n";
  for (const auto* list : {&report.races, &report.notices, &report.suppressed}) {
    const std::size_t in_full = std::min(list->size(), kMostInFull);
    for (std::size_t i = 0; i < in_full; ++i) text += to_string((*list)[i], colour) + "\n";
    if (in_full == list->size()) continue;
    text += fmt::format("{} more, in a line each (as JSON each is told in full):\n", list->size() - in_full);
    for (std::size_t i = in_full; i < list->size(); ++i) text += "  " + in_a_line((*list)[i]);
    text += "\n";
  }
  text += advice_text(report);
  for (const std::string& remark : report.remarks) text += remark + "\n";
  for (const std::string& relied : report.relied_on) text += relied + "\n";
  return text + summary(report) + "\n";
}

}  // namespace heddle::report
